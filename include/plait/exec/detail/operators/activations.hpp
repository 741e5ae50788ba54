// Activation functions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct sigmoid {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::sigmoid(x); }
};
template <class T>
struct tanh {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::tanh(x); }
};
/// Propagates NaN.
template <class T>
struct relu {
  static constexpr auto simple = simple_function::relu;
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x < T(0) ? T(0) : x; }
};
template <class T>
struct leaky_relu {
  T alpha;
  static op_schema& describe(op_schema& schema) { return schema.argument("alpha", 0.01f, "the slope below zero"); }
  template <class Arguments>
  constexpr explicit leaky_relu(Arguments const& a) : alpha(static_cast<T>(a.real("alpha"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x < T(0) ? alpha * x : x; }
};
template <class T>
struct elu {
  T alpha;
  static op_schema& describe(op_schema& schema) { return schema.argument("alpha", 1.0f, "-alpha is the limit"); }
  template <class Arguments>
  constexpr explicit elu(Arguments const& a) : alpha(static_cast<T>(a.real("alpha"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return math::detail::choose(x < T(0), alpha * math::expm1(x), x);
  }
};
template <class T>
struct selu {
  T alpha;
  T scale;
  static op_schema& describe(op_schema& schema) {
    return schema.argument("alpha", 1.6732632423543772848170429916717f, "-alpha scale is the limit")
        .argument("scale", 1.0507009873554804934193349852946f, "the slope above zero");
  }
  explicit selu(op_arguments const& a)
      : alpha(static_cast<T>(a.real("alpha"))), scale(static_cast<T>(a.real("scale"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return scale * math::detail::choose(x < T(0), alpha * math::expm1(x), x);
  }
};
template <class T>
struct bounded_relu {
  T most;
  static op_schema& describe(op_schema& schema) { return schema.argument("n", 6.0f, "the greatest value of Y"); }
  explicit bounded_relu(op_arguments const& a) : most(static_cast<T>(a.real("n"))) {
    if (!(most > T(0))) a.fail("n", "must be above zero");
  }
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const raised = relu<T>()(x);
    return raised > most ? most : raised;
  }
};
template <class T>
struct thresholded_relu {
  T alpha;
  static op_schema& describe(op_schema& schema) { return schema.argument("alpha", 1.0f, "the threshold"); }
  explicit thresholded_relu(op_arguments const& a) : alpha(static_cast<T>(a.real("alpha"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x <= alpha ? T(0) : x; }
};
template <class T>
struct parametric_relu {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T slope) const { return x < T(0) ? slope * x : x; }
};
template <class T>
struct hard_sigmoid {
  T alpha;
  T beta;
  static op_schema& describe(op_schema& schema) {
    return schema.argument("alpha", 0.2f, "the slope").argument("beta", 0.5f, "the value at 0");
  }
  template <class Arguments>
  constexpr explicit hard_sigmoid(Arguments const& a)
      : alpha(static_cast<T>(a.real("alpha"))), beta(static_cast<T>(a.real("beta"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const y = alpha * x + beta;
    T const raised = y < T(0) ? T(0) : y;
    return raised > T(1) ? T(1) : raised;
  }
};
/// Inverse of the sigmoid; x is clamped to [eps, 1 - eps].
template <class T>
struct logit {
  T least;
  T most;
  static op_schema& describe(op_schema& schema) {
    return schema.argument("eps", 1e-6f, "how far from 0 and 1 X is kept");
  }
  explicit logit(op_arguments const& a) : least(static_cast<T>(a.real("eps"))), most(T(1) - least) {
    if (!(least > T(0) && least < T(0.5))) a.fail("eps", "must be above zero and below 0.5");
  }
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const raised = x < least ? least : x;
    T const kept = raised > most ? most : raised;
    // Divides by the distance to the nearer of 0 and 1: no cancellation around 0.5, where the result is small.
    bool const low = kept < T(0.5);
    T const size =
        math::log1p(math::detail::magnitude(T(2) * kept - T(1)) / math::detail::choose(low, kept, T(1) - kept));
    return math::detail::choose(low, -size, size);
  }
};
/// The value at -infinity is the limit, zero.
template <class T>
struct gelu {
  bool fast;
  static op_schema& describe(op_schema& schema) {
    return schema.argument("fast_gelu", std::int64_t{0}, "1: by the tanh that is near Φ");
  }
  explicit gelu(op_arguments const& a) : fast(a.flag("fast_gelu")) {}
  /// Returns the factor of x: Φ(x), or its approximation by tanh.
  PLAIT_HOST_DEVICE T share(T x) const {
    if (fast) return math::sigmoid(T(2) * slant(x));
    return T(0.5) * std::erfc(-x * T(std::numbers::sqrt2 / 2));
  }
  PLAIT_HOST_DEVICE T operator()(T x) const {
    return x == -std::numeric_limits<T>::infinity() ? T(-0.0) : x * share(x);
  }

 protected:
  static constexpr T root = T(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);  // √(2/π)
  PLAIT_HOST_DEVICE static constexpr T slant(T x) { return root * (x + T(0.044715) * x * x * x); }
};
/// The value at -infinity is the limit, zero.
template <class T>
struct swish {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return math::detail::choose(x == -std::numeric_limits<T>::infinity(), T(-0.0), x * math::sigmoid(x));
  }
};
template <class T>
struct softplus {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::softplus(x); }
};
/// The values at infinities are the limits, ±1.
template <class T>
struct softsign {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const size = math::detail::magnitude(x);
    return math::detail::choose(size == std::numeric_limits<T>::infinity(), math::detail::with_sign_of(T(1), x),
                                x / (T(1) + size));
  }
};

}  // namespace functions

/// Slopes of a PRelu: one for all elements, or one per channel.
class slope_arguments {
 public:
  static op_schema& describe(op_schema& schema) {
    return schema.argument("order", std::string("NCHW"), "NCHW: channels are axis 1; NHWC: the last");
  }
  explicit slope_arguments(op_arguments const& a) : channels_last_(a.text("order") == "NHWC") {
    if (!channels_last_ && a.text("order") != "NCHW") a.fail("order", "should be NCHW or NHWC");
  }
  /// Returns the shape of the slopes, with its last axis aligned to the last of x. Throws shape_error.
  shape match(shape_context const& c, std::size_t x, std::size_t slopes) const {
    shape made;
    if (c.dims(slopes).size() == 1) return made;
    c.expect_rank(x, 2);
    shape const& dims = c.dims(x);
    std::size_t const axis = channels_last_ ? dims.rank() - 1 : 1;
    c.expect_extent(x, axis, c.dims(slopes).size(), slopes);
    made.push_back(dims[axis]);
    while (made.rank() + axis != dims.rank()) made.push_back(1);
    return made;
  }

 private:
  bool channels_last_;
};

/// Kernel of PRelu.
template <backend B>
class prelu_kernel : public op_kernel<B> {
 public:
  explicit prelu_kernel(op_arguments const& a) : arguments_(a) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    slopes_ = arguments_.match(c, 0, 1);
    c.output(0, c.type(0), c.dims(0));
  }
  void prepare(op_context<B>& c) override { layout_ = broadcast_layout(c.dims(0), c.dims(0), slopes_); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      broadcast<B, functions::parametric_relu<T>>(layout_, c.template input<T>(0), c.template input<T>(1),
                                                  c.template output<T>(0));
    });
  }

 private:
  slope_arguments arguments_;
  shape slopes_;
  broadcast_layout layout_;
};

/// Adds Sigmoid, Tanh, Relu, LeakyRelu, Elu, Selu, PRelu, ReluN, ThresholdedRelu, HardSigmoid, Logit, Gelu, Swish,
/// Softplus, Softsign.
template <backend B>
void add_activation_operators(operators<B>& table) {
  table.template add<map_kernel<B, functions::sigmoid, float, double>>(
      map_schema("Sigmoid").no_doubles_in_caffe2().describe("Y = 1 / (1 + e^-X)"));
  table.template add<map_kernel<B, functions::tanh, float, double>>(
      map_schema("Tanh").no_doubles_in_caffe2().describe("Y = tanh X"));
  table.template add<map_kernel<B, functions::relu, float, double>>(
      map_schema("Relu").no_doubles_in_caffe2().describe("Y = max(X, 0)"));
  table.template add<map_kernel<B, functions::leaky_relu, float, double>>(functions::leaky_relu<float>::describe(
      map_schema("LeakyRelu").no_doubles_in_caffe2().describe("Y = X, or alpha X where X < 0")));
  table.template add<map_kernel<B, functions::elu, float, double>>(functions::elu<float>::describe(
      map_schema("Elu").no_doubles_in_caffe2().describe("Y = X, or alpha (e^X - 1) where X < 0")));
  table.template add<map_kernel<B, functions::selu, float, double>>(functions::selu<float>::describe(
      map_schema("Selu").no_doubles_in_caffe2().describe("Y = scale X, or scale alpha (e^X - 1) where X < 0")));
  table.template add<map_kernel<B, functions::bounded_relu, float, double>>(functions::bounded_relu<float>::describe(
      map_schema("ReluN").no_doubles_in_caffe2().describe("Y = X, or the nearest of 0 and n")));
  table.template add<map_kernel<B, functions::thresholded_relu, float, double>>(
      functions::thresholded_relu<float>::describe(
          map_schema("ThresholdedRelu").no_doubles_in_caffe2().describe("Y = X, or 0 where X ≤ alpha")));
  table.template add<map_kernel<B, functions::hard_sigmoid, float, double>>(functions::hard_sigmoid<float>::describe(
      map_schema("HardSigmoid").no_doubles_in_caffe2().describe("Y = alpha X + beta, or the nearest of 0 and 1")));
  table.template add<map_kernel<B, functions::logit, float, double>>(
      functions::logit<float>::describe(map_schema("Logit").no_doubles_in_caffe2().describe("Y = ln(X / (1 - X))")));
  table.template add<map_kernel<B, functions::gelu, float, double>>(functions::gelu<float>::describe(
      map_schema("Gelu").without_caffe2_schema().describe("Y = X Φ(X), Φ being the normal distribution's")));
  table.template add<map_kernel<B, functions::swish, float, double>>(
      map_schema("Swish").no_doubles_in_caffe2().describe("Y = X / (1 + e^-X)"));
  table.template add<map_kernel<B, functions::softplus, float, double>>(
      map_schema("Softplus").no_doubles_in_caffe2().describe("Y = ln(1 + e^X)"));
  table.template add<map_kernel<B, functions::softsign, float, double>>(
      map_schema("Softsign").no_doubles_in_caffe2().describe("Y = X / (1 + |X|)"));
  table.template add<prelu_kernel>(slope_arguments::describe(
      op_schema("PRelu")
          .inputs(2)
          .outputs(1)
          .in_place(0, 0)
          .rows_independent(1)
          .checks_first()
          .no_doubles_in_caffe2()
          .describe("Y = X, or slope X where X < 0; slope has one element, or one a channel")));
}

}  // namespace plait

PLAIT_KERNELS_END
