// Gradients of losses.
//
// Labels are int32 or int64 and are checked to be classes before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/operators/losses.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns 1 / max(x, 1e-20), the derivative of bounded_log, but not zero below its bound, as in Caffe2.
template <class T>
PLAIT_HOST_DEVICE constexpr T bounded_log_slope(T x) {
  return T(1) / (x < T(1e-20f) ? T(1e-20f) : x);
}

template <class T>
struct label_cross_entropy_gradient {
  T const* x;
  class_labels labels;
  T const* dy;
  T* dx;
  std::size_t classes;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const to = dx + row * classes;
    for (std::size_t i = first; i < last; ++i) to[i] = T(0);
    std::size_t const label = labels[row];
    if (first <= label && label < last) to[label] = -dy[row] * bounded_log_slope(x[row * classes + label]);
  }
};

template <class T>
struct cross_entropy_gradient {
  T const* x;
  T const* labels;
  T const* dy;
  T* dx;
  std::size_t classes;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const p = x + row * classes;
    T const* const q = labels + row * classes;
    T* const to = dx + row * classes;
    T const weight = -dy[row];
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = weight * q[i] * bounded_log_slope(p[i]);
  }
};

/// Returns the derivative of sigmoid_log_likelihood with respect to x.
template <sigmoid_loss Kind, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T sigmoid_log_likelihood_slope(T x, T target) {
  if constexpr (Kind == sigmoid_loss::plain) return target - math::sigmoid(x);
  if constexpr (Kind == sigmoid_loss::log_d_trick) return (T(2) * target - T(1)) * math::sigmoid(-x);
  if constexpr (Kind == sigmoid_loss::unjoined) return target + (target - T(1)) * math::sigmoid(x);
}

template <sigmoid_loss Kind, class T>
struct sigmoid_cross_entropy_gradient {
  T const* dy;
  T const* x;
  T const* targets;
  T* dx;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const a = x + row * width;
    T const* const b = targets + row * width;
    T* const to = dx + row * width;
    T const weight = -dy[row] / static_cast<T>(width);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = weight * sigmoid_log_likelihood_slope<Kind>(a[i], b[i]);
  }
};

template <class T>
struct mean_gradient {
  T const* dy;
  T* dx;
  std::size_t count;
  PLAIT_HOST_DEVICE void operator()(std::size_t, std::size_t first, std::size_t last) const {
    T* const to = dx;
    T const share = *dy / static_cast<T>(count);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = share;
  }
};

}  // namespace detail

/// Operands X, labels, dY.
template <backend B>
class label_cross_entropy_gradient_kernel final : public row_label_kernel<B> {
 public:
  explicit label_cross_entropy_gradient_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    this->expect_rows(c);
    this->expect_labels(c);
    this->expect_loss(c, 2);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    auto const labels = detail::class_labels::checked<B>(c, 1, this->classes());
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(
          this->rows(), this->classes(), 1,
          detail::label_cross_entropy_gradient<T>{c.template input<T>(0), labels, c.template input<T>(2),
                                                  c.template output<T>(0), this->classes()});
    });
  }
};

/// Operands X, labels, dY; the labels have no gradient.
template <backend B>
class cross_entropy_gradient_kernel final : public row_label_kernel<B> {
 public:
  explicit cross_entropy_gradient_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    this->expect_rows(c);
    this->expect_distributions(c);
    this->expect_loss(c, 2);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(
          this->rows(), this->classes(), 2,
          detail::cross_entropy_gradient<T>{c.template input<T>(0), c.template input<T>(1), c.template input<T>(2),
                                            c.template output<T>(0), this->classes()});
    });
  }
};

/// Operands dY, logits, targets; the targets have no gradient.
template <backend B>
class sigmoid_cross_entropy_gradient_kernel final : public sigmoid_loss_kernel<B> {
 public:
  using sigmoid_loss_kernel<B>::sigmoid_loss_kernel;
  void infer(shape_context& c) override {
    shape const losses = this->losses_of(c, 1);
    c.expect_same_type(0, 1);
    c.expect(c.dims(0) == losses, 0, "have the shape of the losses, ", losses);
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      this->visit_kind([&](auto kind) {
        for_each_row_part<B>(c.size(0), this->width(), 4,
                             detail::sigmoid_cross_entropy_gradient<kind(), T>{
                                 c.template input<T>(0), c.template input<T>(1), c.template input<T>(2),
                                 c.template output<T>(0), this->width()});
      });
    });
  }
};

/// Kernel of AveragedLossGradient. Operands X, dY.
template <backend B>
class averaged_loss_gradient_kernel final : public op_kernel<B> {
 public:
  explicit averaged_loss_gradient_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect(c.dims(1).size() == 1, 1, "be one number");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(1, c.size(0), 1,
                           detail::mean_gradient<T>{c.template input<T>(1), c.template output<T>(0), c.size(0)});
    });
  }
};

/// Adds LabelCrossEntropyGradient, CrossEntropyGradient, SigmoidCrossEntropyWithLogitsGradient, AveragedLossGradient.
/// (SoftmaxWithLossGradient: softmax_with_loss_gradients.hpp.)
template <backend B>
void add_loss_gradient_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::string_view text) {
    return op_schema(type).inputs(3).outputs(1).checks_first().describe(text);
  };
  table.template add<label_cross_entropy_gradient_kernel<B>>(
      schema("LabelCrossEntropyGradient",
             "dX[r, label[r]] = -dY[r] / max(X[r, label[r]], 1e-20), 0 elsewhere; inputs X, label, dY"));
  table.template add<cross_entropy_gradient_kernel<B>>(
      schema("CrossEntropyGradient", "dX = -dY[r] L / max(X, 1e-20); inputs X, L, dY").in_place(0, 0));
  table.template add<sigmoid_cross_entropy_gradient_kernel<B>>(
      schema("SigmoidCrossEntropyWithLogitsGradient",
             "dX = dY[...] (sigmoid(X) - target) / the length of the last axis; inputs dY, X, targets")
          .in_place(1, 0)
          .argument("log_D_trick", std::int64_t{0}, "(2 target - 1) log(sigmoid(x)) was averaged instead")
          .argument("unjoined_lr_loss", std::int64_t{0}, "target x - (1 - target) log(1 + e^x) was averaged instead"));
  table.template add<averaged_loss_gradient_kernel<B>>(
      schema("AveragedLossGradient", "dX = dY / the number of elements of X; inputs X, dY").inputs(2).in_place(0, 0));
}

}  // namespace plait

PLAIT_KERNELS_END
