// Resampling of one axis: nearest, linear or cubic interpolation, with ONNX's conventions of where places are.
//
// A filter has taps at the integer places around a position, at most support on either side, and its weights sum to
// one. Places outside the axis repeat the border, or have no weight.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/exec/detail/kernels/row_parts.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

enum class resample_filter : std::uint8_t { nearest, linear, cubic };

/// Positions in the source of the places of the result: ONNX's coordinate_transformation_mode.
enum class resample_places : std::uint8_t {
  half_pixel,              ///< (o + 1/2) / scale - 1/2
  half_pixel_symmetric,    ///< the same, centred if the extent was rounded down
  pytorch_half_pixel,      ///< half_pixel, but 0 for one place
  align_corners,           ///< o (in - 1) / (out - 1)
  asymmetric,              ///< o / scale
  half_pixel_for_nearest,  ///< (o + 1/2) / scale
  crop                     ///< from `first` to `last` of the axis; what is outside is extrapolated
};

enum class resample_rounding : std::uint8_t { prefer_floor, prefer_ceil, floor, ceil };

/// Filter and conventions. Trivially copyable, as kernels require.
struct resample_rule {
  resample_filter filter = resample_filter::nearest;
  resample_places places = resample_places::half_pixel;
  resample_rounding nearest = resample_rounding::prefer_floor;
  bool without_outside = false;  ///< places outside have no weight
  bool antialias = false;        ///< the filter widens where the extent shrinks
  float cubic = -0.75f;          ///< coefficient a of the cubic filter
  float outside = 0;             ///< of positions outside, for resample_places::crop
};

/// Extents of the axis, before and after.
struct resampled_axis {
  std::int64_t in = 0;
  std::int64_t out = 0;
  double scale = 1;
  double first = 0;
  double last = 1;
};

namespace detail {

/// Returns the position in the source of place `o` of the result.
PLAIT_HOST_DEVICE inline double resample_position(resampled_axis const& at, resample_places places, std::int64_t o) {
  auto const place = static_cast<double>(o);
  auto const in = static_cast<double>(at.in);
  auto const out = static_cast<double>(at.out);
  switch (places) {
    case resample_places::half_pixel_symmetric: {
      double const exact = in * at.scale;
      return in / 2 * (1 - out / exact) + (place + 0.5) / at.scale - 0.5;
    }
    case resample_places::pytorch_half_pixel:
      return at.out > 1 ? (place + 0.5) / at.scale - 0.5 : 0;
    case resample_places::align_corners:
      return at.out > 1 ? place * (in - 1) / (out - 1) : 0;
    case resample_places::asymmetric:
      return place / at.scale;
    case resample_places::half_pixel_for_nearest:
      return (place + 0.5) / at.scale;
    case resample_places::crop:
      return at.out > 1 ? at.first * (in - 1) + place * (at.last - at.first) * (in - 1) / (out - 1)
                        : 0.5 * (at.first + at.last) * (in - 1);
    default:
      return (place + 0.5) / at.scale - 0.5;
  }
}

PLAIT_HOST_DEVICE inline std::int64_t resample_nearest(double position, resample_rounding how) {
  switch (how) {
    case resample_rounding::prefer_floor:
      return static_cast<std::int64_t>(ceil(position - 0.5));
    case resample_rounding::prefer_ceil:
      return static_cast<std::int64_t>(floor(position + 0.5));
    case resample_rounding::floor:
      return static_cast<std::int64_t>(floor(position));
    default:
      return static_cast<std::int64_t>(ceil(position));
  }
}

/// Returns the filter's weight at a distance, before it is divided by the sum.
PLAIT_HOST_DEVICE inline double resample_weight(resample_rule const& rule, double distance) {
  double const d = distance < 0 ? -distance : distance;
  if (rule.filter == resample_filter::linear) return d < 1 ? 1 - d : 0;
  auto const a = static_cast<double>(rule.cubic);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

PLAIT_HOST_DEVICE constexpr std::int64_t resample_clamp(std::int64_t at, std::int64_t in) {
  return at < 0 ? 0 : at >= in ? in - 1 : at;
}

// Returns the distance at which the filter ends.
inline double resample_support(resampled_axis const& at, resample_rule const& rule) {
  double const support = rule.filter == resample_filter::cubic ? 2 : 1;
  return rule.antialias && at.scale < 1 ? support / at.scale : support;
}

// Computes the taps of a place of the result: consecutive places, none if it is outside.
template <class T>
struct find_taps {
  resampled_axis at;
  resample_rule rule;
  double support;
  std::size_t width;
  std::int64_t* first;
  std::int64_t* count;
  T* weights;
  PLAIT_HOST_DEVICE void operator()(std::size_t o) const {
    double const position = resample_position(at, rule.places, static_cast<std::int64_t>(o));
    if (rule.filter == resample_filter::nearest) {
      first[o] = resample_clamp(resample_nearest(position, rule.nearest), at.in);
      if (count == nullptr) return;
    }
    count[o] = 0;
    if (rule.places == resample_places::crop && (position < 0 || position > static_cast<double>(at.in - 1))) return;
    T* const to = weights + o * width;
    if (rule.filter == resample_filter::nearest) {
      count[o] = 1;
      to[0] = T(1);
      return;
    }
    auto begin = static_cast<std::int64_t>(floor(position - support)) + 1;
    auto end = static_cast<std::int64_t>(floor(position + support)) + 1;
    if (rule.without_outside) {
      begin = begin < 0 ? 0 : begin;
      end = end < at.in ? end : at.in;
    }
    double const shrink = rule.antialias && at.scale < 1 ? at.scale : 1;
    double sum = 0;
    for (std::int64_t k = begin; k < end; ++k)
      sum += resample_weight(rule, (static_cast<double>(k) - position) * shrink);
    for (std::int64_t k = begin; k < end; ++k)
      to[k - begin] = static_cast<T>(resample_weight(rule, (static_cast<double>(k) - position) * shrink) / sum);
    first[o] = begin;
    count[o] = end - begin;
  }
};

// A row is (outer, place of the result); its elements are those of the axes behind. Of the last axis, a row is (outer),
// and its elements are the places of the result.
template <class T>
struct nearest_row {
  T const* x;
  T* y;
  std::size_t inner;
  resampled_axis at;
  std::int64_t const* places;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const in = static_cast<std::size_t>(at.in);
    auto const out = static_cast<std::size_t>(at.out);
    if (inner == 1) {
      T const* const from = x + row * in;
      T* const to = y + row * out;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = from[places[i]];
    } else {
      T const* const from = x + ((row / out) * in + static_cast<std::size_t>(places[row % out])) * inner;
      T* const to = y + row * inner;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = from[i];
    }
  }
};

template <class T>
struct filtered_row {
  T const* x;
  T* y;
  std::size_t inner;
  find_taps<T> by;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const in = static_cast<std::size_t>(by.at.in);
    auto const out = static_cast<std::size_t>(by.at.out);
    if (inner == 1) {
      T const* const from = x + row * in;
      for (std::size_t o = first; o < last; ++o) {
        T sum = by.count[o] == 0 ? static_cast<T>(by.rule.outside) : T(0);
        for (std::int64_t k = 0; k < by.count[o]; ++k)
          sum +=
              by.weights[o * by.width + static_cast<std::size_t>(k)] * from[resample_clamp(by.first[o] + k, by.at.in)];
        y[row * out + o] = sum;
      }
      return;
    }
    std::size_t const o = row % out;
    T const* const from = x + (row / out) * in * inner;
    T* const to = y + row * inner;
    T const empty = by.count[o] == 0 ? static_cast<T>(by.rule.outside) : T(0);
    for (std::size_t i = first; i < last; ++i) to[i] = empty;
    for (std::int64_t k = 0; k < by.count[o]; ++k) {
      T const weight = by.weights[o * by.width + static_cast<std::size_t>(k)];
      T const* const tap = from + static_cast<std::size_t>(resample_clamp(by.first[o] + k, by.at.in)) * inner;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] += weight * tap[i];
    }
  }
};

// Returns the number of weights that a place of the result has room for.
inline std::size_t resample_width(resampled_axis const& at, resample_rule const& rule) {
  return static_cast<std::size_t>(std::ceil(2 * resample_support(at, rule)));
}

}  // namespace detail

/// Returns the bytes of scratch memory that resample() needs.
inline std::size_t resample_scratch(resampled_axis const& at, resample_rule const& rule) {
  return static_cast<std::size_t>(at.out) * (2 + detail::resample_width(at, rule)) * sizeof(std::int64_t);
}

/// Resamples the middle axis of x, [outer, in, inner], to y, [outer, out, inner]. T is the element type or, for the
/// nearest place without resample_places::crop, a word of its size.
template <backend B, class T>
void resample(T const* x, T* y, std::size_t outer, std::size_t inner, resampled_axis const& at,
              resample_rule const& rule, void* scratch) {
  auto const out = static_cast<std::size_t>(at.out);
  std::size_t const rows = inner == 1 ? outer : outer * out;
  std::size_t const width = inner == 1 ? out : inner;
  auto* const first = static_cast<std::int64_t*>(scratch);
  using weight = std::conditional_t<std::floating_point<T>, T, float>;
  detail::find_taps<weight> by = {
      at, rule, detail::resample_support(at, rule), detail::resample_width(at, rule), first, nullptr, nullptr};
  if (rule.filter == resample_filter::nearest && rule.places != resample_places::crop) {
    for_each_index<B>(out, by);
    for_each_row_part<B>(rows, width, 1, detail::nearest_row<T>{x, y, inner, at, first});
  } else if constexpr (std::floating_point<T>) {
    by.count = first + out;
    by.weights = reinterpret_cast<T*>(first + 2 * out);
    for_each_index<B>(out, by);
    for_each_row_part<B>(rows, width, 2 * by.width, detail::filtered_row<T>{x, y, inner, by});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
