// expect: plait: program_traits<P>::block(p, n) is there, but does not give a net that can be changed; wanted: block(p, n) of a P&
// expect: plait: program_traits<P> lacks insert_phi(p, n, name, arguments), name a program_name_t<P> const&, arguments a std::span<phi_argument_t<P> const>
// expect: plait: program_traits<P> lacks erase_phis(p, n)
// expect: plait: program_traits<P> lacks insert_copy(p, n, place, to, from)
// expect: plait: net_traits<N> lacks set_external_input(n, slot, name), slot a std::size_t, name a name_t<N> const&
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <plait/ssa/program_mutation.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
  std::vector<std::string> external_inputs() const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void set_external_input(std::size_t, std::string const&) {}
#endif
};
struct phi {
  std::string result;
};
using argument = plait::phi_argument<int, std::string>;
struct program {
  net only;
  std::vector<phi> none;
  std::size_t size() const { return 1; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
  net const& block(int) const { return only; }
  std::vector<phi> const& phis(int) const { return none; }
  std::string phi_result(phi const& p) const { return p.result; }
  std::vector<argument> phi_arguments(phi const&) const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  net& block(int) { return only; }
  void insert_phi(int, std::string const&, std::span<argument const>) {}
  void erase_phis(int) {}
  void insert_copy(int, std::size_t, std::string const&, std::string const&) {}
#endif
};
PLAIT_CHECK_REWRITABLE_PROGRAM(program);
