#include <plait/ssa/dot.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/read.hpp>
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

// Returns true if braces and quotes match, with quoted strings as Graphviz reads them.
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

struct drawn_net {
  using clusters = std::vector<std::string>;
  std::map<std::string, clusters> nodes;  // to the clusters that declare them, outermost first
  std::vector<std::pair<std::string, std::string>> edges;
  bool edges_stay_at_home = true;  // no edge draws a node into a cluster it is not declared in
};

// Parses the output of write_dot.
drawn_net parse(std::string const& text) {
  drawn_net made;
  drawn_net::clusters open;
  std::vector<std::pair<std::string, drawn_net::clusters>> mentioned;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with("subgraph ")) {
      open.push_back(line.substr(9, line.find(' ', 9) - 9));
    } else if (line == "}") {
      if (!open.empty()) open.pop_back();
    } else if (line.starts_with('n') && std::isdigit(static_cast<unsigned char>(line[1])) != 0) {
      std::size_t const end = line.find_first_of(" ;");
      std::string const first = line.substr(0, end);
      if (line.compare(end, 4, " -> ") != 0) {
        made.nodes[first] = open;
        continue;
      }
      std::string second = line.substr(end + 4, line.find_first_of(" ;", end + 4) - end - 4);
      mentioned.push_back({first, open});
      mentioned.push_back({second, open});
      bool const back = line.find("dir=back") != std::string::npos;
      made.edges.push_back(back ? std::pair(second, first) : std::pair(first, second));
    }
  }
  for (auto const& [node, where] : mentioned) {
    drawn_net::clusters const& home = made.nodes[node];
    made.edges_stay_at_home &= home.size() >= where.size() && std::equal(where.begin(), where.end(), home.begin());
  }
  return made;
}

}  // namespace

TEST_CASE("dot: draws one node per blob, or one per version") {
  plait::netdef const n = plait::read_netdef_text(R"(
    name: "small"
    op { input: "x" input: "w" output: "y" type: "Mul" }
    op { input: "y" output: "y" type: "Relu" }
    external_input: "x" external_input: "w" external_output: "y")");
  std::string const plain = dot(n);
  CHECK(count(plain, "shape=box") == 2);
  CHECK(count(plain, "_b") == 3 + 5);  // three blobs, and an edge for each of five operands
  CHECK(plain.find("digraph \"small\" {") == 0);

  std::string const ssa = dot(n, {.ssa = true});
  CHECK(count(ssa, "label=\"y : 1\"") == 1);
  CHECK(count(ssa, "label=\"y : 2\"") == 1);
  CHECK(count(ssa, "label=\"y : 0\"") == 0);  // neither an input nor read
  CHECK(count(ssa, " -> ") == 5);
  CHECK(count(ssa, "penwidth=2") == 1);
  CHECK(count(ssa, "fillcolor=\"#dce8f7\"") == 2);
}

TEST_CASE("dot: nested nets are nested clusters") {
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

TEST_CASE("dot: edges between clusters of ops are outside of the clusters") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" input: "w" output: "y" type: "Mul" }
    op { input: "y" output: "y" type: "Relu" }
    op { input: "y" input: "v" output: "z" type: "Add" }
    op { input: "z" output: "z" type: "Negative" }
    op { input: "z" output: "t" type: "Tanh" }
    external_input: "x" external_input: "w" external_input: "v" external_input: "u" external_output: "t")");
  std::string const text = dot(n, {.ssa = true, .clusters = {{"one", 2}, {"two \"quoted\"", 2, true}}});
  CHECK(well_formed(text));
  CHECK(count(text, "label=\"one\"") == 1);
  CHECK(count(text, "label=\"two \\\"quoted\\\"\"") == 1);
  CHECK(count(text, "dir=back") == 4);  // edges of v and z to readers, of both z from writers
  drawn_net const drawn = parse(text);
  CHECK(drawn.edges_stay_at_home);
  using clusters = drawn_net::clusters;
  CHECK(drawn.nodes.at("n0_op1") == clusters{"cluster_part0"});
  CHECK(drawn.nodes.at("n0_op2") == clusters{"cluster_part1"});
  CHECK(drawn.nodes.at("n0_op4") == clusters{});
  std::map<std::string, std::size_t> blobs;
  for (auto const& [node, where] : drawn.nodes)
    if (node.find("_v") != std::string::npos) ++blobs[where.empty() ? "" : where[0]];
  CHECK(blobs == std::map<std::string, std::size_t>{{"cluster_part0", 4}, {"cluster_part1", 3}, {"", 2}});

  // Only the clusters of nodes differ from the drawing without clusters.
  auto const sorted = [](auto edges) {
    std::ranges::sort(edges);
    return edges;
  };
  for (bool ssa : {false, true}) {
    drawn_net const whole = parse(dot(n, {.ssa = ssa}));
    for (std::size_t first = 0; first <= 6; ++first)
      for (std::size_t second = 0; second <= 6; ++second) {
        CAPTURE(first);
        CAPTURE(second);
        std::string const divided = dot(n, {.ssa = ssa, .clusters = {{"a", first, true}, {"b", second}, {"c", 1}}});
        CHECK(well_formed(divided));
        drawn_net const clustered = parse(divided);
        CHECK(clustered.edges_stay_at_home);
        CHECK(sorted(clustered.edges) == sorted(whole.edges));
        CHECK(clustered.nodes.size() == whole.nodes.size());
      }
  }
}

TEST_CASE("dot: draws a step net that is stored as text") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "y" type: "RecurrentNetwork" arg { name: "step_net" s: "op { input: \"a\" type: \"Tanh\" }" } })");
  CHECK(count(dot(n), "Tanh") == 1);
}

TEST_CASE_TEMPLATE("dot: escapes the names of any net whose names have text", N, plait::netdef, test::struct_net,
                   test::temporary_net) {
  auto const n = test::make_net<N>({{{"Odd", {"quo\"te", "back\\slash", "new\nline"}, {"{brace}"}}}, {}, {}});
  std::string const drawn = dot(n, {.ssa = true});
  CHECK(well_formed(drawn));
  CHECK(count(drawn, " -> ") == 4);
  CHECK(drawn.find("quo\\\"te") != std::string::npos);
}

TEST_CASE("dot: every real net gives a well-formed graph") {
  for (auto const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    plait::netdef const n = plait::read_netdef(file);
    CHECK(well_formed(dot(n)));
    std::string const ssa = dot(n, {.ssa = true});
    CHECK(well_formed(ssa));
    std::string const halves =
        dot(n, {.ssa = true, .clusters = {{"a", n.op.size() / 2}, {"b", n.op.size() / 2, true}}});
    CHECK(well_formed(halves));
    CHECK(parse(halves).edges_stay_at_home);
    CHECK(count(halves, " -> ") == count(ssa, " -> "));
  }
}

TEST_CASE("dot: draws 300 nested nets without recursion") {
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

TEST_CASE("dot: draws an op with 200,000 outputs") {
  plait::netdef net;
  plait::op_def& op = net.add_op("Split", {"x"}, {});
  for (int i = 0; i != 200000; ++i) op.output.push_back(net.intern("part" + std::to_string(i)));
  CHECK(count(dot(net, {.ssa = true}), " -> ") == 200001);
}
