// expect: plait: program_traits<P>::copy_place(p, n) is there, but cannot be called with a const program
#include <cstddef>
#include <string>
#include <vector>

#include <plait/ssa/destruction.hpp>

// A place that is ignored would have copies stand behind the branch.
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
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::size_t copy_place(int) const { return 0; }
#else
  std::size_t copy_place(int) { return 0; }
#endif
};
void use(program const& p, plait::program_ssa<program> const& ssa) { plait::program_destruction<program>(p, ssa); }
