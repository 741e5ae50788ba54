// RoIAlignGradient: the gradient of the image of RoIAlign.
#pragma once

#include <cstddef>

#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/roi_align.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Task: computes up to Width channels of an image, over all its regions in order; 1 on devices.
template <class T, std::size_t Width, class Rule>
struct aligned_image_gradient {
  T const* rois;
  T const* dy;
  T* dx;
  Rule rule;
  std::size_t blocks;  ///< of channels

  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const image = task / blocks;
    std::size_t const first = task % blocks * Width;
    std::size_t const count = rule.channels - first < Width ? rule.channels - first : Width;
    std::size_t const step = rule.channel_step(rule.places());
    T* const to = dx + image * rule.channels * rule.places() + first * step;
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t place = 0; place < rule.places(); ++place) to[c * step + place * rule.place_step()] = 0;
    if (rule.bins() == 0) return;
    for (std::size_t region = 0; region < rule.regions; ++region) {
      auto const at = rule.bins_of(rois + region * rule.columns);
      if (at.image == image) add_region(at, region, first, count, to);
    }
  }

 private:
  template <class Bins>
  PLAIT_HOST_DEVICE void add_region(Bins const& at, std::size_t region, std::size_t first, std::size_t count,
                                    T* to) const {
    std::size_t const bins = rule.bins();
    std::size_t const step = rule.channel_step(rule.places());
    std::size_t const dy_step = rule.channel_step(bins);
    T const* const from = dy + region * rule.channels * bins + first * dy_step;
    T const mean = 1 / static_cast<T>(at.vertical.samples * at.horizontal.samples);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      T const* const of_bin = from + bin * rule.place_step();
      for_each_sample(rule, at, bin / rule.bins_wide, bin % rule.bins_wide, [&](std::size_t place, T weight) {
        T* const of_place = to + place * rule.place_step();
        for (std::size_t c = 0; c < count; ++c) of_place[c * step] += weight * mean * of_bin[c * dy_step];
      });
    }
  }
};

}  // namespace detail

/// RoIAlignGradient and RoIAlignRotatedGradient, by Rule: inputs X, RoIs, dY.
template <backend B, class Rule = detail::roi_align_rule>
class roi_align_gradient_kernel final : public op_kernel<B> {
 public:
  explicit roi_align_gradient_kernel(op_arguments const& a) : rule_(a) {}
  void infer(shape_context& c) override {
    shape const y = rule_.infer(c);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == y, 2, "be ", y, ", as the output is");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    constexpr std::size_t width = B::on_device ? 1 : 8;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const rois = c.template input<T>(1);
      detail::check_regions<B>(rule_, rois);
      if (c.output_size(0) == 0) return;
      std::size_t const blocks = (rule_.channels + width - 1) / width;
      for_each_row<B>(rule_.images * blocks, width * (rule_.places() + 16 * rule_.regions * rule_.bins()),
                      detail::aligned_image_gradient<T, width, Rule>{rois, c.template input<T>(2),
                                                                     c.template output<T>(0), rule_, blocks});
    });
  }

 private:
  Rule rule_;
};

/// RoIAlignGradient: float and double.
template <backend B>
void add_roi_align_gradient_operators(operators<B>& table) {
  auto schema = op_schema("RoIAlignGradient").inputs(3).describe("dX of RoIAlign (inputs X, RoIs, dY)");
  table.template add<roi_align_gradient_kernel<B>>(detail::describe_roi_align(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
