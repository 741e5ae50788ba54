// expect: plait: decide(net, op, in, out) returns another type than wanted: std::optional<std::size_t>
#include <cstddef>
#include <optional>
#include <string>

#include <plait/dataflow/constant_propagation.hpp>
#include <plait/ssa/construction.hpp>

#include <support/smallest_program.hpp>

using program = test::smallest_program;

void find(program const& p, plait::program_ssa<program> const& ssa) {
  plait::constant_propagation<int, program> constants;
  constants.compute(
      p, ssa, [](auto const&, auto, auto, auto) {},
      [](auto const&, auto, auto, auto) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
        return std::optional<std::size_t>();
#else
        return std::string("left");
#endif
      });
}
