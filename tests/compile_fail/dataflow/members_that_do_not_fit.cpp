// expect: plait: direction of a dataflow problem is there, but is no static constexpr plait::flow_direction
// expect: plait: transfer_op of a dataflow problem is there, but returns something; wanted: void, since it changes state
// expect: plait: height() const of a dataflow problem is there, but cannot be called on a const dataflow problem
// expect: plait: branch of a sparse problem is there, but cannot be called like this; wanted: void branch(std::uint32_t block, plait::sparse_solver<value_type> const& states, auto take)
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/dataflow/problem.hpp>
#include <plait/dataflow/sparse_solver.hpp>

struct problem {
  using value_type = int;
  int initial() const { return 0; }
  int boundary() const { return 0; }
  bool join(int& into, int const& from) const { return into != from; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static constexpr auto direction = plait::flow_direction::forward;
  void transfer_op(plait::op_index, int&) const {}
  std::size_t height() const { return 1; }
#else
  plait::flow_direction direction = plait::flow_direction::forward;
  int transfer_op(plait::op_index, int const& state) const { return state; }
  std::size_t height() { return 1; }
#endif
};
PLAIT_CHECK_DATAFLOW_PROBLEM(problem);

struct sparse {
  using value_type = int;
  int initial() const { return 0; }
  int boundary(plait::value_index) const { return 0; }
  bool join(int& into, int const& from) const { return into != from; }
  void transfer(plait::op_index, std::span<int const>, std::span<int>) {}
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void branch(std::uint32_t, auto const&, auto take) { take(0); }
#else
  void branch(std::uint32_t, auto take) { take(0); }
#endif
};
void solve(plait::dense_graph const& g, plait::dense_ssa const& form, sparse& p) {
  plait::sparse_solver<int> solver;
  solver.compute(g, form, p);
}
