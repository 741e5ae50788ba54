// RoIAlignRotated and its gradient: RoIAlign for rotated regions of interest.
//
// After J. Ma et al., "Arbitrary-Oriented Scene Text Detection via Rotation Proposals", IEEE Transactions on Multimedia
// 20 (2018).
#pragma once

#include <cmath>
#include <cstddef>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/roi_align.hpp>
#include <plait/exec/detail/operators/roi_align_gradient.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Bins of a rotated region, whose axes are relative to its centre.
template <class T>
struct rotated_bins {
  std::size_t image;
  sampled_axis<T> vertical;
  sampled_axis<T> horizontal;
  T x;
  T y;
  T cosine;
  T sine;
};

/// Like roi_align_rule, for regions that are centre x, y, width, height, and the counter-clockwise angle in degrees.
struct rotated_align_rule : roi_align_rule {
  explicit rotated_align_rule(op_arguments const& a) : roi_align_rule(a) { numbers = 5; }

  template <class T>
  PLAIT_HOST_DEVICE rotated_bins<T> bins_of(T const* row) const {
    T const* const region = row + (columns - numbers);
    T const angle = region[4] * static_cast<T>(0.017453292519943295);
    return {image_of(row),       centred(region[3], bins_high), centred(region[2], bins_wide),
            start_of(region[0]), start_of(region[1]),           std::cos(angle),
            std::sin(angle)};
  }
  /// Returns true if a row has bins: it names an image, and is numbers, without negative sizes if regions are aligned.
  template <class T>
  PLAIT_HOST_DEVICE bool is_valid(T const* row) const {
    T const* const region = row + (columns - numbers);
    T const others = start_of(region[0]) + start_of(region[1]) + region[4];
    return has_image(row) && others - others == 0 && has_samples(T(0), region[2] * static_cast<T>(scale), bins_wide) &&
           has_samples(T(0), region[3] * static_cast<T>(scale), bins_high);
  }

 private:
  template <class T>
  PLAIT_HOST_DEVICE sampled_axis<T> centred(T size, std::size_t count) const {
    T const scaled = length(T(0), size * static_cast<T>(scale));
    return axis(-scaled / 2, scaled / 2, count);
  }
};

/// Calls f(place, weight) for the places around each sample of a bin.
template <class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void for_each_sample(rotated_align_rule const& rule,
                                                                  rotated_bins<T> const& at, std::size_t row,
                                                                  std::size_t column, F const& f) {
  neighbours<T> y;
  neighbours<T> x;
  for (std::size_t i = 0; i < at.vertical.samples; ++i) {
    T const down = at.vertical.position(row, i);
    for (std::size_t k = 0; k < at.horizontal.samples; ++k) {
      T const right = at.horizontal.position(column, k);
      if (y.find(down * at.cosine - right * at.sine + at.y, rule.height) &&
          x.find(right * at.cosine + down * at.sine + at.x, rule.width))
        for_each_neighbour(y, x, rule.width, f);
    }
  }
}

}  // namespace detail

/// RoIAlignRotated, RoIAlignRotatedGradient: float and double.
template <backend B>
void add_rotated_roi_align_operators(operators<B>& table) {
  auto forward = op_schema("RoIAlignRotated")
                     .inputs(2)
                     .describe(
                         "RoIAlign of rotated regions (image, centre x and y, width, height, angle in degrees, "
                         "counter-clockwise; without the image, of the first)");
  table.template add<roi_align_kernel<B, detail::rotated_align_rule>>(detail::describe_roi_align(forward));
  auto backward = op_schema("RoIAlignRotatedGradient").inputs(3).describe("dX of RoIAlignRotated (inputs X, RoIs, dY)");
  table.template add<roi_align_gradient_kernel<B, detail::rotated_align_rule>>(detail::describe_roi_align(backward));
}

}  // namespace plait

PLAIT_KERNELS_END
