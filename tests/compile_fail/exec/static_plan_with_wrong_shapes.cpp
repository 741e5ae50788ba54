// expect: plait: the shapes of the operands of an op of the net do not fit each other
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/static_cells.hpp>

constexpr plait::static_net net{plait::externals({"x", "w"}, {"y"}), plait::op("Mul", {"x", "w"}, {"y"})};
#ifdef PLAIT_COMPILE_FAIL_CONTROL
using plan = decltype(plait::compile<net, plait::dims{2, 16}, plait::dims{16}>(plait::serial()));
#else
using plan = decltype(plait::compile<net, plait::dims{2, 16}, plait::dims{15}>(plait::serial()));
#endif
static_assert(sizeof(plan) != 1);
