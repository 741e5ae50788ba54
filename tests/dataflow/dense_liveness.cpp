#include <plait/dataflow/detail/dense_liveness.hpp>

#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include <support/dense_loop.hpp>

namespace {

using namespace test::dense_loop;

constexpr bool check() {
  plait::dense_liveness live;
  for (int again = 0; again != 2; ++again) live.compute(graph(), code());
  plait::dense_program const p = code();
  return std::ranges::equal(live.exposed(), std::array{n, i, k}) &&
         std::ranges::equal(live.live_in(0), std::array{n, k}) &&
         std::ranges::equal(live.live_out(0), std::array{n, i, k}) &&
         std::ranges::equal(live.live_in(2), std::array{i}) && std::ranges::equal(live.live_out(2), std::array{i}) &&
         live.is_live_after(p, 1, t) && !live.is_live_after(p, 2, t) && !live.is_live_after(p, 1, i) &&
         live.is_live_before(p, 1, i) && !live.is_live_before(p, 0, i) && !live.is_live_in(1, t) &&
         !live.is_live_out(1, unused);
}
static_assert(check());

TEST_CASE("dense liveness: a loop-carried blob is live around the loop") { CHECK(check()); }

}  // namespace
