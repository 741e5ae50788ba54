#include <plait/net/detail/nested_names.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>

namespace {

std::set<std::string> mentioned(plait::netdef const& n, std::size_t op) {
  std::set<std::string> found;
  plait::visit_nested_names(n, n.op[op], [&](std::string_view name) { found.emplace(name); });
  return found;
}
using names = std::set<std::string>;

char const* const two_deep = R"(
  op { type: "While" input: "c" arg { name: "loop_net" n {
    external_input: "e" external_output: "o"
    op { type: "If" input: "d" control_input: "w" arg { name: "then_net" n { op { type: "Relu" input: "x" output: "y" } } } }
    op { type: "Do" input: "x" output: "z" arg { name: "net" n { op { type: "Relu" input: "hidden" output: "hidden" } } } } } } }
  op { type: "Relu" input: "x" output: "y" })";

}  // namespace

static_assert(plait::nested_editable_net<plait::netdef>);
static_assert(!plait::nested_editable_net<test::edit_net>);

TEST_CASE("nested names: mentions at every depth are visited, except inside a Do") {
  auto const n = plait::read_netdef_text(two_deep);
  CHECK(mentioned(n, 0) == names{"e", "o", "d", "w", "x", "y", "z"});
  CHECK(mentioned(n, 1).empty());
  CHECK(plait::has_nested_nets(n, n.op[0]));
  CHECK_FALSE(plait::has_nested_nets(n, n.op[1]));
}

TEST_CASE("nested names: only a closed net has its names bound by the op") {
  auto const n = plait::read_netdef_text(two_deep);
  plait::netdef const& loop = *n.op[0].arg[0].n;
  CHECK_FALSE(plait::binds_nested_net(n, n.op[0]));
  CHECK_FALSE(plait::binds_nested_net(n, n.op[1]));
  CHECK_FALSE(plait::binds_nested_net(loop, loop.op[0]));
  CHECK(plait::binds_nested_net(loop, loop.op[1]));
}

TEST_CASE("nested names: arguments that name blobs count if there is a nested net") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "RecurrentNetwork" input: "s" arg { name: "link_external" strings: "s" } arg { name: "timestep" s: "t" }
         arg { name: "step_net" n { op { type: "Relu" input: "s_t" output: "o" } } } arg { name: "b.rename" s: "B" } }
    op { type: "RecurrentNetwork" arg { name: "link_external" strings: "s" } }
    op { type: "Other" arg { name: "strings" strings: "s" } arg { name: "net" n { op { type: "Relu" input: "q" } } } })");
  CHECK(mentioned(n, 0) == names{"s", "t", "s_t", "o", "b", "B"});
  CHECK(mentioned(n, 1).empty());
  CHECK(mentioned(n, 2) == names{"q"});
}

TEST_CASE("nested names: inner nets are finished before outer ones, in order") {
  auto n = plait::read_netdef_text(R"(op { type: "If" arg { name: "then_net" n { name: "1"
    op { type: "If" arg { name: "then_net" n { name: "1.1" } } arg { name: "else_net" n { name: "1.2" } } } } }
    arg { name: "else_net" n { name: "2" op { type: "Relu" input: "x" output: "y" } } } })");
  std::vector<std::string> order;
  plait::rename_nested(n, n.op[0], plait::name_map{{"x", "X"}},
                       [&](plait::netdef& inner, plait::subnet_scope) { order.emplace_back(inner.text(inner.name)); });
  CHECK(order == std::vector<std::string>{"1.1", "1.2", "1", "2"});
  plait::netdef const& last = *n.op[0].arg[1].n;
  CHECK(last.text(last.op[0].input[0]) == "X");
}

TEST_CASE("nested names: depth costs no stack") {
  plait::netdef n;
  n.add_op("Relu", {"x"}, {"y"});
  for (int depth = 0; depth != 2'000; ++depth) {
    plait::netdef outer;
    auto& op = outer.add_op("If", {"c"}, {});
    op.arg.emplace_back();
    op.arg.back().name = outer.intern("then_net");
    op.arg.back().n.emplace() = std::move(n);
    n = std::move(outer);
  }
  std::size_t count = 0;
  plait::visit_nested_names(n, n.op[0], [&](std::string_view) { ++count; });
  CHECK(count == 2'001);
  plait::rename_nested(n, n.op[0], plait::name_map{{"c", "C"}}, [](plait::netdef&, plait::subnet_scope) {});
  std::size_t renamed = 0;
  plait::visit_nested_names(n, n.op[0], [&](std::string_view name) { renamed += name == "C"; });
  CHECK(renamed == 1'999);
}
