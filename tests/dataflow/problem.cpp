#include <plait/dataflow/problem.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

namespace {

// True if some path has passed an op of odd number.
struct by_op {
  using value_type = bool;
  static constexpr auto direction = plait::flow_direction::forward;
  bool initial() const { return false; }
  bool boundary() const { return false; }
  bool join(bool& into, bool const& from) const {
    bool const changed = from && !into;
    into = into || from;
    return changed;
  }
  void transfer_op(plait::op_index op, bool& state) const { state = state || op % 2 != 0; }
};
struct by_block : by_op {
  static constexpr auto direction = plait::flow_direction::backward;
  void transfer_op(plait::op_index, bool&) const = delete;
  void transfer_block(std::uint32_t, bool&) const {}
  std::size_t height() const { return 1; }
};
struct without_transfer : by_op {
  void transfer_op(plait::op_index, bool&) const = delete;
};
struct without_direction : by_op {
  static constexpr int direction = 0;
};
struct with_other_bounds : by_op {
  struct other {};
  other initial() const { return {}; }
};

PLAIT_CHECK_DATAFLOW_PROBLEM(by_op);
PLAIT_CHECK_DATAFLOW_PROBLEM(by_block);
static_assert(plait::has_op_transfer<by_op> && !plait::has_block_transfer<by_op> && !plait::has_height<by_op>);
static_assert(!plait::has_op_transfer<by_block> && plait::has_block_transfer<by_block> && plait::has_height<by_block>);
static_assert(!plait::dataflow_problem<without_transfer>);
static_assert(!plait::dataflow_problem<without_direction> && plait::has_join<without_direction>);
static_assert(!plait::dataflow_problem<with_other_bounds> && !plait::has_flow_bounds<with_other_bounds>);
static_assert(!plait::dataflow_problem<int>);

TEST_CASE("dataflow problem: a struct with all members is one") {
  by_op const problem;
  bool state = problem.initial();
  problem.transfer_op(2, state);
  CHECK(!state);
  CHECK(!problem.join(state, problem.boundary()));
  problem.transfer_op(3, state);
  bool from_elsewhere = false;
  CHECK(problem.join(from_elsewhere, state));
  CHECK(!problem.join(from_elsewhere, state));
}

}  // namespace
