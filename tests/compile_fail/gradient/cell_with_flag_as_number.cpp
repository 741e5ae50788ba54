// expect: plait: the cell uses the result of a comparison as a number: use select(flag, 1, 0)
// errors: 1
#include <plait/gradient/static_cell.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr auto cell = plait::static_cell([](auto x) { return x * select(x > 0, 1, 0); });
#else
constexpr auto cell = plait::static_cell([](auto x) { return x * (x > 0); });
#endif
static_assert(cell.output_count == 1 || cell.output_count == 0);
