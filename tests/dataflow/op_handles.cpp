#include <plait/dataflow/detail/op_handles.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/dataflow/constant_propagation.hpp>
#include <plait/dataflow/liveness.hpp>

#include <graph/test_graphs.hpp>
#include <net/test_nets.hpp>
#include <support/random_program.hpp>

namespace {

TEST_CASE_TEMPLATE("op handles: access the ops of a net in any order", N, PLAIT_ALL_NETS) {
  auto const net =
      test::make_net<N>({{{"A", {"x"}, {"y"}}, {"B", {"y", "x"}, {}}, {"C", {}, {"z", "y"}}}, {"x"}, {"z"}});
  plait::single_block const p(net);
  plait::program_snapshot const snapshot(p);
  plait::op_handles const ops(p, snapshot);
  REQUIRE(ops.size() == 3);
  auto const count = [&](plait::op_index op) {
    return ops.call(op, [&](auto const& n, auto const& handle) {
      CHECK(&n == &net);
      std::size_t reads = 0, writes = 0;
      for (auto&& name : plait::inputs(n, handle)) reads += (static_cast<void>(name), 1);
      for (auto&& name : plait::outputs(n, handle)) writes += (static_cast<void>(name), 1);
      return std::pair(reads, writes);
    });
  };
  CHECK(count(2) == std::pair<std::size_t, std::size_t>(0, 2));
  CHECK(count(0) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(count(1) == std::pair<std::size_t, std::size_t>(2, 0));
  CHECK_THROWS_AS(count(3), plait::precondition_error);
}

// Blocks and op lists that are created on access.
struct code_handle {
  test::struct_net const* net;
  std::vector<plait::op_spec const*> ops() const {
    std::vector<plait::op_spec const*> made;
    for (auto const& op : net->ops) made.push_back(&op);
    return made;
  }
  auto const& external_inputs() const { return net->external_inputs; }
  auto const& external_outputs() const { return net->external_outputs; }
};
struct handle_program {
  test::net_program const* held;
  std::size_t size() const { return held->size(); }
  int entry() const { return 0; }
  auto const& successors(int n) const { return held->successors(n); }
  code_handle block(int n) const { return {&held->block(n)}; }
};
static_assert(plait::check_program<handle_program>());

TEST_CASE("op handles: keep blocks that are handles, and analyses have the same results on them") {
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    handle_program const same{&p};
    plait::program_snapshot const snapshot(same);
    plait::op_handles<handle_program> ops;
    for (int again = 0; again != 2; ++again) ops.compute(same, snapshot);
    REQUIRE(ops.size() == snapshot.code().op_count());
    for (auto op = static_cast<plait::op_index>(ops.size()); op-- != 0;)
      ops.call(op, [&](code_handle const& net, plait::op_spec const* handle) {
        REQUIRE(net.net == &p.block(snapshot.node(op)));
        REQUIRE(handle == &net.net->ops[snapshot.place(op)]);
      });
    plait::liveness const live(same);
    plait::liveness const expected(p);
    for (int const block : expected.snapshot().graph().order())
      for (std::string const name : {"a", "b", "c", "d", "e"})
        REQUIRE(live.is_live_in(block, name) == expected.is_live_in(block, name));
  }
}

TEST_CASE("op handles: archetypes of graph and net suffice for an analysis") {
  auto const g = test::make_graph<test::archetype_graph>({3, {{0, 1}, {1, 1}, {1, 2}}});
  std::vector<test::archetype_net> nets;
  nets.push_back(test::make_net<test::archetype_net>({{{"Const", {}, {"x"}}}, {}, {}}));
  nets.push_back(test::make_net<test::archetype_net>({{{"Copy", {"x"}, {"x"}}}, {}, {}}));
  nets.push_back(test::make_net<test::archetype_net>({{}, {}, {"x"}}));
  plait::blocks_of const p(g, nets);
  plait::program_ssa const ssa(p);
  plait::constant_propagation<int, std::remove_cv_t<decltype(p)>> constants;
  constants.compute(
      p, ssa, [](auto const&, auto const&, auto in, auto out) { out[0] = in.empty() ? std::optional(4) : in[0]; },
      [](auto&&...) { return std::optional<std::size_t>(); });
  CHECK(constants.constant(ssa.results(test::node_of(g, 2))[0]) == 4);
}

// Types with a deleted operator&.
struct shy_op {
  std::vector<int> inputs;
  std::vector<int> outputs;
  void operator&() const = delete;
};
struct shy_net {
  std::vector<shy_op> ops;
  void operator&() const = delete;
};
struct shy_program {
  std::vector<shy_net> nets;
  std::size_t size() const { return nets.size(); }
  static int entry() { return 0; }
  static std::vector<int> successors(int) { return {}; }
  shy_net const& block(int n) const { return nets[static_cast<std::size_t>(n)]; }
};

TEST_CASE("op handles: types can have a user-defined operator&") {
  shy_program const p{{{{{{1}, {2}}, {{2}, {1}}}}}};
  plait::program_snapshot const snapshot(p);
  plait::op_handles<shy_program> const ops(p, snapshot);
  REQUIRE(ops.size() == 2);
  ops.call(1, [&](shy_net const& net, shy_op const& op) {
    CHECK(std::addressof(net) == p.nets.data());
    CHECK(op.inputs == std::vector{2});
  });
}

}  // namespace
