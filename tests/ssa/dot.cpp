#include <plait/ssa/dot.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <plait/netdef/read.hpp>
#include <plait/netdef/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>
#include <support/real_nets.hpp>

namespace {

template <class N>
std::string dot(N const& n, plait::dot_options const& options = {}) {
  std::ostringstream out;
  plait::write_dot(out, n, options);
  return out.str();
}

std::size_t count(std::string const& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// Braces and quotes outside and inside quoted strings, as Graphviz reads them.
bool well_formed(std::string const& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (depth < 0) return false;
    }
  }
  return depth == 0 && !quoted;
}

}  // namespace

TEST_CASE("one node per blob, or one per version") {
  plait::netdef const n = plait::read_netdef_text(R"(
    name: "small"
    op { input: "x" input: "w" output: "y" type: "Mul" }
    op { input: "y" output: "y" type: "Relu" }
    external_input: "x" external_input: "w" external_output: "y")");
  std::string const plain = dot(n);
  CHECK(count(plain, "shape=box") == 2);
  CHECK(count(plain, "_b") == 3 + 5);  // three blobs, an arrow for each of five operands
  CHECK(plain.find("digraph \"small\" {") == 0);

  std::string const ssa = dot(n, {.ssa = true});
  CHECK(count(ssa, "label=\"y : 1\"") == 1);
  CHECK(count(ssa, "label=\"y : 2\"") == 1);
  CHECK(count(ssa, "label=\"y : 0\"") == 0);  // never given, never read
  CHECK(count(ssa, " -> ") == 5);
  CHECK(count(ssa, "penwidth=2") == 1);
  CHECK(count(ssa, "fillcolor=\"#dce8f7\"") == 2);
}

TEST_CASE("nets inside ops are clusters inside one another") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "c" output: "y" type: "If"
      arg { name: "then_net" n { op { input: "c" type: "If" arg { name: "then_net" n { op { output: "y" type: "A" } } } } } }
      arg { name: "else_net" n { } } })");
  std::string const drawn = dot(n);
  CHECK(count(drawn, "subgraph cluster_") == 3);
  CHECK(count(drawn, "label=\"then_net\"") == 2);
  // The inner then_net opens before the outer one closes.
  CHECK(drawn.find("subgraph cluster_2") < drawn.find("}", drawn.find("subgraph cluster_1")));
  CHECK(well_formed(drawn));
  CHECK(count(dot(n, {.subnets = false}), "cluster") == 0);
}

TEST_CASE("a step net in text form is drawn too") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "y" type: "RecurrentNetwork" arg { name: "step_net" s: "op { input: \"a\" type: \"Tanh\" }" } })");
  CHECK(count(dot(n), "Tanh") == 1);
}

TEST_CASE_TEMPLATE("any net whose names can be shown is drawn", N, plait::netdef, test::struct_net,
                   test::temporary_net) {
  auto const n = test::make_net<N>({{{"Odd", {"quo\"te", "back\\slash", "new\nline"}, {"{brace}"}}}, {}, {}});
  std::string const drawn = dot(n, {.ssa = true});
  CHECK(well_formed(drawn));
  CHECK(count(drawn, " -> ") == 4);
  CHECK(drawn.find("quo\\\"te") != std::string::npos);
}

TEST_CASE("every real net is drawn well-formed") {
  for (auto const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    plait::netdef const n = plait::read_netdef(file);
    CHECK(well_formed(dot(n)));
    CHECK(well_formed(dot(n, {.ssa = true})));
  }
}

TEST_CASE("nets nested as deep as a reader allows cost no stack") {
  plait::netdef inner;
  inner.add_op("Relu", {"x"}, {"y"});
  for (int depth = 0; depth != 300; ++depth) {
    plait::netdef outer;
    plait::op_def& op = outer.add_op("If", {"c"}, {});
    plait::arg_def& argument = op.arg.emplace_back();
    argument.name = outer.intern("then_net");
    argument.n = std::move(inner);
    inner = std::move(outer);
  }
  CHECK(count(dot(inner), "subgraph cluster_") == 300);
}
