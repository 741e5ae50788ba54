// expect: plait: a cell cannot branch on a value: it has none while it is traced; use select(flag, a, b), or max(a, b) instead of std::max(a, b)
// errors: 1
// lines: 13
#include <plait/gradient/static_cell.hpp>

constexpr auto cell = plait::static_cell([](auto x) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  return select(x > 0, x, -x);
#else
  if (x > 0) return x;
  return -x;
#endif
});
static_assert(cell.output_count != 5);
