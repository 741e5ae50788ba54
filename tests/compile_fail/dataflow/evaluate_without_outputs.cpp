// expect: plait: evaluate cannot be called as evaluate(net, op, in, out); wanted: void evaluate(
#include <cstddef>
#include <optional>

#include <plait/dataflow/constant_propagation.hpp>
#include <plait/ssa/construction.hpp>

#include <support/smallest_program.hpp>

using program = test::smallest_program;

void find(program const& p, plait::program_ssa<program> const& ssa) {
  plait::constant_propagation<int, program> constants;
  auto const decide = [](auto const&, auto, auto, auto) { return std::optional<std::size_t>(); };
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  constants.compute(
      p, ssa, [](auto const&, auto, auto, auto) {}, decide);
#else
  constants.compute(
      p, ssa, [](auto const&, auto, auto) {}, decide);
#endif
}
