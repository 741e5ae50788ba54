// Axis-aligned boxes of object detection: regression, clipping to an image, intersection over union.
//
// A box is its corners x1, y1, x2, y2. If `plus_one` is 1, x2 and y2 are its last pixels, so that it is x2 - x1 + 1
// wide, as in Detectron; if it is 0, they are its edges.
#pragma once

#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

template <class T>
struct box {
  T x1 = 0;
  T y1 = 0;
  T x2 = 0;
  T y2 = 0;

  PLAIT_HOST_DEVICE static constexpr box at(T const* corners) {
    return {corners[0], corners[1], corners[2], corners[3]};
  }
  PLAIT_HOST_DEVICE constexpr void store(T* corners) const {
    corners[0] = x1;
    corners[1] = y1;
    corners[2] = x2;
    corners[3] = y2;
  }
  PLAIT_HOST_DEVICE constexpr T width(T plus_one) const { return x2 - x1 + plus_one; }
  PLAIT_HOST_DEVICE constexpr T height(T plus_one) const { return y2 - y1 + plus_one; }
  PLAIT_HOST_DEVICE constexpr T area(T plus_one) const { return width(plus_one) * height(plus_one); }
  PLAIT_HOST_DEVICE constexpr box scaled(T factor) const {
    return {x1 * factor, y1 * factor, x2 * factor, y2 * factor};
  }
};

/// Returns `x` limited to [0, most], which is 0 if `most` is negative; NaN stays NaN.
template <class T>
PLAIT_HOST_DEVICE constexpr T clip_coordinate(T x, T most) {
  T const below = x > most ? most : x;
  return below < 0 ? T(0) : below;
}

/// Returns the box inside an image.
template <class T>
PLAIT_HOST_DEVICE constexpr box<T> clip(box<T> const& b, T width, T height, T plus_one) {
  T const right = width - plus_one;
  T const bottom = height - plus_one;
  return {clip_coordinate(b.x1, right), clip_coordinate(b.y1, bottom), clip_coordinate(b.x2, right),
          clip_coordinate(b.y2, bottom)};
}

/// Returns exp(x), for x up to log(1000 / 16), so that no box grows out of bounds.
template <class T>
PLAIT_HOST_DEVICE constexpr T growth(T x) {
  constexpr auto most = static_cast<T>(4.135166556742356);
  return math::exp(x > most ? most : x);
}

/// Returns a box moved by dx, dy in units of its size, and scaled by exp(dw), exp(dh) about its centre.
template <class T>
PLAIT_HOST_DEVICE constexpr box<T> regress(box<T> const& b, T dx, T dy, T dw, T dh, T plus_one) {
  T const width = b.width(plus_one);
  T const height = b.height(plus_one);
  T const x = dx * width + (b.x1 + T(0.5) * width);
  T const y = dy * height + (b.y1 + T(0.5) * height);
  T const half_width = T(0.5) * (growth(dw) * width);
  T const half_height = T(0.5) * (growth(dh) * height);
  return {x - half_width, y - half_height, x + half_width - plus_one, y + half_height - plus_one};
}

/// Returns the intersection of two boxes over their union; NaN for two empty ones.
template <class T>
constexpr T overlap(box<T> const& a, box<T> const& b, T plus_one) {
  box<T> const common{a.x1 > b.x1 ? a.x1 : b.x1, a.y1 > b.y1 ? a.y1 : b.y1, a.x2 < b.x2 ? a.x2 : b.x2,
                      a.y2 < b.y2 ? a.y2 : b.y2};
  T const width = common.width(plus_one);
  T const height = common.height(plus_one);
  T const both = width > 0 && height > 0 ? width * height : T(0);
  return both / (a.area(plus_one) + b.area(plus_one) - both);
}

}  // namespace plait::detail

PLAIT_KERNELS_END
