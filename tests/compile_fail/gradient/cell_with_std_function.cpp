// expect: plait: the cell calls a function of numbers on a value, which has none while it is traced: write exp(x), not std::exp(x); cells have the functions of docs/guide/compile-time.md
// errors: 1
// lines: 13
#include <cmath>

#include <plait/gradient/static_cell.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr auto cell = plait::static_cell([](auto x) { return exp(x); });
#else
constexpr auto cell = plait::static_cell([](auto x) { return std::exp(x); });
#endif
static_assert(cell.output_count != 5);
