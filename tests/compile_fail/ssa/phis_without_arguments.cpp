// expect: plait: program_traits<P>::phi_arguments(p, phi) is there, but returns another type; wanted: a range of phi_argument<node, name>
#include <cstddef>
#include <string>
#include <vector>

#include <plait/ssa/program_mutation.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
};
struct program {
  net only;
  std::size_t size() const { return 1; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
  net const& block(int) const { return only; }
  std::vector<int> phis(int) const { return {}; }
  std::string phi_result(int) const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<plait::phi_argument<int, std::string>> phi_arguments(int) const { return {}; }
#else
  std::vector<std::string> phi_arguments(int) const { return {}; }  // of which predecessor?
#endif
};
PLAIT_CHECK_PROGRAM_WITH_PHIS(program);
