// expect: plait: program_traits<P>::insert_phi(p, n, name, arguments) is there, but cannot be called like this; wanted: insert_phi(p, n, name, arguments), name a program_name_t<P> const&, arguments a std::span<phi_argument_t<P> const>
// expect: plait: program_traits<P>::erase_phis(p, n) is there, but cannot be called like this; wanted: erase_phis(p, n), n a node_t<P> const&
// expect: plait: program_traits<P>::insert_copy(p, n, place, to, from) is there, but cannot be called like this; wanted: insert_copy(p, n, place, to, from), place a std::size_t
// expect: plait: program_traits<P>::split_edge(p, from, way) is there, but cannot be called like this; wanted: split_edge(p, from, way)
// expect: plait: program_traits<P>::copy_place(p, n) is there, but returns another type; wanted: a std::size_t
// expect: plait: program_traits<P>::new_name(p, name) is there, but cannot be called like this; wanted: new_name(p, name), a program_name_t<P>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <plait/ssa/program_mutation.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct code {
  std::vector<op> ops;
};
struct phi {
  std::string result;
};
struct function {
  code only;
  std::vector<phi> phis;
};
using argument = plait::phi_argument<int, std::string>;

template <>
struct plait::graph_traits<function> {
  static std::size_t size(function const&) { return 1; }
  static int entry(function const&) { return 0; }
  static std::vector<int> successors(function const&, int) { return {}; }
};
template <>
struct plait::program_traits<function> {
  static code const& block(function const& f, int) { return f.only; }
  static code& block(function& f, int) { return f.only; }
  static std::vector<phi> const& phis(function const& f, int) { return f.phis; }
  static std::string phi_result(function const&, phi const& p) { return p.result; }
  static std::vector<argument> phi_arguments(function const&, phi const&) { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static void insert_phi(function&, int, std::string const&, std::span<argument const>) {}
  static void erase_phis(function&, int) {}
  static void insert_copy(function&, int, std::size_t, std::string const&, std::string const&) {}
  static void split_edge(function&, int, std::size_t) {}
  static std::size_t copy_place(function const&, int) { return 0; }
  static std::string new_name(function&, std::string const& name) { return name + "'"; }
#else
  static void insert_phi(function&, int, std::string const&, std::vector<argument> const&) {}
  static void erase_phis(function&) {}
  static void insert_copy(function&, int, std::string const&, std::string const&, std::size_t) {}
  static void split_edge(function&, int from, int to, bool);
  static void copy_place(function const&, int) {}
  static std::string new_name(function&) { return "new"; }
#endif
};
PLAIT_CHECK_REWRITABLE_PROGRAM(function);
