// expect: phi_insertable_program
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <plait/ssa/program_rewrite.hpp>

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
  net& block(int) { return only; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void insert_phi(int, std::string const&, std::span<plait::phi_argument<int, std::string> const>) {}
#endif
};
std::size_t use(program& p) { return plait::rewrite_into_ssa(p); }
