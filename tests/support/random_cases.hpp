// Number of random programs, nets or graphs that a test tries.
#pragma once

namespace test {

/// Returns `count` in optimised builds, as in the presets release, asan and tsan, and a tenth of it in others: without
/// optimisation, oracles and algorithms of templates take ten times as long.
constexpr unsigned random_cases(unsigned count) {
#ifdef __OPTIMIZE__
  return count;
#else
  return count / 10;
#endif
}

}  // namespace test
