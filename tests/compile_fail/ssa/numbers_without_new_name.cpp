// expect: plait: new names cannot be made: program_traits<P> lacks new_name(p, name) -> name
#include <cstddef>
#include <span>
#include <vector>

#include <plait/ssa/program_mutation.hpp>

struct op {
  std::vector<unsigned> inputs;
  std::vector<unsigned> outputs;
};
struct net {
  std::vector<op> ops;
};
struct phi {};
struct program {
  net only;
  std::vector<phi> none;
  unsigned registers = 0;
  std::size_t size() const { return 1; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
  net const& block(int) const { return only; }
  net& block(int) { return only; }
  std::vector<phi> const& phis(int) const { return none; }
  unsigned phi_result(phi) const { return 0; }
  std::vector<plait::phi_argument<int, unsigned>> phi_arguments(phi) const { return {}; }
  void insert_phi(int, unsigned, std::span<plait::phi_argument<int, unsigned> const>) {}
  void erase_phis(int) {}
  void insert_copy(int, std::size_t, unsigned, unsigned) {}
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  unsigned new_name(unsigned) { return registers++; }
#endif
};
PLAIT_CHECK_REWRITABLE_PROGRAM(program);
