// expect: plait: a dataflow problem lacks direction, a static constexpr plait::flow_direction
#include <plait/dataflow/problem.hpp>

struct problem {
  using value_type = int;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static constexpr auto direction = plait::flow_direction::backward;
#endif
  int initial() const;
  int boundary() const;
  bool join(int& into, int const& from) const;
  void transfer_op(plait::op_index op, int& state) const;
};
PLAIT_CHECK_DATAFLOW_PROBLEM(problem);
