// ResizeNearest and its gradient: nearest-neighbour interpolation of images.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/channel_arguments.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// One axis: element o of the result is element min(o / scale, in - 1) of the image, rounded down.
struct resized_axis {
  std::size_t in = 0;
  std::size_t out = 0;
  float scale = 1;
  PLAIT_HOST_DEVICE std::size_t source(std::size_t o) const {
    auto const at = static_cast<std::size_t>(static_cast<float>(o) / scale);
    return at < in ? at : in - 1;
  }
  // Returns the first element of the result whose source is at least `i`.
  PLAIT_HOST_DEVICE std::size_t first(std::size_t i) const {
    std::size_t low = 0;
    std::size_t high = out;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (source(middle) < i)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Extents of ResizeNearest: planes of height × width × channels, with one channel if these come first.
struct resized_image {
  float height_scale;
  float width_scale;
  bool last;
  std::size_t planes = 0;
  std::size_t channels = 1;
  resized_axis height = {};
  resized_axis width = {};

  explicit resized_image(op_arguments const& a)
      : height_scale(a.real("height_scale")), width_scale(a.real("width_scale")), last(channels_are_last(a)) {
    if (!(height_scale > 0)) a.fail("height_scale", "is not above 0");
    if (!(width_scale > 0)) a.fail("width_scale", "is not above 0");
  }
  /// Computes the extents for input `i`. Returns the shape of the result.
  shape infer(shape_context const& c, std::size_t i) {
    c.expect_type<float, double>(i);
    c.expect_rank(i, 4, 4);
    shape made = c.dims(i);
    std::size_t const first = last ? 1 : 2;
    auto const resize = [&](std::size_t axis, float scale) -> resized_axis {
      auto const in = static_cast<double>(made[axis]);
      double const out = in * static_cast<double>(scale);
      c.expect(out < 0x1p31, i, "have fewer places in axis ", axis);
      resized_axis const at{static_cast<std::size_t>(made[axis]), static_cast<std::size_t>(out), scale};
      made.set(axis, static_cast<std::int64_t>(at.out));
      return at;
    };
    height = resize(first, height_scale);
    width = resize(first + 1, width_scale);
    planes = static_cast<std::size_t>(last ? made[0] : made[0] * made[1]);
    channels = last ? static_cast<std::size_t>(made[3]) : 1;
    return made;
  }
};

// Computes a line of the result.
template <class T>
struct resized_line {
  T const* x;
  T* y;
  resized_axis height;
  resized_axis width;
  std::size_t channels;
  PLAIT_HOST_DEVICE void operator()(std::size_t line, std::size_t first, std::size_t last) const {
    std::size_t const plane = line / height.out;
    T const* const from = x + (plane * height.in + height.source(line % height.out)) * width.in * channels;
    T* const to = y + line * width.out * channels;
    for (std::size_t i = first; i < last; ++i)
      to[i] = channels == 1 ? from[width.source(i)] : from[width.source(i / channels) * channels + i % channels];
  }
};
// Computes a line of the image's gradient: each element is the sum over its copies, in order.
template <class T>
struct resized_line_gradient {
  T const* dy;
  T* dx;
  resized_axis height;
  resized_axis width;
  std::size_t channels;
  PLAIT_HOST_DEVICE void operator()(std::size_t line, std::size_t first, std::size_t last) const {
    std::size_t const plane = line / height.in;
    std::size_t const top = height.first(line % height.in);
    std::size_t const bottom = height.first(line % height.in + 1);
    T* const to = dx + line * width.in * channels;
    for (std::size_t i = first; i < last; ++i) {
      std::size_t const left = width.first(i / channels);
      std::size_t const right = width.first(i / channels + 1);
      T sum = 0;
      for (std::size_t row = top; row < bottom; ++row)
        for (std::size_t column = left; column < right; ++column)
          sum += dy[((plane * height.out + row) * width.out + column) * channels + i % channels];
      to[i] = sum;
    }
  }
};

}  // namespace detail

/// ResizeNearest: input X.
template <backend B>
class resize_nearest_kernel final : public op_kernel<B> {
 public:
  explicit resize_nearest_kernel(op_arguments const& a) : s_(a) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), s_.infer(c, 0)); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(
          s_.planes * s_.height.out, s_.width.out * s_.channels, 1,
          detail::resized_line<T>{c.template input<T>(0), c.template output<T>(0), s_.height, s_.width, s_.channels});
    });
  }

 private:
  detail::resized_image s_;
};

/// ResizeNearestGradient: inputs dY, X.
template <backend B>
class resize_nearest_gradient_kernel final : public op_kernel<B> {
 public:
  explicit resize_nearest_gradient_kernel(op_arguments const& a) : s_(a) {}
  void infer(shape_context& c) override {
    shape const y = s_.infer(c, 1);
    c.expect_same_type(0, 1);
    c.expect(c.dims(0) == y, 0, "be ", y, ", the shape of the result for ", c.input_text(1));
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(s_.planes * s_.height.in, s_.width.in * s_.channels, 4,
                           detail::resized_line_gradient<T>{c.template input<T>(0), c.template output<T>(0), s_.height,
                                                            s_.width, s_.channels});
    });
  }

 private:
  detail::resized_image s_;
};

/// ResizeNearest, ResizeNearestGradient: float and double.
template <backend B>
void add_resize_nearest_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    return op_schema(type)
        .outputs(1)
        .rows_independent()
        .checks_first()
        .argument("height_scale", 1.0f, "factor of the height; the product is rounded down")
        .argument("width_scale", 1.0f, "factor of the width")
        .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
        .no_doubles_in_caffe2();
  };
  table.template add<resize_nearest_kernel>(
      schema("ResizeNearest").inputs(1).describe("Y[h, w] = X[h / height_scale, w / width_scale], rounded down"));
  table.template add<resize_nearest_gradient_kernel>(
      schema("ResizeNearestGradient").inputs(2).describe("dX of ResizeNearest (inputs dY, X)"));
}

}  // namespace plait

PLAIT_KERNELS_END
