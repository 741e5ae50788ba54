// LRN, local response normalisation across channels, and its gradient.
//
// After A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet classification with deep convolutional neural networks",
// 2012.
#pragma once

#include <algorithm>
#include <cmath>
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

/// Arguments, and the window of channels that determines the scale of a channel: from `before` channels before it to
/// `behind` after it.
struct response_window {
  std::size_t before;
  std::size_t behind;
  double alpha;  ///< divided by the size of the window
  float beta;
  float bias;
  bool last;

  explicit response_window(op_arguments const& a)
      : beta(a.real("beta")), bias(a.real("bias")), last(channels_are_last(a)) {
    std::int64_t const size = a.integer("size");
    if (size < 1) a.fail("size", "is less than 1");
    before = static_cast<std::size_t>((size - 1) / 2);
    behind = static_cast<std::size_t>(size - 1) - before;
    alpha = static_cast<double>(a.real("alpha")) / static_cast<double>(size);
  }
};

// Window of channels; sums f(offset of an element) over it.
template <class T>
struct channel_window {
  std::size_t channels;
  std::size_t step;  ///< from one channel to the next
  std::size_t before;
  std::size_t behind;

  template <class F>
  PLAIT_HOST_DEVICE T sum(std::size_t i, F const& f) const {
    std::size_t const channel = i / step % channels;
    std::size_t const first = channel < before ? 0 : channel - before;
    std::size_t const end = channels - channel <= behind ? channels : channel + behind + 1;
    T made = 0;
    for (std::size_t k = first; k < end; ++k) made += f(i - channel * step + k * step);
    return made;
  }
};

template <class T>
struct response_scale {
  T const* x;
  T* scale;
  channel_window<T> window;
  T alpha;
  T bias;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T const* const from = x;
    scale[i] = bias + alpha * window.sum(i, [from](std::size_t k) { return from[k] * from[k]; });
  }
};
template <class T>
struct response {
  T const* x;
  T const* scale;
  T* y;
  T beta;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = x[i] * std::pow(scale[i], -beta); }
};
template <class T>
struct response_ratio {
  T const* dy;
  T const* y;
  T const* scale;
  T* ratio;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { ratio[i] = dy[i] * y[i] / scale[i]; }
};
template <class T>
struct response_gradient {
  T const* x;
  T const* dy;
  T const* scale;
  T const* ratio;
  T* dx;
  channel_window<T> window;
  T factor;
  T beta;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T const* const from = ratio;
    dx[i] =
        dy[i] * std::pow(scale[i], -beta) - factor * x[i] * window.sum(i, [from](std::size_t k) { return from[k]; });
  }
};

}  // namespace detail

/// Kernel of LRN: X to Y = X / scale^beta and, optionally, scale = bias + alpha / size * the sum of the squares of
/// `size` channels around each.
template <backend B>
class local_response_norm_kernel final : public op_kernel<B> {
 public:
  explicit local_response_norm_kernel(op_arguments const& a) : window_(a) {}
  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    extents_ = detail::image_extents::of(c, window_.last);
    for (std::size_t o = 0; o != c.output_count(); ++o) c.output(o, c.type(0), c.dims(0));
    if (c.output_count() == 1) c.scratch(static_cast<std::size_t>(c.dims(0).size()) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T* const scale = c.output_count() == 2 ? c.template output<T>(1) : static_cast<T*>(c.scratch());
      std::size_t const step = window_.last ? 1 : extents_.places;
      detail::channel_window<T> const around{extents_.channels, step, window_.before, window_.behind};
      for_each_index<B>(c.size(0), detail::response_scale<T>{x, scale, around, static_cast<T>(window_.alpha),
                                                             static_cast<T>(window_.bias)});
      for_each_index<B>(c.size(0),
                        detail::response<T>{x, scale, c.template output<T>(0), static_cast<T>(window_.beta)});
    });
  }

 private:
  detail::response_window window_;
  detail::image_extents extents_;
};

/// Kernel of LRNGradient: X, Y, dY to dX.
template <backend B>
class local_response_norm_gradient_kernel final : public op_kernel<B> {
 public:
  explicit local_response_norm_gradient_kernel(op_arguments const& a) : window_(a) {}
  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    extents_ = detail::image_extents::of(c, window_.last);
    for (std::size_t i = 1; i != 3; ++i) {
      c.expect_same_type(0, i);
      c.expect(c.dims(i) == c.dims(0), i, "have the shape of ", c.input_text(0));
    }
    c.output(0, c.type(0), c.dims(0));
    c.scratch(2 * static_cast<std::size_t>(c.dims(0).size()) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const dy = c.template input<T>(2);
      std::size_t const count = c.size(0);
      T* const scale = static_cast<T*>(c.scratch());
      T* const ratio = scale + count;
      auto const alpha = static_cast<T>(window_.alpha);
      auto const beta = static_cast<T>(window_.beta);
      std::size_t const step = window_.last ? 1 : extents_.places;
      detail::channel_window<T> const around{extents_.channels, step, window_.before, window_.behind};
      // The mirrored window: the channels whose windows contain a channel.
      detail::channel_window<T> const reached{extents_.channels, step, window_.behind, window_.before};
      for_each_index<B>(count, detail::response_scale<T>{x, scale, around, alpha, static_cast<T>(window_.bias)});
      for_each_index<B>(count, detail::response_ratio<T>{dy, c.template input<T>(1), scale, ratio});
      for_each_index<B>(count, detail::response_gradient<T>{x, dy, scale, ratio, c.template output<T>(0), reached,
                                                            2 * alpha * beta, beta});
    });
  }

 private:
  detail::response_window window_;
  detail::image_extents extents_;
};

/// Adds LRN, LRNGradient: float and double.
template <backend B>
void add_local_response_norm_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    return op_schema(type)
        .checks_first()
        .argument("size", std::int64_t{0}, "channels of a window, at least 1")
        .argument("alpha", 0.0f, "factor of the mean square of a window")
        .argument("beta", 0.0f, "exponent of the scale")
        .argument("bias", 1.0f, "added to the scale")
        .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
        .no_doubles_in_caffe2();
  };
  table.template add<local_response_norm_kernel>(schema("LRN").rows_independent(1).inputs(1).outputs(1, 2).describe(
      "Y = X / scale^beta; scale = bias + alpha / size * the sum of X^2 over "
      "`size` channels around each, which is the second output"));
  table.template add<local_response_norm_gradient_kernel>(
      schema("LRNGradient").rows_independent().inputs(3).outputs(1).describe("dX of LRN (inputs X, Y, dY)"));
}

}  // namespace plait

PLAIT_KERNELS_END
