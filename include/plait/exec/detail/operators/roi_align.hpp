// RoIAlign: features of regions of interest, by bilinear interpolation of an image.
//
// After K. He, G. Gkioxari, P. Dollár, R. Girshick, "Mask R-CNN", ICCV 2017.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/channel_arguments.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Two neighbouring places of an axis, and their weights, which interpolate between them.
template <class T>
struct neighbours {
  std::size_t low = 0;
  std::size_t high = 0;
  T low_weight = 0;
  T high_weight = 0;

  /// Sets those of a position in an axis with this extent. Returns false if it is more than a place outside.
  PLAIT_HOST_DEVICE bool find(T at, std::size_t extent) {
    if (!(at >= -1 && at <= static_cast<T>(extent)) || extent == 0) return false;
    if (at < 0) at = 0;
    low = static_cast<std::size_t>(at);
    high = low + 1;
    if (high >= extent) {
      low = high = extent - 1;
      at = static_cast<T>(low);
    }
    high_weight = at - static_cast<T>(low);
    low_weight = 1 - high_weight;
    return true;
  }
};

/// Axis of a region: its bins and the samples of each.
template <class T>
struct sampled_axis {
  T start;
  T bin;
  std::size_t samples;  ///< of a bin

  PLAIT_HOST_DEVICE T position(std::size_t of_bin, std::size_t sample) const {
    return start + static_cast<T>(of_bin) * bin + (static_cast<T>(sample) + T(0.5)) * bin / static_cast<T>(samples);
  }
};

/// Bins of a region.
template <class T>
struct region_bins {
  std::size_t image;
  sampled_axis<T> vertical;
  sampled_axis<T> horizontal;
};

/// Arguments and extents of RoIAlign and its gradient. Trivially copyable, as kernels require.
struct roi_align_rule {
  static constexpr std::size_t most_samples = std::size_t{1} << 15;  ///< along an axis of a bin

  float scale;
  std::size_t bins_high;
  std::size_t bins_wide;
  std::size_t samples;  ///< along an axis of a bin; 0: one per place
  bool aligned;
  bool last;
  std::size_t images = 0;
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t regions = 0;
  std::size_t columns = 5;  ///< of a row of regions
  std::size_t numbers = 4;  ///< the last of these columns

  explicit roi_align_rule(op_arguments const& a)
      : scale(a.real("spatial_scale")),
        bins_high(extent(a, "pooled_h")),
        bins_wide(extent(a, "pooled_w")),
        samples(a.integer("sampling_ratio") > 0 ? static_cast<std::size_t>(a.integer("sampling_ratio")) : 0),
        aligned(a.flag("aligned")),
        last(channels_are_last(a)) {
    if (samples > most_samples) a.fail("sampling_ratio", "is above " + std::to_string(most_samples));
  }
  /// Sets the extents for inputs X and RoIs, the first inputs. Returns the shape of Y.
  shape infer(shape_context const& c) {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect_rank(0, 4, 4);
    c.expect_rank(1, 2, 2);
    shape made = c.dims(0);
    auto const at = [&](std::size_t axis) { return static_cast<std::size_t>(made[axis]); };
    images = at(0);
    channels = at(last ? 3 : 1);
    height = at(last ? 1 : 2);
    width = at(last ? 2 : 3);
    regions = static_cast<std::size_t>(c.dims(1)[0]);
    columns = static_cast<std::size_t>(c.dims(1)[1]);
    c.expect(columns == numbers || columns == numbers + 1, 1, "have ", numbers + 1,
             " columns, of which the first is the image, or the last ", numbers);
    made.set(0, c.dims(1)[0]);
    made.set(last ? 1 : 2, static_cast<std::int64_t>(bins_high));
    made.set(last ? 2 : 3, static_cast<std::int64_t>(bins_wide));
    return made;
  }
  /// Returns the distance of channels in X if `places` is the number of its places, or in Y if that of bins.
  PLAIT_HOST_DEVICE std::size_t channel_step(std::size_t places) const { return last ? 1 : places; }
  PLAIT_HOST_DEVICE std::size_t place_step() const { return last ? channels : 1; }
  PLAIT_HOST_DEVICE std::size_t bins() const { return bins_high * bins_wide; }
  PLAIT_HOST_DEVICE std::size_t places() const { return height * width; }

  /// Returns the bins of a row of regions.
  template <class T>
  PLAIT_HOST_DEVICE region_bins<T> bins_of(T const* row) const {
    T const* const corners = row + (columns - numbers);
    return {image_of(row), axis(start_of(corners[1]), start_of(corners[3]), bins_high),
            axis(start_of(corners[0]), start_of(corners[2]), bins_wide)};
  }
  /// Returns true if a row has bins: it names an image, and its corners are numbers, in order if regions are aligned.
  template <class T>
  PLAIT_HOST_DEVICE bool is_valid(T const* row) const {
    T const* const corners = row + (columns - numbers);
    return has_image(row) && has_samples(start_of(corners[0]), start_of(corners[2]), bins_wide) &&
           has_samples(start_of(corners[1]), start_of(corners[3]), bins_high);
  }

 protected:
  template <class T>
  PLAIT_HOST_DEVICE std::size_t image_of(T const* row) const {
    return columns == numbers ? 0 : static_cast<std::size_t>(row[0]);
  }
  template <class T>
  PLAIT_HOST_DEVICE bool has_image(T const* row) const {
    return columns == numbers || (row[0] >= 0 && row[0] < static_cast<T>(images));
  }
  template <class T>
  PLAIT_HOST_DEVICE T start_of(T x) const {
    return x * static_cast<T>(scale) - (aligned ? T(0.5) : T(0));
  }
  // Returns the length of an axis of a region.
  template <class T>
  PLAIT_HOST_DEVICE T length(T from, T to) const {
    return aligned || to - from > 1 ? to - from : T(1);
  }
  template <class T>
  PLAIT_HOST_DEVICE sampled_axis<T> axis(T from, T to, std::size_t count) const {
    T const bin = length(from, to) / static_cast<T>(count);
    return {from, bin, samples != 0 ? samples : static_cast<std::size_t>(std::ceil(bin))};
  }
  template <class T>
  PLAIT_HOST_DEVICE bool has_samples(T from, T to, std::size_t count) const {
    T const size = to - from;
    bool const finite = from - from == 0 && size - size == 0;
    if (!finite || (aligned && size < 0)) return false;
    return samples != 0 || size <= static_cast<T>(most_samples) * static_cast<T>(count);
  }

 private:
  static std::size_t extent(op_arguments const& a, std::string_view name) {
    std::int64_t const bins = a.integer(name);
    if (bins < 0 || bins > 1 << 15) a.fail(name, "is not from 0 to 32768");
    return static_cast<std::size_t>(bins);
  }
};

template <class T, class Rule>
struct is_invalid_region {
  T const* rois;
  Rule rule;
  PLAIT_HOST_DEVICE bool operator()(std::size_t region) const { return !rule.is_valid(rois + region * rule.columns); }
};

/// Throws shape_error unless every region has bins.
template <backend B, class T, class Rule>
void check_regions(Rule const& rule, T const* rois) {
  if (rule.bins() == 0) return;
  std::size_t const wrong = find_index<B>(rule.regions, is_invalid_region<T, Rule>{rois, rule});
  if (wrong != rule.regions)
    op_context<B>::fail("region " + std::to_string(wrong) + " should name one of " + std::to_string(rule.images) +
                        " images and have finite corners of moderate size, in order if 'aligned' is set");
}

/// Calls f(place, weight) for the four places around a sample.
template <class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void for_each_neighbour(neighbours<T> const& y, neighbours<T> const& x,
                                                                     std::size_t width, F const& f) {
  f(y.low * width + x.low, y.low_weight * x.low_weight);
  f(y.low * width + x.high, y.low_weight * x.high_weight);
  f(y.high * width + x.low, y.high_weight * x.low_weight);
  f(y.high * width + x.high, y.high_weight * x.high_weight);
}

/// Calls f(place, weight) for the places around each sample of a bin.
template <class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void for_each_sample(roi_align_rule const& rule, region_bins<T> const& at,
                                                                  std::size_t row, std::size_t column, F const& f) {
  neighbours<T> y;
  neighbours<T> x;
  for (std::size_t i = 0; i < at.vertical.samples; ++i) {
    if (!y.find(at.vertical.position(row, i), rule.height)) continue;
    for (std::size_t k = 0; k < at.horizontal.samples; ++k)
      if (x.find(at.horizontal.position(column, k), rule.width)) for_each_neighbour(y, x, rule.width, f);
  }
}

// Task: computes up to Width channels of a bin; 1 on devices.
template <class T, std::size_t Width, class Rule>
struct aligned_bin {
  T const* x;
  T const* rois;
  T* y;
  Rule rule;
  std::size_t blocks;  ///< of channels

  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const bins = rule.bins();
    std::size_t const bin = task % bins;
    std::size_t const first = task / bins % blocks * Width;
    std::size_t const region = task / bins / blocks;
    std::size_t const count = rule.channels - first < Width ? rule.channels - first : Width;
    auto const at = rule.bins_of(rois + region * rule.columns);
    std::size_t const step = rule.channel_step(rule.places());
    T const* const from = x + at.image * rule.channels * rule.places() + first * step;
    T sums[Width];
    for (std::size_t c = 0; c < count; ++c) sums[c] = 0;
    for_each_sample(rule, at, bin / rule.bins_wide, bin % rule.bins_wide, [&](std::size_t place, T weight) {
      T const* const of_place = from + place * rule.place_step();
      for (std::size_t c = 0; c < count; ++c) sums[c] += weight * of_place[c * step];
    });
    T const mean = 1 / static_cast<T>(at.vertical.samples * at.horizontal.samples);
    std::size_t const y_step = rule.channel_step(bins);
    T* const to = y + region * rule.channels * bins + first * y_step + bin * rule.place_step();
    for (std::size_t c = 0; c < count; ++c) to[c * y_step] = sums[c] * mean;
  }
};

}  // namespace detail

/// RoIAlign and RoIAlignRotated, by Rule: inputs X, RoIs.
template <backend B, class Rule = detail::roi_align_rule>
class roi_align_kernel final : public op_kernel<B> {
 public:
  explicit roi_align_kernel(op_arguments const& a) : rule_(a) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), rule_.infer(c)); }
  void run(op_context<B>& c) override {
    constexpr std::size_t width = B::on_device ? 1 : 16;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const rois = c.template input<T>(1);
      detail::check_regions<B>(rule_, rois);
      std::size_t const blocks = (rule_.channels + width - 1) / width;
      for_each_row<B>(
          rule_.regions * blocks * rule_.bins(), 16 * width,
          detail::aligned_bin<T, width, Rule>{c.template input<T>(0), rois, c.template output<T>(0), rule_, blocks});
    });
  }

 private:
  Rule rule_;
};

namespace detail {

inline op_schema& describe_roi_align(op_schema& made) {
  return made.outputs(1)
      .checks_first()
      .argument("spatial_scale", 1.0f, "places of X per unit of the regions' corners")
      .argument("pooled_h", std::int64_t{1}, "height of the result")
      .argument("pooled_w", std::int64_t{1}, "width of the result")
      .argument("sampling_ratio", std::int64_t{-1},
                "samples of a bin along each axis; if not positive, its extent in places, rounded up")
      .argument("aligned", std::int64_t{0}, "whether corners are half a place less, and regions may be small")
      .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
      .no_doubles_in_caffe2();
}

}  // namespace detail

/// RoIAlign: float and double.
template <backend B>
void add_roi_align_operators(operators<B>& table) {
  auto schema = op_schema("RoIAlign")
                    .inputs(2)
                    .describe(
                        "Y (regions×C×pooled_h×pooled_w) = the mean of samples of X in each bin of each region (image, "
                        "x1, y1, x2, y2; "
                        "without the image, of the first), interpolated between places");
  table.template add<roi_align_kernel<B>>(detail::describe_roi_align(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
