// True if tests are compiled with optimisation: they may then do ten times as much.
#pragma once

namespace test {

#ifdef __OPTIMIZE__
inline constexpr bool optimized = true;
#else
inline constexpr bool optimized = false;
#endif

}  // namespace test
