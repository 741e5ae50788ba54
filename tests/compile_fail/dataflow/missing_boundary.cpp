// expect: plait: a sparse problem lacks boundary(value_index), a value_type
#include <span>

#include <plait/dataflow/sparse_solver.hpp>

struct problem {
  using value_type = int;
  int initial() const;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  int boundary(plait::value_index v) const;
#endif
  bool join(int& into, int const& from) const;
  void transfer(plait::op_index op, std::span<int const> in, std::span<int> out) const;
};
PLAIT_CHECK_SPARSE_PROBLEM(problem);
