// Gradient rules of element-wise functions, arithmetic and reductions of rows: templates over the context, so that the
// backward pass of a net at run time and that of a static cell at compile time apply the same rules. Emit the ops of
// Caffe2's gradient makers, names of temporary blobs included.
//
// A Context has the members of gradient_context (gradient_context.hpp); at compile time there are no names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <plait/gradient/detail/gradient_operand.hpp>
#include <plait/gradient/detail/rules/rule_patterns.hpp>

namespace plait {

inline constexpr simple_rule elementwise_rules[] = {
    {"Abs", "AbsGradient", "i0 g0", "0"},
    {"Acos", "AcosGradient", "i0 g0", "0"},
    {"Acosh", "AcoshGradient", "i0 g0", "0"},
    {"Asin", "AsinGradient", "i0 g0", "0"},
    {"Asinh", "AsinhGradient", "i0 g0", "0"},
    {"Atan", "AtanGradient", "i0 g0", "0"},
    {"Atanh", "AtanhGradient", "i0 g0", "0"},
    {"Cbrt", "CbrtGradient", "g0 o0", "0"},
    {"Clip", "ClipGradient", "o0 g0", "0"},
    {"Cos", "CosGradient", "i0 g0", "0"},
    {"Cosh", "CoshGradient", "g0 i0", "0"},
    {"Cube", "CubeGradient", "g0 i0", "0"},
    {"Erf", "ErfGradient", "i0 g0", "0"},
    {"Exp", "Mul", "o0 g0", "0"},
    {"Gelu", "GeluGradient", "g0 i0", "0"},
    {"HardSigmoid", "HardSigmoidGradient", "o0 g0", "0"},
    {"Log", "Div", "g0 i0", "0"},
    {"Logit", "LogitGradient", "i0 g0", "0"},
    {"Mean", "MeanGradient", "g0", "*"},
    {"NegateGradient", "Negative", "g0", "0"},
    {"Negative", "Negative", "g0", "0"},
    {"PRelu", "PReluGradient", "o0 g0 i0 i1", "0 1"},
    {"Reciprocal", "ReciprocalGradient", "o0 g0", "0"},
    {"Relu", "ReluGradient", "o0 g0", "0"},
    {"ReluN", "ReluNGradient", "o0 g0", "0"},
    {"Rsqrt", "RsqrtGradient", "g0 o0", "0"},
    {"Scale", "Scale", "g0", "0"},
    {"Sigmoid", "SigmoidGradient", "o0 g0", "0"},
    {"Sin", "SinGradient", "i0 g0", "0"},
    {"Sinh", "SinhGradient", "g0 i0", "0"},
    {"Softplus", "SoftplusGradient", "o0 g0", "0"},
    {"Softsign", "SoftsignGradient", "i0 g0", "0"},
    {"Swish", "SwishGradient", "i0 o0 g0", "0"},
    {"Tan", "TanGradient", "i0 g0", "0"},
    {"Tanh", "TanhGradient", "o0 g0", "0"},
    {"ThresholdedRelu", "ThresholdedReluGradient", "o0 g0", "0"},
};

/// Rules of reductions over the last axes.
inline constexpr simple_rule row_reduction_rules[] = {
    {"ReduceBackMax", "ReduceBackMaxGradient", "g0 i0 o0 i1*", "0"},
    {"ReduceBackMean", "ReduceBackMeanGradient", "g0 i*", "0"},
    {"ReduceBackSum", "ReduceBackSumGradient", "g0 i*", "0"},
};

namespace detail {

/// Caffe2's legacy broadcast of the second operand of an arithmetic op: its arguments, which gradient ops get in full.
template <class Context>
struct legacy_broadcast {
  using text = typename Context::text_type;
  constexpr explicit legacy_broadcast(Context const& c)
      : used(c.as_caffe2() ? c.has_argument("broadcast") : c.template argument<std::int64_t>("broadcast", 0) != 0),
        axis(c.template argument<std::int64_t>("axis", -1)),
        axis_text(c.template argument<text>("axis_str")),
        order(c.template argument<text>("order", "NCHW")) {}
  template <class Op>
  constexpr void set_place(Op op) const {
    op.own_arguments().argument("axis", axis).argument("axis_str", axis_text).argument("order", order);
  }
  template <class Op>
  constexpr void set(Op op) const {
    op.argument("broadcast", std::int64_t{1});
    set_place(op);
  }
  bool used;
  std::int64_t axis;
  text axis_text;
  text order;
};

// Unbroadcast: sums a gradient to the shape of input i. full_gradient() returns where to write the gradient before
// that, reduce() sums it, both only with gradient_options::numpy_broadcasting.
template <class Context>
constexpr void unbroadcast(Context& c, std::size_t i, gradient_operand full) {
  c.op("SumReduceLike", {full, c.input(i)}, {c.input_gradient(i)}).own_arguments();
}
template <class Context>
constexpr gradient_operand full_gradient(Context& c, std::size_t i) {
  return c.numpy_broadcasting() ? c.temporary(c.gradient_name(i) + "_autogen_pre_red") : c.input_gradient(i);
}
template <class Context>
constexpr void reduce(Context& c, std::size_t i, gradient_operand full) {
  if (c.numpy_broadcasting()) unbroadcast(c, i, full);
}

template <class Context>
constexpr void add_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  if (legacy_broadcast(c).used) {
    c.pass(0, dy);
    c.op("SumReduceLike", {dy, c.input(1)}, {c.input_gradient(1)});
  } else if (c.numpy_broadcasting()) {
    unbroadcast(c, 0, dy);
    unbroadcast(c, 1, dy);
  } else {
    c.pass(0, dy);
    c.pass(1, dy);
  }
}

template <class Context>
constexpr void subtract_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  legacy_broadcast const repeat(c);
  if (c.numpy_broadcasting() && !repeat.used)
    unbroadcast(c, 0, dy);
  else
    c.pass(0, dy);
  if (repeat.used) {
    gradient_operand const full = c.temporary(c.gradient_name(1) + "_autogen_pre_red");
    c.op("Negative", {dy}, {full}).own_arguments();
    repeat.set_place(c.op("SumReduceLike", {full, c.input(1)}, {c.input_gradient(1)}));
  } else {
    gradient_operand const full = full_gradient(c, 1);
    c.op("Negative", {dy}, {full});
    reduce(c, 1, full);
  }
}

template <class Context>
constexpr void multiply_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  legacy_broadcast const repeat(c);
  if (repeat.used) {
    repeat.set(c.op("Mul", {dy, c.input(1)}, {c.input_gradient(0)}).named("mul_grad_1st_op"));
    gradient_operand const full = c.temporary(c.gradient_name(1) + "_autogen_pre_red");
    c.op("Mul", {dy, c.input(0)}, {full}).named("mul_gradient_2nd_op").own_arguments();
    repeat.set_place(
        c.op("SumReduceLike", {full, c.input(1)}, {c.input_gradient(1)}).named("mul_with_broadcast_grad_3"));
    return;
  }
  for (std::size_t i : {0u, 1u}) {
    gradient_operand const full = full_gradient(c, i);
    c.op("Mul", {dy, c.input(1 - i)}, {full}).own_arguments();
    reduce(c, i, full);
  }
}

template <class Context>
constexpr void divide_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  legacy_broadcast const repeat(c);
  if (!repeat.used && !c.numpy_broadcasting()) {
    c.op("DivGradient", {c.input(1), c.output(0), dy}, {c.input_gradient(0), c.input_gradient(1)});
    return;
  }
  // Broadcast division, without a gradient in Caffe2: da = dy / b and db = -Σ dy y / b.
  gradient_operand const quotient =
      repeat.used ? c.input_gradient(0) : c.temporary(c.gradient_name(0) + "_autogen_pre_red");
  auto first = c.op("Div", {dy, c.input(1)}, {quotient});
  if (repeat.used)
    repeat.set(first);
  else
    unbroadcast(c, 0, quotient);
  auto const name = c.gradient_name(1) + "_autogen_pre_red";
  gradient_operand const product = c.temporary(name);
  gradient_operand const full = c.temporary(name);
  c.op("Mul", {quotient, c.output(0)}, {product}).own_arguments();
  c.op("Negative", {product}, {full}).own_arguments();
  auto last = c.op("SumReduceLike", {full, c.input(1)}, {c.input_gradient(1)});
  if (repeat.used)
    repeat.set_place(last);
  else
    last.own_arguments();
}

// Scales the incoming gradient in place if it is dead afterwards.
template <class Context>
constexpr void square_gradient(Context& c) {
  gradient_operand const twice = c.in_place_of(c.output_gradient(0));
  c.op("Scale", {c.output_gradient(0)}, {twice}).argument("scale", 2.0f);
  c.op("Mul", {twice, c.input(0)}, {c.input_gradient(0)});
}

template <class Context>
constexpr void square_root_gradient(Context& c) {
  gradient_operand const half = c.temporary(c.gradient_name(0));
  c.op("Scale", {c.output_gradient(0)}, {half}).argument("scale", 0.5f);
  c.op("Div", {half, c.output(0)}, {c.input_gradient(0)});
}

// In place, Caffe2 computes the derivative from the result, which loses the sign of x: x^(e - 1) = y^((e - 1) / e).
template <class Context>
constexpr void power_gradient(Context& c, bool by_result) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const x = c.input(0);
  auto const dx = c.gradient_name(0);
  if (c.listed_input_count() == 1) {
    auto const exponent = c.template argument<float>("exponent", 0);
    if (exponent == 0 && !c.as_caffe2()) {  // x^-1 times 0 is NaN at x = 0
      c.op("ConstantFill", {x}, {c.input_gradient(0)}).own_arguments().argument("value", 0.0f);
      return;
    }
    gradient_operand const power = c.temporary(dx);
    gradient_operand const product = c.temporary(dx);
    if (by_result && c.input_name(0) == c.output_name(0))
      c.op("Pow", {c.output(0)}, {power}).own_arguments().argument("exponent", (exponent - 1) / exponent);
    else
      c.op("Pow", {x}, {power}).own_arguments().argument("exponent", exponent - 1);
    c.op("Mul", {power, dy}, {product}).own_arguments();
    c.op("Scale", {product}, {c.input_gradient(0)}).own_arguments().argument("scale", exponent);
    return;
  }
  gradient_operand const power = c.temporary(dx);
  gradient_operand const product = c.temporary(dx);
  legacy_broadcast const repeat(c);
  auto const place = [&](auto op) {
    op.own_arguments();
    if (repeat.used) repeat.set(op);
  };
  gradient_operand const e = c.input(1);
  auto const de = c.gradient_name(1);
  gradient_operand const one = c.temporary(de);
  gradient_operand const less = c.temporary(de);
  c.op("ConstantFill", {e}, {one}).own_arguments().argument("value", 1.0f);
  c.op("Sub", {e, one}, {less}).own_arguments();
  place(c.op("Pow", {x, less}, {power}));
  c.op("Mul", {power, dy}, {product}).own_arguments();
  gradient_operand const x_full = full_gradient(c, 0);
  place(c.op("Mul", {product, e}, {x_full}));
  reduce(c, 0, x_full);
  auto const name = de + "_autogen_pre_red";
  gradient_operand const logarithm = c.temporary(name);
  gradient_operand const scaled = c.temporary(name);
  c.op("Log", {x}, {logarithm}).own_arguments();
  c.op("Mul", {logarithm, c.output(0)}, {scaled}).own_arguments();
  bool const sum = repeat.used || c.numpy_broadcasting();
  gradient_operand const full = sum ? c.temporary(name) : c.input_gradient(1);
  c.op("Mul", {scaled, dy}, {full}).own_arguments();
  if (!sum) return;
  auto last = c.op("SumReduceLike", {full, e}, {c.input_gradient(1)});
  if (repeat.used)
    repeat.set_place(last);
  else
    last.own_arguments();
}

template <class Context>
constexpr void where_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const zero = c.temporary(c.output_name(0), "_grad_zero");
  c.op("ConstantFill", {dy}, {zero}).own_arguments().argument("value", 0.0f);
  c.op("Where", {c.input(0), dy, zero}, {c.input_gradient(1)});
  c.op("Where", {c.input(0), zero, dy}, {c.input_gradient(2)});
}

// dy / (1 + x). Not in Caffe2.
template <class Context>
constexpr void log1p_gradient(Context& c) {
  gradient_operand const one = c.temporary(c.gradient_name(0) + "_one");
  gradient_operand const sum = c.temporary(c.gradient_name(0) + "_sum");
  c.op("ConstantFill", {c.input(0)}, {one}).own_arguments().argument("value", 1.0f);
  c.op("Add", {c.input(0), one}, {sum}).own_arguments();
  c.op("Div", {c.output_gradient(0), sum}, {c.input_gradient(0)}).own_arguments();
}

// dy, but 0 where x is NaN. Not in Caffe2.
template <class Context>
constexpr void replace_nan_gradient(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const kept = c.temporary(c.gradient_name(0) + "_kept");
  gradient_operand const zero = c.temporary(c.gradient_name(0) + "_zero");
  c.op("EQ", {c.input(0), c.input(0)}, {kept}).own_arguments();
  c.op("ConstantFill", {dy}, {zero}).own_arguments().argument("value", 0.0f);
  c.op("Where", {kept, dy, zero}, {c.input_gradient(0)}).own_arguments();
}

// Uses the sign of Y, as Caffe2 does, which is that of X unless alpha is negative.
template <class Context>
constexpr void leaky_gradient(Context& c) {
  bool const turned = !c.as_caffe2() && c.template argument<float>("alpha", 0.01f) < 0;
  c.op("LeakyReluGradient", {turned ? c.input(0) : c.output(0), c.output_gradient(0)}, {c.input_gradient(0)});
}

// Elu and Selu. Use the sign of Y, too; no operator uses X.
template <class Context>
constexpr void exponential_gradient(Context& c, std::string_view type, bool turned) {
  c.refuse_unless(c.as_caffe2() || !turned,
                  "its gradient takes the sign of Y for that of X, which a negative factor flips");
  c.op(type, {c.output(0), c.output_gradient(0)}, {c.input_gradient(0)});
}
template <class Context>
constexpr void elu_gradient(Context& c) {
  exponential_gradient(c, "EluGradient", c.template argument<float>("alpha", 1.0f) < 0);
}
template <class Context>
constexpr void selu_gradient(Context& c) {
  bool const turned = c.template argument<float>("alpha", 1.0f) < 0 || c.template argument<float>("scale", 1.0f) < 0;
  exponential_gradient(c, "SeluGradient", turned);
}

// Routes the gradient to the inputs that attain the maximum or minimum. In Caffe2 an input that is listed twice gets it
// twice.
template <class Context>
constexpr void max_min_gradient(Context& c, std::string_view type) {
  std::vector<gradient_operand> reads = {c.output(0), c.output_gradient(0)};
  std::vector<gradient_operand> writes;
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) {
    if (!c.as_caffe2() && std::find(reads.begin() + 2, reads.end(), c.input(i)) != reads.end()) continue;
    reads.push_back(c.input(i));
    writes.push_back(c.input_gradient(i));
  }
  c.op(type, reads, writes);
}

// Sum.
template <class Context>
constexpr void pass_to_all(Context& c) {
  gradient_operand const dy = c.output_gradient(0);
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) c.pass(i, dy);
}

}  // namespace detail

/// Rule of an op type that emits several ops, or decides which.
template <class Context>
struct composed_rule {
  std::string_view type;
  void (*make)(Context&);
};

/// Composed rules of element-wise functions and arithmetic.
template <class Context>
inline constexpr composed_rule<Context> composed_elementwise_rules[] = {
    {"Add", detail::add_gradient},
    {"Div", detail::divide_gradient},
    {"Elu", detail::elu_gradient},
    {"EnforceFinite", [](Context& c) { c.pass(0, c.output_gradient(0)); }},
    {"LeakyRelu", detail::leaky_gradient},
    {"Log1p", detail::log1p_gradient},
    {"Max", [](Context& c) { detail::max_min_gradient(c, "MaxGradient"); }},
    {"Min", [](Context& c) { detail::max_min_gradient(c, "MinGradient"); }},
    {"Mul", detail::multiply_gradient},
    {"Pow", [](Context& c) { detail::power_gradient(c, false); }},
    {"ReplaceNaN", detail::replace_nan_gradient},
    {"Selu", detail::selu_gradient},
    {"Sqr", detail::square_gradient},
    {"Sqrt", detail::square_root_gradient},
    {"Sub", detail::subtract_gradient},
    {"Sum", detail::pass_to_all},
    {"Where", detail::where_gradient},
};

}  // namespace plait
