// expect: plait: a dataflow problem lacks join(value_type& into, value_type const& from) const, bool, which tells whether into has changed
#include <cstdint>

#include <plait/dataflow/problem.hpp>

struct problem {
  using value_type = int;
  static constexpr auto direction = plait::flow_direction::forward;
  int initial() const;
  int boundary() const;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  bool join(int& into, int const& from) const;
#endif
  void transfer_block(std::uint32_t block, int& state) const;
};
PLAIT_CHECK_DATAFLOW_PROBLEM(problem);
