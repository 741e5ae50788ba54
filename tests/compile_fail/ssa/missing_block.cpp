// expect: plait: program_traits<P> lacks block(p, n), the net at a node of the flow graph
#include <cstddef>
#include <string>
#include <vector>

#include <plait/ssa/program_traits.hpp>

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
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  net const& block(int) const { return only; }
#endif
};
PLAIT_CHECK_PROGRAM(program);
