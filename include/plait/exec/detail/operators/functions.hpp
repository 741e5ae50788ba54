// Elementary functions: element-wise ops of one tensor, and Pow.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/square_root.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct negate {
  static constexpr auto simple = simple_function::negate;
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    if constexpr (std::integral<T>)
      return subtract()(T(0), x);
    else
      return -x;
  }
};
/// Returns the least integer, whose magnitude overflows, unchanged.
template <class T>
struct absolute {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    if constexpr (std::integral<T>)
      return x < 0 ? negate<T>()(x) : x;
    else
      return math::detail::magnitude(x);
  }
};
template <class T>
struct sign {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const made = static_cast<T>(static_cast<T>(x > T(0)) - static_cast<T>(x < T(0)));
    return x != x ? x : made;
  }
};
template <class T>
struct square {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return multiply()(x, x); }
};
template <class T>
struct exponential {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::exp(x); }
};
template <class T>
struct logarithm {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::log(x); }
};
template <class T>
struct logarithm_of_one_plus {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::log1p(x); }
};
template <class T>
struct error_function {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return math::erf(x); }
};
template <class T>
struct cube_root {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::cbrt(x); }
};
template <class T>
struct reciprocal_root {
  PLAIT_HOST_DEVICE T operator()(T x) const { return T(1) / std::sqrt(x); }
};
template <class T>
struct ceiling {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::ceil(x); }
};
template <class T>
struct floor {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::floor(x); }
};

/// Clamps x to its bounds, to the upper one if they are crossed; propagates NaN.
template <class T>
struct clip {
  T least;
  T most;
  static op_schema& describe(op_schema& schema) {
    using limits = std::numeric_limits<float>;
    return schema.argument("min", limits::lowest(), "the least value of Y; else the least finite one")
        .argument("max", limits::max(), "the greatest value of Y; else the greatest finite one");
  }
  template <class Arguments>
  constexpr explicit clip(Arguments const& a)
      : least(a.has("min") ? static_cast<T>(a.real("min")) : std::numeric_limits<T>::lowest()),
        most(a.has("max") ? static_cast<T>(a.real("max")) : std::numeric_limits<T>::max()) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    T const raised = x < least ? least : x;
    return raised > most ? most : raised;
  }
};

template <class T>
struct scale {
  T by;
  template <class Arguments>
  constexpr explicit scale(Arguments const& a) : by(static_cast<T>(a.real("scale"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return by * x; }
};

/// Remainder of truncated division, or of floored division, which has the divisor's sign; modulo 2^bits.
template <class T>
struct remainder {
  std::int64_t divisor;
  bool follow_divisor;
  explicit remainder(op_arguments const& a)
      : divisor(a.integer("divisor")), follow_divisor(a.flag("sign_follow_divisor")) {
    if (divisor == 0) a.fail("divisor", "should not be zero");
  }
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    std::int64_t const rest = divisor == -1 ? 0 : static_cast<std::int64_t>(x) % divisor;
    return static_cast<T>(follow_divisor && rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest);
  }
};

struct power {
  template <class T>
  PLAIT_HOST_DEVICE T operator()(T x, T exponent) const {
    return std::pow(x, exponent);
  }
};
/// Power with a constant exponent; fast() is the fast path without std::pow.
template <class T>
struct power_of {
  T exponent;
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::pow(x, exponent); }
  bool is_fast(T x) const  // neither negative, infinite nor NaN
    requires std::same_as<T, float>
  {
    constexpr std::uint32_t infinity = math::detail::to_bits(std::numeric_limits<float>::infinity());
    return math::detail::to_bits(x) < infinity && exponent != 0.0f &&
           math::detail::to_bits(math::detail::magnitude(exponent)) < infinity;
  }
  T fast(T x) const
    requires std::same_as<T, float>
  {
    return math::pow_of_usual(x, exponent);
  }
};
template <class T>
struct cube {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return multiply()(multiply()(x, x), x); }
};
template <class T>
struct reciprocal {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return T(1) / x; }
};
template <class T>
struct identity {
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x; }
};

}  // namespace functions

/// Kernel of Pow: the exponent is an argument, or a second input, which is broadcast.
template <backend B>
class power_kernel : public op_kernel<B> {
 public:
  explicit power_kernel(op_arguments const& a)
      : broadcast_(a), given_(a.input_count() == 1), exponent_(given_ ? a.real("exponent") : 0) {
    if (given_ != a.has("exponent"))
      a.fail("exponent", given_ ? "is missing" : "cannot be given beside a second input");
  }

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    if (given_) return c.output(0, c.type(0), c.dims(0));
    c.expect_same_type(0, 1);
    auto const shapes = broadcast_.match(c.dims(0), c.dims(1));
    right_ = shapes.right;
    c.output(0, c.type(0), shapes.result);
  }
  void prepare(op_context<B>& c) override {
    if (!given_) layout_ = broadcast_layout(c.output_spec(0).dims, c.dims(0), right_);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T* const y = c.template output<T>(0);
      if (!given_) return broadcast<B, functions::power>(layout_, x, c.template input<T>(1), y);
      std::size_t const count = c.size(0);
      if (exponent_ == 1.0f) return map<B, functions::identity<T>>(x, y, count);
      if (exponent_ == 2.0f) return map<B, functions::square<T>>(x, y, count);
      if (exponent_ == 3.0f) return map<B, functions::cube<T>>(x, y, count);
      if (exponent_ == -1.0f) return map<B, functions::reciprocal<T>>(x, y, count);
      map<B>(x, y, count, functions::power_of<T>{static_cast<T>(exponent_)});
    });
  }

 private:
  broadcast_arguments broadcast_;
  bool given_;
  float exponent_;
  shape right_;
  broadcast_layout layout_;
};

/// Kernel of Sqrt, which compilers do not vectorise.
template <backend B>
struct square_root_kernel : op_kernel<B> {
  explicit square_root_kernel(op_arguments const&) {}
  void infer(shape_context& c) override { c.output(0, c.template expect_type<float, double>(0), c.dims(0)); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(
        c.type(0), [&]<class T>(T) { square_root<B>(c.template input<T>(0), c.template output<T>(0), c.size(0)); });
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    function_of_elements<B> made;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      if constexpr (B::on_device)
        made = device_function::of<B, T>(functions::square_root<T>());
      else
        made.run = &detail::square_root_some<T>;
    });
    add_elements(made, 2 * c.size(0), to);
  }
};

/// Adds Negative, Abs, Sign, Sqr, Cube, Sqrt, Cbrt, Rsqrt, Reciprocal, Exp, Log, Log1p, Erf, Pow, Ceil, Floor, Mod,
/// Clip, Scale.
template <backend B>
void add_function_operators(operators<B>& table) {
  using std::int32_t;
  using std::int64_t;
  table.template add<map_kernel<B, functions::negate, float, double, int32_t, int64_t>>(
      map_schema("Negative").describe("Y = -X"));
  table.template add<map_kernel<B, functions::absolute, float, double, int32_t, int64_t>>(
      map_schema("Abs").in_caffe2(detail::caffe2::type_of_first<float>).describe("Y = |X|"));
  table.template add<map_kernel<B, functions::sign, float, double, int32_t, int64_t>>(
      map_schema("Sign").describe("Y = -1 where X < 0, 1 where X > 0, else X"));
  table.template add<map_kernel<B, functions::square, float, double, int32_t, int64_t>>(
      map_schema("Sqr").in_caffe2(detail::caffe2::type_of_first<float>).describe("Y = X²"));
  table.template add<map_kernel<B, functions::cube, float, double, int32_t, int64_t>>(
      map_schema("Cube").describe("Y = X³"));
  table.template add<square_root_kernel>(map_schema("Sqrt").no_doubles_in_caffe2().describe("Y = √X, NaN where X < 0"));
  table.template add<map_kernel<B, functions::cube_root, float, double>>(
      map_schema("Cbrt").no_doubles_in_caffe2().describe("Y = ∛X"));
  table.template add<map_kernel<B, functions::reciprocal_root, float, double>>(
      map_schema("Rsqrt").no_doubles_in_caffe2().describe("Y = 1 / √X, NaN where X < 0"));
  table.template add<map_kernel<B, functions::reciprocal, float, double>>(
      map_schema("Reciprocal").no_doubles_in_caffe2().describe("Y = 1 / X"));
  table.template add<map_kernel<B, functions::exponential, float, double>>(
      map_schema("Exp").no_doubles_in_caffe2().describe("Y = e^X"));
  table.template add<map_kernel<B, functions::logarithm, float, double>>(
      map_schema("Log").no_doubles_in_caffe2().describe("Y = ln X, NaN where X < 0"));
  table.template add<map_kernel<B, functions::logarithm_of_one_plus, float, double>>(
      map_schema("Log1p").without_caffe2_schema().describe("Y = ln(1 + X), NaN where X < -1"));
  table.template add<map_kernel<B, functions::error_function, float, double>>(
      map_schema("Erf").without_caffe2_schema().describe(
          "Y = 2 / √π times the integral of e^(-t²) over t from 0 to X"));
  table.template add<map_kernel<B, functions::ceiling, float, double>>(
      map_schema("Ceil").no_doubles_in_caffe2().describe("Y = ⌈X⌉"));
  table.template add<map_kernel<B, functions::floor, float, double>>(
      map_schema("Floor").no_doubles_in_caffe2().describe("Y = ⌊X⌋"));
  table.template add<map_kernel<B, functions::clip, float, double>>(functions::clip<float>::describe(
      map_schema("Clip").no_doubles_in_caffe2().describe("Y = X, or the nearest between min and max")));
  table.template add<map_kernel<B, functions::scale, float, double>>(
      map_schema("Scale").argument("scale", 1.0f, "the factor").no_doubles_in_caffe2().describe("Y = scale X"));
  table.template add<map_kernel<B, functions::remainder, int32_t, int64_t>>(
      map_schema("Mod")
          .template required_argument<int64_t>("divisor", "what is divided by, not zero")
          .argument("sign_follow_divisor", int64_t{0}, "1: Y has the sign of divisor; 0: that of X")
          .describe("Y = the remainder of X / divisor"));

  op_schema pow("Pow");
  pow.rows_independent([](op_arguments const& a, std::size_t rows) {
    return a.input_count() == 1 ? rows == 1 : broadcast_arguments::rows_independent(a, rows);
  });
  broadcast_arguments::describe(pow.inputs(1, 2).outputs(1).in_place(0, 0).checks_first().no_doubles_in_caffe2());
  table.template add<power_kernel>(pow.argument("exponent", 0.0f, "the exponent, if it is no input")
                                       .describe("Y = X^exponent, or A^B for two inputs"));
}

}  // namespace plait

PLAIT_KERNELS_END
