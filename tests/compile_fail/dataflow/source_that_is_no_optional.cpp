// expect: plait: source(net, op, output) returns another type than wanted: std::optional<std::size_t>
#include <cstddef>
#include <optional>

#include <plait/dataflow/copy_propagation.hpp>
#include <plait/ssa/construction.hpp>

#include <support/smallest_program.hpp>

using program = test::smallest_program;

void find(program const& p, plait::program_ssa<program> const& ssa) {
  plait::copy_propagation<program> copies;
  copies.compute(p, ssa, [](auto const&, auto, std::size_t output) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
    return std::optional(output);
#else
    return output;  // which of 0 and "no copy" is meant?
#endif
  });
}
