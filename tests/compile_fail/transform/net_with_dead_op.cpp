// expect-gcc: error: static assertion failed: every op should matter
// expect-gcc: note: constraints not satisfied
// expect-gcc: (dead_op_count<Net>) == 0
// expect-clang: every op should matter
// expect-clang: (1 == 0) evaluated to false
#include <plait/net/static_net.hpp>
#include <plait/transform/validate.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr plait::static_net net{plait::externals({"x"}, {"y"}), plait::op("Exp", {"x"}, {"y"})};
#else
constexpr plait::static_net net{plait::externals({"x"}, {"y"}), plait::op("Exp", {"x"}, {"y"}),
                                plait::op("Log", {"x"}, {"z"})};
#endif
static_assert(plait::without_dead_ops<net>, "every op should matter");
