// expect: plait: a cell cannot branch on a value: it has none while it is traced; use select(flag, a, b), or max(a, b) instead of std::max(a, b)
// errors: 1
// lines: 13
#include <algorithm>

#include <plait/gradient/static_cell.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr auto cell = plait::static_cell([](auto x, auto y) { return max(x, y); });
#else
constexpr auto cell = plait::static_cell([](auto x, auto y) { return std::max(x, y); });
#endif
static_assert(cell.output_count != 5);
