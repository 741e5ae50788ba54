// expect: plait: essential(net, op) returns another type than wanted: bool
#include <plait/dataflow/dead_code.hpp>
#include <plait/ssa/construction.hpp>

#include <support/smallest_program.hpp>

using program = test::smallest_program;

void find(program const& p, plait::program_ssa<program> const& ssa) {
  plait::dead_code<program> dead;
  dead.compute(p, ssa, [](auto const&, auto) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
    return true;
#endif
  });
}
