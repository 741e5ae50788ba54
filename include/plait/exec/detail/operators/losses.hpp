// Cross-entropy losses, and accuracy, of predictions against labels.
//
// Labels are int32 or int64 and are checked to be classes before anything is written.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/softmax.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Labels of type int32 or int64.
struct class_labels {
  void const* data = nullptr;
  bool wide = false;

  PLAIT_HOST_DEVICE std::size_t operator[](std::size_t i) const {
    return static_cast<std::size_t>(wide ? static_cast<std::int64_t const*>(data)[i]
                                         : static_cast<std::int32_t const*>(data)[i]);
  }
  /// Returns the labels of an input. Throws shape_error unless all are below `classes`.
  template <backend B>
  static class_labels checked(op_context<B>& c, std::size_t input, std::size_t classes) {
    bool const wide = c.type(input) == element_type::int64;
    auto const bound = static_cast<std::int64_t>(classes);
    if (wide)
      check_indices<B>(c.template input<std::int64_t>(input), c.size(input), bound);
    else
      check_indices<B>(c.template input<std::int32_t>(input), c.size(input), bound);
    return {c.raw_input(input), wide};
  }
};

/// Computes log(max(x, 1e-20)); propagates NaN.
template <class T>
PLAIT_HOST_DEVICE constexpr T bounded_log(T x) {
  return math::log(x < T(1e-20f) ? T(1e-20f) : x);
}

template <class T>
struct label_cross_entropy_rows {
  T const* x;
  class_labels labels;
  T* y;
  std::size_t classes;
  PLAIT_HOST_DEVICE void operator()(std::size_t row) const { y[row] = -bounded_log(x[row * classes + labels[row]]); }
};

template <class T>
struct cross_entropy_rows {
  T const* x;
  T const* labels;
  T* y;
  std::size_t classes;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const p = x + row * classes;
    T const* const q = labels + row * classes;
    y[row] = -reduce_team_row<sum_reduction, T>(classes, [p, q](std::size_t i) { return q[i] * bounded_log(p[i]); });
  }
};

template <class T>
struct is_no_probability {
  T const* labels;
  PLAIT_HOST_DEVICE bool operator()(std::size_t i) const {
    return !static_cast<bool>((labels[i] >= T(0)) & (labels[i] <= T(1)));
  }
};

template <class T>
struct label_accuracy_rows {
  T const* x;
  class_labels labels;
  std::int32_t* right;
  std::size_t classes;
  std::size_t top;
  // Sets right[row] if fewer than `top` classes are ahead of the label: more probable, or equal and before it.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const p = x + row * classes;
    std::size_t const label = labels[row];
    T const own = p[label];
    std::size_t ahead = 0;
    for (std::size_t i = 0; i < label; ++i) ahead += p[i] >= own ? 1U : 0U;
    for (std::size_t i = label + 1; i < classes; ++i) ahead += p[i] > own ? 1U : 0U;
    right[row] = ahead < top ? 1 : 0;
  }
};

template <class T>
struct share_of_ones {
  std::int32_t const* ones;
  T* y;
  std::size_t count;
  PLAIT_HOST_DEVICE void operator()(std::size_t) const {
    auto const at = ones;
    std::int32_t const sum = reduce_team_row<sum_reduction, std::int32_t>(count, [at](std::size_t i) { return at[i]; });
    *y = static_cast<T>(sum) / static_cast<T>(count);
  }
};

enum class sigmoid_loss : unsigned char { plain, log_d_trick, unjoined };

/// Computes the log likelihood of a target, 0 to 1, under sigmoid(x), with log(1 + e^x) in a form that cannot overflow.
template <sigmoid_loss Kind, class T>
PLAIT_HOST_DEVICE constexpr T sigmoid_log_likelihood(T x, T target) {
  T const positive = x >= T(0) ? x : T(0);
  T const tail = math::log1p(math::exp_of_negative(-magnitude_of()(x)));
  if constexpr (Kind == sigmoid_loss::plain) return x * target - positive - tail;
  if constexpr (Kind == sigmoid_loss::log_d_trick) return (T(2) * target - T(1)) * (x - (positive + tail));
  if constexpr (Kind == sigmoid_loss::unjoined) return x * target + (target - T(1)) * (positive + tail);
}

template <sigmoid_loss Kind, class T>
struct sigmoid_cross_entropy_rows {
  T const* x;
  T const* targets;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const a = x + row * width;
    T const* const b = targets + row * width;
    T const sum = reduce_team_row<sum_reduction, T>(
        width, [a, b](std::size_t i) { return sigmoid_log_likelihood<Kind>(a[i], b[i]); });
    y[row] = -sum / static_cast<T>(width);
  }
};

}  // namespace detail

/// Base of LabelCrossEntropy, CrossEntropy, Accuracy and the gradients: X as a matrix with rows of class probabilities
/// (one row if it is a vector), and labels of each row.
template <backend B>
class row_label_kernel : public op_kernel<B> {
 protected:
  void expect_rows(shape_context& c) {
    c.template expect_type<float, double>(0);
    c.expect_rank(0, 1);
    shape const& dims = c.dims(0);
    rows_ = static_cast<std::size_t>(dims.rank() > 1 ? dims[0] : 1);
    classes_ = static_cast<std::size_t>(dims.rank() > 1 ? dims.size_from(1) : dims[0]);
  }
  void expect_labels(shape_context& c) const {
    c.template expect_type<std::int32_t, std::int64_t>(1);
    shape const& dims = c.dims(1);
    auto const rows = static_cast<std::int64_t>(rows_);
    c.expect(dims == shape{rows} || dims == shape{rows, 1}, 1, "have a label for each of ", rows, " rows");
  }
  /// Throws unless input i, a loss or its gradient, has a number for each row.
  void expect_loss(shape_context& c, std::size_t i) const {
    c.expect_same_type(0, i);
    c.expect(c.dims(i) == shape{static_cast<std::int64_t>(rows_)}, i, "have an element for each of ", rows_, " rows");
  }
  void expect_distributions(shape_context& c) const {
    shape const& x = c.dims(0);
    shape const& labels = c.dims(1);
    c.expect_same_type(0, 1);
    c.expect(labels.size() == x.size() && (x.rank() == 1 || labels.rank() > 1) && labels.rank() != 0 &&
                 (x.rank() == 1 || labels[0] == x[0]),
             1, "have a probability for each of ", classes(), " classes of ", rows(), " rows");
  }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t classes() const noexcept { return classes_; }

 private:
  std::size_t rows_ = 0;
  std::size_t classes_ = 0;
};

template <backend B>
class label_cross_entropy_kernel final : public row_label_kernel<B> {
 public:
  explicit label_cross_entropy_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    this->expect_rows(c);
    this->expect_labels(c);
    c.output(0, c.type(0), {static_cast<std::int64_t>(this->rows())});
  }
  void run(op_context<B>& c) override {
    auto const labels = detail::class_labels::checked<B>(c, 1, this->classes());
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_index<B>(this->rows(), detail::label_cross_entropy_rows<T>{c.template input<T>(0), labels,
                                                                          c.template output<T>(0), this->classes()});
    });
  }
};

template <backend B>
class cross_entropy_kernel final : public row_label_kernel<B> {
 public:
  explicit cross_entropy_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    this->expect_rows(c);
    this->expect_distributions(c);
    c.output(0, c.type(0), {static_cast<std::int64_t>(this->rows())});
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const labels = c.template input<T>(1);
      std::size_t const at = find_index<B>(c.size(1), detail::is_no_probability<T>{labels});
      if (at != c.size(1)) c.fail("the label at place " + std::to_string(at) + " is no probability, from 0 to 1");
      for_each_team<B>(
          this->rows(), this->classes(), 4 * this->classes(),
          detail::cross_entropy_rows<T>{c.template input<T>(0), labels, c.template output<T>(0), this->classes()});
    });
  }
};

/// Kernel of Accuracy. The output is float.
template <backend B>
class accuracy_kernel final : public row_label_kernel<B> {
 public:
  explicit accuracy_kernel(op_arguments const& a) : top_(a.integer("top_k")) {
    if (top_ < 1) a.fail("top_k", "is less than 1");
  }
  void infer(shape_context& c) override {
    this->expect_rows(c);
    this->expect_labels(c);
    c.output(0, element_type::float32, {});
    c.scratch(this->rows() * sizeof(std::int32_t));
  }
  void run(op_context<B>& c) override {
    auto const labels = detail::class_labels::checked<B>(c, 1, this->classes());
    auto* const right = static_cast<std::int32_t*>(c.scratch());
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row<B>(this->rows(), this->classes(),
                      detail::label_accuracy_rows<T>{c.template input<T>(0), labels, right, this->classes(),
                                                     static_cast<std::size_t>(top_)});
    });
    for_each_team<B>(1, this->rows(), this->rows(),
                     detail::share_of_ones<float>{right, c.template output<float>(0), this->rows()});
  }

 private:
  std::int64_t top_;
};

/// Base of SigmoidCrossEntropyWithLogits and its gradient.
template <backend B>
class sigmoid_loss_kernel : public op_kernel<B> {
 public:
  explicit sigmoid_loss_kernel(op_arguments const& a)
      : log_d_trick_(a.flag("log_D_trick")), unjoined_(a.flag("unjoined_lr_loss")) {
    if (log_d_trick_ && unjoined_) a.fail("unjoined_lr_loss", "and 'log_D_trick' exclude each other");
  }

 protected:
  /// Returns the shape of the losses of logits and targets, inputs `logits` and `logits` + 1.
  shape losses_of(shape_context& c, std::size_t logits) {
    c.template expect_type<float, double>(logits);
    c.expect_same_type(logits, logits + 1);
    c.expect_same_dims(logits, logits + 1);
    shape out = c.dims(logits);
    width_ = 1;
    if (out.rank() != 0) {
      width_ = static_cast<std::size_t>(out[out.rank() - 1]);
      out.erase(out.rank() - 1);
    }
    return out;
  }
  /// Calls f with the variant of the loss as a constant.
  template <class F>
  void visit_kind(F&& f) const {
    using kind = detail::sigmoid_loss;
    if (unjoined_)
      f(std::integral_constant<kind, kind::unjoined>());
    else if (log_d_trick_)
      f(std::integral_constant<kind, kind::log_d_trick>());
    else
      f(std::integral_constant<kind, kind::plain>());
  }
  std::size_t width() const noexcept { return width_; }

 private:
  bool log_d_trick_;
  bool unjoined_;
  std::size_t width_ = 1;
};

template <backend B>
class sigmoid_cross_entropy_kernel final : public sigmoid_loss_kernel<B> {
 public:
  using sigmoid_loss_kernel<B>::sigmoid_loss_kernel;
  void infer(shape_context& c) override {
    shape const losses = this->losses_of(c, 0);
    c.output(0, c.type(0), losses);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      this->visit_kind([&](auto kind) {
        for_each_team<B>(c.output_size(0), this->width(), 8 * this->width(),
                         detail::sigmoid_cross_entropy_rows<kind(), T>{c.template input<T>(0), c.template input<T>(1),
                                                                       c.template output<T>(0), this->width()});
      });
    });
  }
};

namespace detail::caffe2 {

/// Checks Caffe2's restrictions of Accuracy.
inline shape_check accuracy(op_arguments const&) {
  return [](shape_context const& c) {
    c.expect_rank(0, 2, 2);
    c.expect_rank(1, 1, 1);
  };
}

}  // namespace detail::caffe2

/// Adds LabelCrossEntropy, CrossEntropy, SigmoidCrossEntropyWithLogits, Accuracy. (SoftmaxWithLoss:
/// softmax_with_loss.hpp; AveragedLoss: reductions.hpp.)
template <backend B>
void add_loss_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) {
    return op_schema(type).inputs(2).outputs(1).checks_first().no_doubles_in_caffe2();
  };
  table.template add<label_cross_entropy_kernel<B>>(
      schema("LabelCrossEntropy").describe("Y[r] = -log(max(X[r, label[r]], 1e-20))"));
  table.template add<cross_entropy_kernel<B>>(
      schema("CrossEntropy").describe("Y[r] = the sum of -L[r, j] * log(max(X[r, j], 1e-20)), L probabilities"));
  table.template add<sigmoid_cross_entropy_kernel<B>>(
      schema("SigmoidCrossEntropyWithLogits")
          .argument("log_D_trick", std::int64_t{0}, "(2 target - 1) log(sigmoid(x)) is averaged instead")
          .argument("unjoined_lr_loss", std::int64_t{0},
                    "target x - (1 - target) log(1 + e^x) is averaged instead: positives also came as negatives")
          .describe("Y[...] = the mean along the last axis of -log of the likelihood of targets under sigmoid(X)"));
  table.template add<accuracy_kernel<B>>(
      schema("Accuracy")
          .argument("top_k", std::int64_t{1}, "how far down the label may stand")
          .in_caffe2(detail::caffe2::accuracy)
          .describe(
              "Y = the share of rows of X[r, class] whose label is among the top_k classes; the first of equals"));
}

}  // namespace plait

PLAIT_KERNELS_END
