#include <plait/net/detail/slice_range.hpp>

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace {

using plait::detail::slice_places;
using plait::detail::slice_range;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Values of ONNX Runtime 1.32.
static_assert(slice_places(1, 3, 1, 4) == slice_range{1, 2});
static_assert(slice_places(-3, -1, 1, 4) == slice_range{1, 2});
static_assert(slice_places(least, most, 1, 4) == slice_range{0, 4});
static_assert(slice_places(0, most, 3, 4) == slice_range{0, 2});
static_assert(slice_places(3, least, -1, 4) == slice_range{3, 4});
static_assert(slice_places(most, least, -3, 4) == slice_range{3, 2});
static_assert(slice_places(-9, -9, -1, 4) == slice_range{0, 1});  // Python has none
static_assert(slice_places(-9, 2, -1, 4) == slice_range{});
static_assert(slice_places(0, least, least, 4) == slice_range{0, 1});
static_assert(slice_places(1, most, most, 4) == slice_range{1, 1});
static_assert(slice_places(2, 1, 1, 4) == slice_range{});
static_assert(slice_places(-1, least, -1, 0) == slice_range{});

}  // namespace

TEST_CASE("slice_places: every place is inside the axis, before the end, a step from the one before") {
  for (std::int64_t extent = 0; extent != 6; ++extent)
    for (std::int64_t start = -8; start != 9; ++start)
      for (std::int64_t end = -8; end != 9; ++end)
        for (std::int64_t const step : {-3, -2, -1, 1, 2, 3}) {
          CAPTURE(extent);
          CAPTURE(start);
          CAPTURE(end);
          CAPTURE(step);
          slice_range const made = slice_places(start, end, step, extent);
          std::int64_t const bound = end < 0 ? end + extent : end;
          auto const is_before_end = [&](std::int64_t at) { return step > 0 ? at < bound : at > bound; };
          auto const is_inside = [&](std::int64_t at) { return at >= 0 && at < extent; };
          std::int64_t at = made.first;
          for (std::int64_t k = 0; k != made.count; ++k, at += step) CHECK((is_inside(at) && is_before_end(at)));
          CHECK((made.count == 0 || !is_inside(at) || !is_before_end(at)));
        }
}
