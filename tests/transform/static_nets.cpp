#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/dataflow/value_numbering.hpp>
#include <plait/graph/detail/topological_order.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/dependency_graph.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/memory_plan.hpp>
#include <plait/transform/rename.hpp>

// Transforms of nets are constant expressions where the net is one: each fact is a static_assert.

namespace {

using ops = std::vector<plait::op_index>;

constexpr plait::static_net net{plait::externals({"x", "w"}, {"y"}),    plait::op("Mul", {"x", "w"}, {"a"}),
                                plait::op("Exp", {"x"}, {"unused"}),    plait::op("Mul", {"x", "w"}, {"same"}),
                                plait::op("Add", {"a", "same"}, {"b"}), plait::op("Tanh", {"b"}, {"y"})};

constexpr auto four_bytes = [](std::string_view) -> std::uint64_t { return 4; };

static_assert(plait::find_dead_ops(net).ops == ops{1});
static_assert(plait::peak_memory(net, four_bytes) == 20);
constexpr auto renamed = plait::with_renamed_output(net, {3, 0}, "sum");

// ---- dead code
static_assert(plait::find_dead_ops(net, {.dead_reader_kills = true}).ops == ops{1});
static_assert(plait::find_dead_ops(net, {}, [](auto op) { return op == 1; }).empty());

// ---- common subexpressions
constexpr plait::static_graph<0> one_block;
constexpr std::array blocks = {net};
constexpr plait::blocks_of program(one_block, blocks);
static_assert([] {
  plait::program_ssa const ssa(program);
  plait::value_numbering const numbering(program, ssa, [](auto const&, auto const&) { return true; });
  return numbering.are_equal(ssa.writes(ssa.op(0u, 0))[0], ssa.writes(ssa.op(0u, 2))[0]) &&
         numbering.redundant_ops() == ops{2};
}());

// ---- dependences and orders
constexpr plait::dependency_options everything{.write_after_read = true, .write_after_write = true};
static_assert(plait::dependencies(net, everything).edge_count() == 3);
static_assert([] {
  auto const graph = plait::dependencies(net);
  plait::topological_order const order(graph);
  return order && order.nodes().size() == 6 && order.nodes().front() == graph.entry();
}());

// ---- scheduling: the large value is computed last
constexpr plait::static_net wide{plait::externals({"x"}, {"y"}),  plait::op("Exp", {"x"}, {"a"}),
                                 plait::op("Exp", {"a"}, {"a2"}), plait::op("Sin", {"x"}, {"b"}),
                                 plait::op("Cos", {"x"}, {"c"}),  plait::op("Mul", {"b", "c"}, {"d"}),
                                 plait::op("Cube", {"d"}, {"e"}), plait::op("Add", {"a2", "e"}, {"y"})};
static_assert([] {
  auto const bytes = [](std::string_view name) -> std::uint64_t { return name == "a2" ? 100 : 4; };
  auto const schedule = plait::find_memory_schedule(wide, bytes);
  return schedule.peak_before == 112 && schedule.peak == 108 && schedule.ops.size() == 7;
}());

// ---- memory
constexpr plait::static_net freed{plait::op("Exp", {"x"}, {"a"}), plait::op("Exp", {"a"}, {"b"}),
                                  plait::op("Free", {"a"}, {"a"}), plait::op("Exp", {"b"}, {"c"})};
static_assert(plait::peak_memory(freed, four_bytes) == 8);
static_assert([] {
  auto const ssa = plait::get_ssa(net);
  plait::blob_uses const uses(net, ssa);
  plait::detail::blob_colouring colouring(uses);
  auto const all = plait::detail::sharing_candidates(
      net, ssa, uses, [](std::string_view) { return true; }, four_bytes);
  return colouring.colour_in_order(all).size() == 4 && colouring.size() == 3 && colouring.bytes() == 12;
}());

// ---- renaming
static_assert(renamed.outputs(3)[0] == "sum" && renamed.inputs(4)[0] == "sum" && net.inputs(4)[0] == "b");
constexpr auto renamed_result = plait::with_renamed_output(net, {4, 0}, "z");
static_assert(renamed_result.external_outputs()[0] == "z" && renamed_result.outputs(4)[0] == "z");

TEST_CASE("static_net: a taken name is refused") {
  CHECK_THROWS_WITH_AS((void)plait::with_renamed_output(net, {3, 0}, "x"),
                       "plait: new name 'x' is taken in the net: version 0 of it is read by op 0 (Mul)",
                       plait::net_error);
  CHECK_THROWS_AS((void)plait::with_renamed_output(net, {9, 0}, "q"), plait::net_error);
}

}  // namespace
