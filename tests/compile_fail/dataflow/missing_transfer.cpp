// expect: plait: a dataflow problem lacks both transfer_op(op_index, value_type&) const and transfer_block(std::uint32_t, value_type&) const
#include <plait/dataflow/problem.hpp>

struct problem {
  using value_type = int;
  static constexpr auto direction = plait::flow_direction::backward;
  int initial() const;
  int boundary() const;
  bool join(int& into, int const& from) const;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void transfer_op(plait::op_index op, int& state) const;
#endif
};
PLAIT_CHECK_DATAFLOW_PROBLEM(problem);
