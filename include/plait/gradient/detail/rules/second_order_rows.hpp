// Second-order gradient rules of row-wise operators: softmax, normalisation, losses, distances. Not in Caffe2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

namespace detail {

/// Makes the sum of the terms the gradient of input i; does nothing if there are none.
inline void add_up(gradient_context& c, std::vector<gradient_operand> const& terms, std::size_t i) {
  if (terms.size() == 1)
    c.pass(i, terms.front());
  else if (!terms.empty())
    c.op("Sum", terms, std::vector{c.input_gradient(i)}).own_arguments();
}

/// Emits row-wise ops on tensors of one shape: the axes before `axis` number the rows, those from it on form a row.
class row_ops {
 public:
  row_ops(gradient_context& c, std::int64_t axis, std::string name) : c_(&c), axis_(axis), name_(std::move(name)) {}

  gradient_operand op(std::string_view type, gradient_operand a, gradient_operand b) {
    gradient_operand const made = c_->temporary(name_);
    c_->op(type, {a, b}, {made}).own_arguments();
    return made;
  }
  gradient_operand filled(gradient_operand like, float value) {
    gradient_operand const made = c_->temporary(name_);
    c_->op("ConstantFill", {like}, {made}).own_arguments().argument("value", value);
    return made;
  }
  /// Flattens a tensor to the matrix that DotProduct and `by_row` take.
  gradient_operand rows(gradient_operand v) {
    if (axis_ == 1) return v;
    gradient_operand const made = c_->temporary(name_);
    c_->op("Flatten", {v}, {made}).own_arguments().argument("axis", axis_);
    return made;
  }
  /// Row-wise dot products Σ a b of results of `rows`.
  gradient_operand dot_products(gradient_operand a, gradient_operand b) { return op("DotProduct", a, b); }
  gradient_operand row_sums(gradient_operand a) { return dot_products(a, filled(a, 1)); }
  /// Mul, Sub, Add or Div of each row and its number.
  gradient_operand by_row(std::string_view type, gradient_operand a, gradient_operand number) {
    gradient_operand const made = c_->temporary(name_);
    by_row(type, a, number, made);
    return made;
  }
  void by_row(std::string_view type, gradient_operand a, gradient_operand number, gradient_operand to) {
    c_->op(type, {a, number}, {to})
        .own_arguments()
        .argument("broadcast", std::int64_t{1})
        .argument("axis", std::int64_t{0});
  }
  /// Restores the shape of the tensors, the inverse of `rows`.
  gradient_operand unflattened(gradient_operand rows, gradient_operand like) {
    return axis_ == 1 ? rows : op("ResizeLike", rows, like);
  }
  /// Mul or Add of each row and the same vector of numbers (broadcast over rows).
  gradient_operand by_column(std::string_view type, gradient_operand a, gradient_operand numbers) {
    gradient_operand const made = c_->temporary(name_);
    c_->op(type, {a, numbers}, {made}).own_arguments().argument("broadcast", std::int64_t{1});
    return made;
  }
  /// Makes `type` of a and b, results of `rows` or of these functions, the gradient of input i.
  void set_gradient(std::size_t i, std::string_view type, gradient_operand a, gradient_operand b) {
    c_->op(type, {a, b}, {target(i)}).own_arguments();
    finish(i);
  }
  void set_gradient_by_row(std::size_t i, std::string_view type, gradient_operand a, gradient_operand number) {
    by_row(type, a, number, target(i));
    finish(i);
  }
  void set_gradient_negated(std::size_t i, gradient_operand a) {
    c_->op("Negative", {a}, {target(i)}).own_arguments();
    finish(i);
  }

 private:
  gradient_operand target(std::size_t i) {
    return target_ = axis_ == 1 ? c_->input_gradient(i) : c_->temporary(c_->gradient_name(i));
  }
  void finish(std::size_t i) {
    if (axis_ != 1) c_->op("ResizeLike", {target_, c_->input(i)}, {c_->input_gradient(i)}).own_arguments();
  }

  gradient_context* c_;
  std::int64_t axis_;
  std::string name_;
  gradient_operand target_;
};

// dx = y (dy - Σ y dy). By dy it is its own transpose; by y it has the derivative g (dy - Σ y dy) - dy Σ g y.
inline void softmax_gradient_gradient(gradient_context& c) {
  gradient_operand const g_here = c.output_gradient(0);
  c.op("SoftmaxGradient", {c.input(0), g_here}, {c.input_gradient(1)});
  row_ops r(c, c.argument<std::int64_t>("axis", 1), c.gradient_name(0));
  gradient_operand const y = r.rows(c.input(0));
  gradient_operand const dy = r.rows(c.input(1));
  gradient_operand const g = r.rows(g_here);
  gradient_operand const centered = r.by_row("Sub", dy, r.dot_products(y, dy));
  r.set_gradient(0, "Sub", r.op("Mul", g, centered), r.by_row("Mul", dy, r.dot_products(g, y)));
}

// dx = dy - eʸ Σ dy has the derivatives g - Σ g eʸ by dy, and -g eʸ Σ dy by y.
inline void log_softmax_gradient_gradient(gradient_context& c) {
  row_ops r(c, c.argument<std::int64_t>("axis", 1), c.gradient_name(0));
  gradient_operand const power = c.temporary(c.gradient_name(0));
  c.op("Exp", {c.input(0)}, {power}).own_arguments();
  gradient_operand const e = r.rows(power);
  gradient_operand const g = r.rows(c.output_gradient(0));
  gradient_operand const dy = r.rows(c.input(1));
  r.set_gradient_by_row(1, "Sub", g, r.dot_products(g, e));
  r.set_gradient_negated(0, r.by_row("Mul", r.op("Mul", g, e), r.row_sums(dy)));
}

// dx = P(s dy), ds = Σ dy n, db = Σ dy over the rows, with n = (x - mean) / σ and P(v) = (v - mean v - n mean(v n)) /
// σ, which is its own transpose and also the derivative of n by x. With G = s dy, the derivative of Σ g P(G) by x is
// -(P(g Σ G n + G Σ g n) + n Σ g dx) / (D σ), for rows of D elements. It includes the paths through mean and σ, whose
// own gradients are therefore none.
inline void layer_norm_gradient_gradient(gradient_context& c) {
  bool const affine = c.argument<std::int64_t>("elementwise_affine", 0) != 0;
  auto const axis = c.argument<std::int64_t>("axis", 1);
  gradient_operand const dy = c.input(0);
  gradient_operand const deviation = c.input(3);
  gradient_operand const x = c.input(4);
  row_ops r(c, axis, c.gradient_name(4));
  gradient_operand n = c.input(1);
  if (affine) {  // input 1 is scaled: recomputes n
    n = c.temporary(c.gradient_name(1));
    c.op("LayerNorm", {x}, {n, c.temporary(c.gradient_name(2)), c.temporary(c.gradient_name(3))})
        .own_arguments()
        .argument("axis", axis)
        .argument("epsilon", c.argument<float>("epsilon", 1e-5f));
  }
  auto const projected = [&](gradient_operand v) {
    gradient_operand const made = c.temporary(c.gradient_name(4));
    c.op("LayerNormGradient", {v, n, c.input(2), deviation, x}, {made}).own_arguments().argument("axis", axis);
    return made;
  };
  std::vector<gradient_operand> by_dy, by_x;
  if (c.has_gradient(0)) {
    gradient_operand const g = c.output_gradient(0);
    gradient_operand const p = projected(g);
    by_dy.push_back(affine ? r.by_column("Mul", p, c.input(5)) : p);
    if (affine) c.op("SumReduceLike", {r.op("Mul", dy, p), c.input(5)}, {c.input_gradient(5)}).own_arguments();
    gradient_operand const rows_g = r.rows(g);
    gradient_operand const rows_dy = r.rows(affine ? r.by_column("Mul", dy, c.input(5)) : dy);
    gradient_operand const rows_n = r.rows(n);
    gradient_operand const crossed = r.op("Add", r.by_row("Mul", rows_g, r.dot_products(rows_dy, rows_n)),
                                          r.by_row("Mul", rows_dy, r.dot_products(rows_g, rows_n)));
    gradient_operand const along = r.by_row("Mul", rows_n, r.dot_products(rows_g, r.rows(c.output(0))));
    gradient_operand const total = r.op("Add", r.rows(projected(r.unflattened(crossed, x))), along);
    gradient_operand const deviations = c.temporary(c.gradient_name(3));
    c.op("FlattenToVec", {deviation}, {deviations}).own_arguments();
    gradient_operand const divisors = r.op("Mul", r.row_sums(r.filled(rows_g, -1)), deviations);
    by_x.push_back(r.unflattened(r.by_row("Div", total, divisors), x));
  }
  if (affine && c.has_gradient(1)) {
    gradient_operand const g = c.output_gradient(1);
    by_dy.push_back(r.by_column("Mul", n, g));
    by_x.push_back(projected(r.by_column("Mul", dy, g)));
  }
  if (affine && c.has_gradient(2)) by_dy.push_back(r.by_column("Add", r.filled(dy, 0), c.output_gradient(2)));
  add_up(c, by_dy, 0);
  add_up(c, by_x, 4);
}

// dx = dl v (p Σt - t) for labels t, with a weight v per row. It is linear in dl, and affine in p: at p = 0 its row
// sums are -dl v Σt, the negated factor of p.
inline void softmax_with_loss_gradient_gradient(gradient_context& c) {
  gradient_operand const g_here = c.output_gradient(0);
  std::size_t const loss = c.listed_input_count() - 1;
  std::size_t const p = loss - 1;
  row_ops r(c, c.argument<std::int64_t>("axis", 1), c.gradient_name(p));
  auto const with = [&](std::size_t i, float value) {
    std::vector<gradient_operand> reads;
    for (std::size_t k = 0; k <= loss; ++k) reads.push_back(k == i ? r.filled(c.input(k), value) : c.input(k));
    gradient_operand const made = c.temporary(c.gradient_name(i));
    c.op("SoftmaxWithLossGradient", reads, std::vector{made});
    return made;
  };
  gradient_operand const factors = r.row_sums(r.rows(with(p, 0)));
  r.set_gradient_negated(p, r.by_row("Mul", r.rows(g_here), factors));
  c.op("SumElements", {r.op("Mul", g_here, with(loss, 1))}, {c.input_gradient(loss)}).own_arguments();
}

// dx = -t dy / x for labels t, of one class or of all: its derivatives are Σ g (-t / x) by dy, g dx (-1 / x) by x and
// -g dy / x by t. The emitted operators clamp x to the same lower bound.
inline void cross_entropy_gradient_gradient(gradient_context& c, bool one_class) {
  row_ops r(c, 1, c.gradient_name(0));
  gradient_operand const x = c.input(0);
  gradient_operand const labels = c.input(1);
  gradient_operand const dy = c.input(2);
  gradient_operand const g = c.output_gradient(0);
  auto const gradient = [&](gradient_operand t, gradient_operand of_loss) {
    gradient_operand const made = c.temporary(c.gradient_name(0));
    c.op(c.type(), {x, t, of_loss}, {made});
    return made;
  };
  gradient_operand const ones = r.filled(dy, 1);
  gradient_operand const of_one = gradient(labels, ones);
  c.op("DotProduct", {g, of_one}, {c.input_gradient(2)}).own_arguments();
  if (one_class) {
    r.set_gradient(0, "Mul", r.op("Mul", g, c.output(0)), of_one);
    return;
  }
  gradient_operand const all = r.filled(x, 1);
  r.set_gradient(0, "Mul", r.op("Mul", g, c.output(0)), gradient(all, ones));
  r.set_gradient(1, "Mul", g, gradient(all, dy));
}

// dx = dy (σ(x) - t) / D for rows of D elements: its derivatives are Σ g (σ(x) - t) / D by dy, g dy σ' / D by x and
// -g dy / D by t. dy / D is twice the value of dx at x = t = 0.
inline void sigmoid_cross_entropy_gradient_gradient(gradient_context& c) {
  c.refuse_unless(
      c.argument<std::int64_t>("log_D_trick", 0) == 0 && c.argument<std::int64_t>("unjoined_lr_loss", 0) == 0,
      "second-order gradients of SigmoidCrossEntropyWithLogits exist for the plain loss only");
  gradient_operand const dy = c.input(0);
  gradient_operand const x = c.input(1);
  gradient_operand const g = c.output_gradient(0);
  row_ops r(c, -1, c.gradient_name(1));
  auto const gradient = [&](gradient_operand of_loss, gradient_operand logits, gradient_operand targets) {
    gradient_operand const made = c.temporary(c.gradient_name(1));
    c.op("SigmoidCrossEntropyWithLogitsGradient", {of_loss, logits, targets}, {made});
    return made;
  };
  gradient_operand const by_dy = r.dot_products(r.rows(g), r.rows(gradient(r.filled(dy, 1), x, c.input(2))));
  c.op("ResizeLike", {by_dy, dy}, {c.input_gradient(0)}).own_arguments();
  gradient_operand const zero = r.filled(x, 0);
  gradient_operand const half = gradient(dy, zero, zero);
  gradient_operand const weighted = r.op("Mul", g, half);
  gradient_operand const doubled = c.temporary(c.gradient_name(1));
  c.op("Scale", {weighted}, {doubled}).own_arguments().argument("scale", 2.0f);
  gradient_operand const sigmoid = c.temporary(c.gradient_name(1));
  c.op("Sigmoid", {x}, {sigmoid}).own_arguments();
  c.op("SigmoidGradient", {sigmoid, doubled}, {c.input_gradient(1)}).own_arguments();
  c.op("Negative", {doubled}, {c.input_gradient(2)}).own_arguments();
}

// dx = y dz, dy = x dz.
inline void dot_product_gradient_gradient(gradient_context& c) {
  row_ops r(c, 1, c.gradient_name(2));
  gradient_operand const dz = c.input(2);
  bool const of_x = c.has_gradient(0);
  bool const of_y = c.has_gradient(1);
  if (of_x && of_y)
    c.op("DotProductGradient", {c.output_gradient(0), c.output_gradient(1), dz},
         {c.input_gradient(0), c.input_gradient(1)});
  else
    r.set_gradient_by_row(of_x ? 1 : 0, "Mul", c.output_gradient(of_x ? 0 : 1), dz);
  std::vector<gradient_operand> by_dz;
  for (std::size_t i = 0; i != 2; ++i)
    if (c.has_gradient(i)) by_dz.push_back(r.dot_products(c.output_gradient(i), c.input(1 - i)));
  add_up(c, by_dz, 2);
}

// dx = (x - y) dz, dy = -dx.
inline void squared_distance_gradient_gradient(gradient_context& c) {
  row_ops r(c, 1, c.gradient_name(2));
  gradient_operand const dz = c.input(2);
  bool const of_x = c.has_gradient(0);
  std::size_t const of = of_x ? 0 : 1;
  gradient_operand g = c.output_gradient(of);
  if (of_x && c.has_gradient(1)) {
    c.op("SquaredL2DistanceGradient", {g, c.output_gradient(1), dz}, {c.input_gradient(0), c.input_gradient(1)});
    g = r.op("Sub", g, c.output_gradient(1));
  } else {
    gradient_operand const made = c.input_gradient(of);
    r.by_row("Mul", g, dz, made);
    r.set_gradient_negated(1 - of, made);
  }
  c.op("DotProduct", {g, r.op("Sub", c.input(of), c.input(1 - of))}, {c.input_gradient(2)}).own_arguments();
}

}  // namespace detail

/// Adds the rules of row-wise gradient operators.
inline void add_second_order_row_rules(gradient_rules& rules) {
  rules.set("SoftmaxGradient", detail::softmax_gradient_gradient);
  rules.set("LogSoftmaxGradient", detail::log_softmax_gradient_gradient);
  rules.set("LayerNormGradient", detail::layer_norm_gradient_gradient);
  rules.set("SoftmaxWithLossGradient", detail::softmax_with_loss_gradient_gradient);
  rules.set("SigmoidCrossEntropyWithLogitsGradient", detail::sigmoid_cross_entropy_gradient_gradient);
  rules.set("LabelCrossEntropyGradient", [](gradient_context& c) { detail::cross_entropy_gradient_gradient(c, true); });
  rules.set("CrossEntropyGradient", [](gradient_context& c) { detail::cross_entropy_gradient_gradient(c, false); });
  rules.set("DotProductGradient", detail::dot_product_gradient_gradient);
  rules.set("SquaredL2DistanceGradient", detail::squared_distance_gradient_gradient);
}

}  // namespace plait
