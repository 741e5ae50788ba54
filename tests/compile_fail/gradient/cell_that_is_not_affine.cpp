// expect-gcc: is_affine(Output
// expect-clang: evaluated to false
// expect: the state should be computed by a scan
#include <plait/gradient/static_cell.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr auto cell = plait::static_cell([](auto a, auto b, auto state) { return sigmoid(a) * state + b; });
#else
constexpr auto cell = plait::static_cell([](auto a, auto b, auto state) { return sigmoid(a) * tanh(state) + b; });
#endif
static_assert(plait::affine_in<cell, 0, 2>, "the state should be computed by a scan");
