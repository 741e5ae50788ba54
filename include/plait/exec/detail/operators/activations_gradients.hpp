// Gradients of activation functions, computed from the function's result where that suffices.
//
// At a kink they equal Caffe2's. Where the function propagates NaN, the gradient passes dY through.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/map_several.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/gradient_kernel.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct sigmoid_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return dy * (y * (T(1) - y)); }
};
template <class T>
struct tanh_gradient {
  // Factors 1 - y²: 1 - y is exact where y is near 1.
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return dy * ((T(1) - y) * (T(1) + y)); }
};
template <class T>
struct relu_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return y <= T(0) ? T(0) : dy; }
};
/// Precondition: alpha is not negative, so that y has the sign of x.
template <class T>
struct leaky_relu_gradient : leaky_relu<T> {
  using leaky_relu<T>::leaky_relu;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return math::detail::choose(y < T(0), this->alpha * dy, dy);
  }
};
template <class T>
struct elu_gradient : elu<T> {
  using elu<T>::elu;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return math::detail::choose(y <= T(0), dy * (y + this->alpha), dy);
  }
};
template <class T>
struct selu_gradient : selu<T> {
  using selu<T>::selu;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return dy * math::detail::choose(y <= T(0), y + this->alpha * this->scale, this->scale);
  }
};
template <class T>
struct bounded_relu_gradient : bounded_relu<T> {
  using bounded_relu<T>::bounded_relu;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return static_cast<bool>((y <= T(0)) | (y >= this->most)) ? T(0) : dy;
  }
};
/// y is zero where x does not exceed the threshold, which may be negative.
template <class T>
struct thresholded_relu_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return y == T(0) ? T(0) : dy; }
};
template <class T>
struct hard_sigmoid_gradient : hard_sigmoid<T> {
  using hard_sigmoid<T>::hard_sigmoid;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return static_cast<bool>((y <= T(0)) | (y >= T(1))) ? T(0) : this->alpha * dy;
  }
};
template <class T>
struct logit_gradient : logit<T> {
  using logit<T>::logit;
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    return static_cast<bool>((x < this->least) | (x > this->most)) ? T(0) : dy / (x * (T(1) - x));
  }
};
/// The derivatives at infinity and -infinity are the limits, 1 and 0.
template <class T>
struct gelu_gradient : gelu<T> {
  using gelu<T>::gelu;
  PLAIT_HOST_DEVICE T operator()(T dy, T x) const {
    T const share = this->share(x);
    if (std::isinf(x)) return dy * share;
    if (!this->fast) return dy * (share + x * T(0.5) * this->root * math::exp_of_negative(T(-0.5) * x * x));
    // The derivative of sigmoid(2u) is 2u' s (1 - s).
    T const slope = T(2) * this->root * (T(1) + T(3 * 0.044715) * x * x);
    T const rest = math::sigmoid(T(-2) * this->slant(x));
    return dy * (share + (share == T(0) || rest == T(0) ? T(0) : x * slope * share * rest));
  }
};
/// The derivatives at infinity and -infinity are the limits, 1 and 0.
template <class T>
struct swish_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T y, T dy) const {
    // Computes s + y (1 - s), s = sigmoid(x), without the cancellation in 1 - s.
    T const e = math::exp_of_negative(math::detail::minus_magnitude(x));
    bool const negative = x < T(0);
    T const scale = T(1) / (T(1) + e);
    T const s = scale * math::detail::choose(negative, e, T(1));
    T const rest = scale * math::detail::choose(negative, T(1), e);
    return dy * (s + math::detail::choose(x == std::numeric_limits<T>::infinity(), T(0), y * rest));
  }
};
template <class T>
struct softplus_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return -math::expm1(-y) * dy; }
};
template <class T>
struct softsign_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    T const size = T(1) + math::detail::magnitude(x);
    return dy / (size * size);
  }
};

/// Factor of an element in PRelu, and contribution of the element to the gradient of its slope.
template <class T>
struct slope_of {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T slope) const { return x <= T(0) ? slope : T(1); }
};
template <class T>
struct slope_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const { return math::detail::choose(x <= T(0), x * dy, T(0)); }
};

}  // namespace functions

/// Kernel of PReluGradient: dX, dSlope from Y (not read), dY, X, slope.
template <backend B>
class prelu_gradient_kernel : public op_kernel<B> {
 public:
  explicit prelu_gradient_kernel(op_arguments const& a) : arguments_(a) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(1);
    for (std::size_t i = 0; i != 4; ++i) c.expect_same_type(1, i);
    for (std::size_t i = 0; i != 3; ++i) c.expect_same_dims(1, i);
    slopes_ = arguments_.match(c, 2, 3);
    shape const& x = c.dims(2);
    std::size_t const bytes = size_of(c.type(2));
    axes_ = reduction_axes(x, repeated_axes(x, slopes_), bytes);
    c.scratch((parts(static_cast<std::size_t>(x.size())) + axes_.scratch()) * bytes);
    c.output(0, c.type(2), x);
    c.output(1, c.type(3), c.dims(3));
  }
  void prepare(op_context<B>& c) override { layout_ = broadcast_layout(c.dims(2), c.dims(2), slopes_); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(2), [&]<class T>(T) {
      std::size_t const count = c.size(2);
      T const* const dy = c.template input<T>(1);
      T const* const x = c.template input<T>(2);
      auto* const each = static_cast<T*>(c.scratch());
      T* const slopes = each + parts(count);  // scratch memory of the reduction
      map_several<B, functions::slope_gradient<T>, T, 2>({x, dy}, each, count);
      reduce_axes<B, sum_reduction>(axes_, each, as_it_is(), c.template output<T>(1), slopes);
      broadcast<B, functions::slope_of<T>>(layout_, x, c.template input<T>(3), each);
      map_several<B, functions::multiply, T, 2>({each, dy}, c.template output<T>(0), count);
    });
  }

 private:
  // Rounds the buffer for the contributions to the slopes' gradients, then for the factors, up to whole cache lines.
  static std::size_t parts(std::size_t count) { return (count + 63) / 64 * 64; }

  slope_arguments arguments_;
  shape slopes_;
  broadcast_layout layout_;
  reduction_axes axes_;
};

/// Adds SigmoidGradient, TanhGradient, ReluGradient, LeakyReluGradient, EluGradient, SeluGradient, PReluGradient,
/// ReluNGradient, ThresholdedReluGradient, HardSigmoidGradient, LogitGradient, GeluGradient, SwishGradient,
/// SoftplusGradient, SoftsignGradient.
template <backend B>
void add_activation_gradient_operators(operators<B>& table) {
  table.template add<gradient_kernel<B, functions::sigmoid_gradient>>(
      gradient_schema("SigmoidGradient").no_doubles_in_caffe2().describe("dX = dY Y (1 - Y) from Y, dY"));
  table.template add<gradient_kernel<B, functions::tanh_gradient>>(
      gradient_schema("TanhGradient").no_doubles_in_caffe2().describe("dX = dY (1 - Y²) from Y, dY"));
  table.template add<gradient_kernel<B, functions::relu_gradient>>(
      gradient_schema("ReluGradient").no_doubles_in_caffe2().describe("dX = dY, or 0 where Y ≤ 0, from Y, dY"));
  table.template add<gradient_kernel<B, functions::leaky_relu_gradient>>(
      functions::leaky_relu<float>::describe(gradient_schema("LeakyReluGradient")
                                                 .no_doubles_in_caffe2()
                                                 .describe("dX = dY, or alpha dY where Y < 0, from Y, dY")));
  table.template add<gradient_kernel<B, functions::elu_gradient>>(
      functions::elu<float>::describe(gradient_schema("EluGradient")
                                          .no_doubles_in_caffe2()
                                          .describe("dX = dY, or dY (Y + alpha) where Y ≤ 0, from Y, dY")));
  table.template add<gradient_kernel<B, functions::selu_gradient>>(functions::selu<float>::describe(
      gradient_schema("SeluGradient")
          .no_doubles_in_caffe2()
          .describe("dX = scale dY, or dY (Y + scale alpha) where Y ≤ 0, from Y, dY")));
  table.template add<gradient_kernel<B, functions::bounded_relu_gradient>>(functions::bounded_relu<float>::describe(
      gradient_schema("ReluNGradient").describe("dX = dY, or 0 where Y ≤ 0 or Y ≥ n, from Y, dY")));
  table.template add<gradient_kernel<B, functions::thresholded_relu_gradient>>(
      functions::thresholded_relu<float>::describe(
          gradient_schema("ThresholdedReluGradient").describe("dX = dY, or 0 where Y is, from Y, dY")));
  table.template add<gradient_kernel<B, functions::hard_sigmoid_gradient>>(functions::hard_sigmoid<float>::describe(
      gradient_schema("HardSigmoidGradient").describe("dX = alpha dY, or 0 where Y ≤ 0 or Y ≥ 1, from Y, dY")));
  table.template add<gradient_kernel<B, functions::logit_gradient>>(functions::logit<float>::describe(
      gradient_schema("LogitGradient")
          .describe("dX = dY / (X (1 - X)), or 0 where X is not between eps and 1 - eps, from X, dY")));
  table.template add<gradient_kernel<B, functions::gelu_gradient>>(functions::gelu<float>::describe(
      gradient_schema("GeluGradient").without_caffe2_schema().describe("dX = dY (Φ(X) + X Φ'(X)) from dY, X")));
  table.template add<gradient_kernel<B, functions::swish_gradient, 3>>(
      gradient_schema("SwishGradient", 3)
          .no_doubles_in_caffe2()
          .describe("dX = dY (Y + (1 - Y) / (1 + e^-X)) from X, Y, dY"));
  table.template add<gradient_kernel<B, functions::softplus_gradient>>(
      gradient_schema("SoftplusGradient").no_doubles_in_caffe2().describe("dX = dY (1 - e^-Y) from Y, dY"));
  table.template add<gradient_kernel<B, functions::softsign_gradient>>(
      gradient_schema("SoftsignGradient").no_doubles_in_caffe2().describe("dX = dY / (1 + |X|)² from X, dY"));

  op_schema prelu("PReluGradient");
  for (std::size_t i = 0; i != 3; ++i) prelu.in_place(i, 0);
  table.template add<prelu_gradient_kernel>(
      slope_arguments::describe(prelu.inputs(4).outputs(2).checks_first().no_doubles_in_caffe2().describe(
          "dX, dslope from Y, dY, X, slope: dX = dY, or slope dY where X ≤ 0; dslope = the sum of X dY there")));
}

}  // namespace plait

PLAIT_KERNELS_END
