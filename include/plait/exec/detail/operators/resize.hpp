// Resize: interpolation along any axes, nearest, linear or cubic.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/resample.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns the enumerator whose name an argument has.
template <class Enum, std::size_t N>
Enum named_choice(op_arguments const& a, std::string_view argument,
                  std::pair<std::string_view, Enum> const (&names)[N]) {
  std::string list;
  for (auto const& [name, value] : names) {
    if (a.text(argument) == name) return value;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  a.fail(argument, "must be one of " + list);
}

}  // namespace detail

/// Resize: inputs X, [extents of int64 or factors of float, unless arguments].
///
/// Axes are interpolated one after the other; those whose places stay as they are are left out.
template <backend B>
class resize_kernel final : public op_kernel<B> {
 public:
  explicit resize_kernel(op_arguments const& a)
      : scales_(a.reals("scales")), sizes_(a.integers("sizes")), axes_(a.integers("axes")), region_(a.reals("roi")) {
    rule_.filter = detail::named_choice<resample_filter>(a, "mode",
                                                         {{"nearest", resample_filter::nearest},
                                                          {"linear", resample_filter::linear},
                                                          {"cubic", resample_filter::cubic}});
    rule_.places =
        detail::named_choice<resample_places>(a, "coordinate_transformation_mode",
                                              {{"half_pixel", resample_places::half_pixel},
                                               {"half_pixel_symmetric", resample_places::half_pixel_symmetric},
                                               {"pytorch_half_pixel", resample_places::pytorch_half_pixel},
                                               {"align_corners", resample_places::align_corners},
                                               {"asymmetric", resample_places::asymmetric},
                                               {"tf_half_pixel_for_nn", resample_places::half_pixel_for_nearest},
                                               {"tf_crop_and_resize", resample_places::crop}});
    rule_.nearest = detail::named_choice<resample_rounding>(a, "nearest_mode",
                                                            {{"round_prefer_floor", resample_rounding::prefer_floor},
                                                             {"round_prefer_ceil", resample_rounding::prefer_ceil},
                                                             {"floor", resample_rounding::floor},
                                                             {"ceil", resample_rounding::ceil}});
    policy_ = detail::named_choice<policies>(
        a, "keep_aspect_ratio_policy",
        {{"stretch", policies::stretch}, {"not_larger", policies::not_larger}, {"not_smaller", policies::not_smaller}});
    rule_.cubic = a.real("cubic_coeff_a");
    rule_.without_outside = a.flag("exclude_outside");
    rule_.antialias = a.flag("antialias") && rule_.filter != resample_filter::nearest;
    rule_.outside = a.real("extrapolation_value");
    if (static_cast<int>(a.has("scales")) + static_cast<int>(a.has("sizes")) + static_cast<int>(a.input_count() == 2) !=
        1)
      a.fail("scales", "or sizes or a second input must say the extents, one of them only");
    if (policy_ != policies::stretch && a.has("scales"))
      a.fail("keep_aspect_ratio_policy", "applies to sizes, not to scales");
  }

  void infer(shape_context& c) override {
    bool const moves = rule_.filter == resample_filter::nearest && rule_.places != resample_places::crop;
    if (!moves) c.expect_type<float, double>(0);
    if (c.input_count() == 2) {
      c.expect_rank(1, 1, 1);
      scales_.clear();
      sizes_.clear();
      if (c.type(1) == element_type::float32)
        scales_ = c.elements<float>(1);
      else
        c.integers(1, sizes_);
    }
    shape made = c.dims(0);
    std::size_t const count = axes_.empty() ? made.rank() : axes_.size();
    if ((scales_.empty() ? sizes_.size() : scales_.size()) != count)
      c.fail(std::to_string(scales_.empty() ? sizes_.size() : scales_.size()) + " factors or extents are given for " +
             std::to_string(count) + " axes of " + to_string(c.input(0)));
    if (rule_.places == resample_places::crop && region_.size() != 2 * count)
      c.fail(std::to_string(region_.size()) + " bounds of a region are given for " + std::to_string(count) + " axes");
    steps_.clear();
    std::array<bool, shape::max_rank> seen = {};
    for (std::size_t k = 0; k != count; ++k) {
      std::size_t const axis = axes_.empty() ? k : c.axis(0, axes_[k]);
      if (seen[axis]) c.fail("axis " + std::to_string(axis) + " is resized twice");
      seen[axis] = true;
      resampled_axis at;
      at.in = made[axis];
      if (scales_.empty()) {
        at.out = sizes_[k];
        if (at.out < 0) c.fail("an extent of axis " + std::to_string(axis) + " is negative");
        if (policy_ != policies::stretch) keep_ratio(c, at);
        if (at.in != 0 && policy_ == policies::stretch)
          at.scale = static_cast<double>(at.out) / static_cast<double>(at.in);
      } else {
        at.scale = static_cast<double>(scales_[k]);
        auto const out =
            static_cast<double>(std::floor(static_cast<float>(at.in) * scales_[k]));  // in float, as ONNX Runtime
        if (!(at.scale > 0) || !(out < 0x1p31))
          c.fail("a factor of axis " + std::to_string(axis) + " is not above 0 or very large");
        at.out = static_cast<std::int64_t>(out);
        // The standard takes the fractional extent for the corners, ONNX Runtime and PyTorch the whole one.
        if (rule_.places == resample_places::align_corners &&
            static_cast<float>(at.in) * scales_[k] != static_cast<float>(at.out))
          c.fail("a factor of axis " + std::to_string(axis) +
                 " gives no integral extent, between whose corners to interpolate");
      }
      c.expect(at.in > 0 || at.out == 0, 0, "have places in axis ", axis, " to interpolate");
      if (at.in > detail::largest_extent || at.out > detail::largest_extent)
        c.fail("an extent of axis " + std::to_string(axis) + " is very large");
      if (rule_.places == resample_places::crop) {
        at.first = static_cast<double>(region_[k]);
        at.last = static_cast<double>(region_[k + count]);
      }
      if (at.out == at.in && at.scale == 1 && rule_.places != resample_places::crop &&
          rule_.places != resample_places::half_pixel_for_nearest)
        continue;
      steps_.push_back({axis, at});
      made.set(axis, at.out);
    }
    std::ranges::sort(steps_, {}, [](step const& each) { return growth(each); });
    c.output(0, c.type(0), made);
    // The taps of a step, then the results of all steps but the last, one after the other.
    taps_ = 0;
    for (step const& each : steps_) taps_ = std::max(taps_, resample_scratch(each.at, rule_));
    std::size_t bytes = taps_;
    shape dims = c.dims(0);
    for (std::size_t k = 0; k + 1 < steps_.size(); ++k) {
      dims.set(steps_[k].axis, steps_[k].at.out);
      bytes += static_cast<std::size_t>(dims.size()) * size_of(c.type(0));
    }
    c.scratch(bytes);
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    if (steps_.empty()) return B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
    if (rule_.filter == resample_filter::nearest && rule_.places != resample_places::crop)
      visit_word(c.type(0), [&]<class T>(T) {
        run_as<T>(c, static_cast<T const*>(c.raw_input(0)), static_cast<T*>(c.raw_output(0)));
      });
    else
      visit_type<float, double>(c.type(0),
                                [&]<class T>(T) { run_as<T>(c, c.template input<T>(0), c.template output<T>(0)); });
  }

 private:
  enum class policies : std::uint8_t { stretch, not_larger, not_smaller };
  struct step {
    std::size_t axis;
    resampled_axis at;
  };
  // The axes whose extents shrink most come first, so that least is computed.
  static double growth(step const& each) {
    return each.at.in == 0 ? 0 : static_cast<double>(each.at.out) / static_cast<double>(each.at.in);
  }

  // Sets the extent and the factor by the smallest, or the largest, factor of all axes.
  void keep_ratio(shape_context const& c, resampled_axis& at) const {
    double factor = policy_ == policies::not_larger ? HUGE_VAL : 0;
    for (std::size_t k = 0; k != sizes_.size(); ++k) {
      auto const in = static_cast<double>(c.dims(0)[axes_.empty() ? k : c.axis(0, axes_[k])]);
      double const own = static_cast<double>(sizes_[k]) / in;
      factor = policy_ == policies::not_larger ? std::min(factor, own) : std::max(factor, own);
    }
    double const out = std::floor(factor * static_cast<double>(at.in) + 0.5);
    if (!(out >= 0 && out < 0x1p31)) c.fail("the extents cannot keep the ratio of " + to_string(c.input(0)));
    at.scale = factor;
    at.out = static_cast<std::int64_t>(out);
  }

  template <class T>
  void run_as(op_context<B>& c, T const* x, T* y) const {
    shape dims = c.dims(0);
    auto* const taps = static_cast<std::byte*>(c.scratch());
    auto* room = reinterpret_cast<T*>(taps + taps_);
    for (std::size_t k = 0; k != steps_.size(); ++k) {
      auto const [axis, at] = steps_[k];
      auto const outer = static_cast<std::size_t>(dims.size_to(axis));
      auto const inner = static_cast<std::size_t>(dims.size_from(axis + 1));
      dims.set(axis, at.out);
      T* const to = k + 1 == steps_.size() ? y : std::exchange(room, room + dims.size());
      resample<B>(x, to, outer, inner, at, rule_, taps);
      x = to;
    }
  }

  std::vector<float> scales_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> axes_;
  std::vector<float> region_;
  policies policy_ = policies::stretch;
  resample_rule rule_;
  std::vector<step> steps_;
  std::size_t taps_ = 0;  ///< bytes
};

/// Resize: any element type to the nearest place; float and double otherwise.
template <backend B>
void add_resize_operators(operators<B>& table) {
  table.template add<resize_kernel>(
      op_schema("Resize")
          .inputs(1, 2)
          .outputs(1)
          .shape_from(1)
          .checks_first()
          .argument("scales", std::vector<float>(), "the factor of each axis; extents are rounded down")
          .argument("sizes", std::vector<std::int64_t>(), "the new extent of each axis")
          .argument("axes", std::vector<std::int64_t>(), "the axes that are resized; all if empty")
          .argument("mode", std::string("nearest"), "nearest, linear or cubic")
          .argument("coordinate_transformation_mode", std::string("half_pixel"),
                    "where places of Y are in X, as in ONNX: half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
                    "align_corners, asymmetric, tf_half_pixel_for_nn or tf_crop_and_resize")
          .argument("nearest_mode", std::string("round_prefer_floor"),
                    "which place is the nearest: round_prefer_floor, round_prefer_ceil, floor or ceil")
          .argument(
              "keep_aspect_ratio_policy", std::string("stretch"),
              "stretch; not_larger or not_smaller: one factor for all axes, so that no extent is above, or below, "
              "its size")
          .argument("cubic_coeff_a", -0.75f, "the coefficient of cubic interpolation")
          .argument("exclude_outside", std::int64_t{0},
                    "whether places outside have no weight; else the border repeats")
          .argument("antialias", std::int64_t{0}, "whether the filter widens where the extent shrinks")
          .argument("roi", std::vector<float>(),
                    "of tf_crop_and_resize: where each axis begins, then where it ends, from 0 to 1")
          .argument("extrapolation_value", 0.0f, "of places outside with tf_crop_and_resize")
          .without_caffe2_schema()
          .describe("Y = X interpolated to other extents (inputs X, [extents of integers or factors of float])"));
}

}  // namespace plait

PLAIT_KERNELS_END
