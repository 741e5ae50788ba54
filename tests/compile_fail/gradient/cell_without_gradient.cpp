// expect: plait: the cell has no gradient: floor and ceil are not differentiable
// lines: 13
#include <plait/gradient/static_cell.hpp>

constexpr auto cell = plait::static_cell([](auto x) { return floor(x) * x; });
#ifndef PLAIT_COMPILE_FAIL_CONTROL
constexpr auto d_cell = plait::gradient(cell);
#endif
static_assert(cell.net().ops().size() == 2);
