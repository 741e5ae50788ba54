// Slice range: places of an axis from a start to an end, with a step of either sign.
#pragma once

#include <algorithm>
#include <cstdint>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

struct slice_range {
  std::int64_t first = 0;  ///< place of the axis
  std::int64_t count = 0;  ///< number of places
  friend bool operator==(slice_range const&, slice_range const&) = default;
};

/// Returns the places that ONNX's Slice takes of an axis: negative bounds count from its end, and bounds outside are
/// moved inside. Unlike in Python, a start before the axis is its first place whatever the step. Precondition: step is
/// not 0, extent is not negative.
[[nodiscard]] constexpr slice_range slice_places(std::int64_t start, std::int64_t end, std::int64_t step,
                                                 std::int64_t extent) {
  if (extent == 0) return {};
  auto const from_front = [&](std::int64_t at) { return at < 0 ? (at < -extent ? -1 : at + extent) : at; };
  bool const backwards = step < 0;
  std::int64_t const most = backwards ? extent - 1 : extent;
  std::int64_t const first = std::clamp(from_front(start), std::int64_t{0}, most);
  std::int64_t const last = std::clamp(from_front(end), std::int64_t{backwards ? -1 : 0}, most);
  std::int64_t const reach = backwards ? first - last : last - first;
  if (reach <= 0) return {};
  auto const stride = backwards ? -static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  return {first, static_cast<std::int64_t>((static_cast<std::uint64_t>(reach) - 1) / stride + 1)};
}

}  // namespace plait::detail
