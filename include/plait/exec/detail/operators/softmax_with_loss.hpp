// SoftmaxWithLoss: fused softmax and cross entropy, exact where the label's probability rounds to 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/softmax.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/operators/losses.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns true if a row of labels is no distribution: if an element is negative, or the sum is not 1 within 1e-5.
template <class T>
struct is_no_distribution {
  T const* labels;
  std::size_t classes;
  PLAIT_HOST_DEVICE bool operator()(std::size_t row) const {
    T const* const q = labels + row * classes;
    T const sum = reduce_row<sum_reduction, T>(classes, [q](std::size_t i) { return q[i]; });
    T const least = reduce_row<min_reduction, T>(classes, [q](std::size_t i) { return q[i]; });
    return !(least >= T(0) && magnitude_of()(sum - T(1)) < T(1e-5f));
  }
};

template <class T>
struct softmax_label_loss_rows {
  T const* x;
  T* p;
  T* losses;
  class_labels labels;
  T const* weights;  // nullptr: 1
  std::size_t classes;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * classes;
    T const of_label = from[labels[row]];  // p may alias x
    softmax_parts<T> const parts = softmax_row(from, p + row * classes, classes);
    T const loss = math::log(parts.total) - (of_label - parts.highest);
    losses[row] = weights == nullptr ? loss : loss * weights[row];
  }
};

// Logarithms of probabilities are bounded below, as in Caffe2: those of labels of weight 0 could be infinite.
template <class T>
struct softmax_distribution_loss_rows {
  T const* x;
  T* p;
  T* losses;
  T const* labels;
  T const* weights;
  std::size_t classes;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * classes;
    T const* const q = labels + row * classes;
    softmax_parts<T> const parts = softmax_parts_of_row(from, classes);
    T const shift = parts.highest;
    T const log_total = math::log(parts.total);
    T const least = bounded_log(T(0));
    T const sum = reduce_team_row<sum_reduction, T>(classes, [=](std::size_t i) {
      T const log_p = (from[i] - shift) - log_total;
      return (log_p < least ? least : log_p) * q[i];
    });
    losses[row] = weights == nullptr ? -sum : -sum * weights[row];
    T const scale = T(1) / parts.total;
    T* const to = p + row * classes;
    std::size_t const count = classes;
    for_team_elements(count, [=](std::size_t i) { to[i] = math::exp_of_negative(from[i] - shift) * scale; });
  }
};

template <class T>
struct weighted_average {
  T const* losses;
  T const* weights;  // nullptr: 1
  T* y;
  std::size_t rows;
  T scale;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t) const {
    T const* const l = losses;
    T const* const w = weights;
    T const loss = reduce_team_row<sum_reduction, T>(rows, [l](std::size_t i) { return l[i]; });
    T const weight = w == nullptr ? static_cast<T>(rows)
                                  : reduce_team_row<sum_reduction, T>(rows, [w](std::size_t i) { return w[i]; });
    *y = weight == T(0) ? T(0) : loss * scale / weight;
  }
};

}  // namespace detail

/// Base of SoftmaxWithLoss and its gradient: inputs X, labels and optional weights. X is viewed as a matrix, with the
/// axes before `axis` as rows.
template <backend B>
class softmax_loss_kernel : public op_kernel<B> {
 public:
  softmax_loss_kernel(op_arguments const& a, bool weighted)
      : axis_(a.integer("axis")),
        scale_(a.real("scale")),
        distributions_(a.flag("label_prob")),
        by_rows_(a.flag("average_by_batch_size")),
        weighted_(weighted) {
    if (!(scale_ >= 0)) a.fail("scale", "is negative");
  }

  static op_schema& describe(op_schema& schema) {
    return schema.argument("label_prob", std::int64_t{0}, "whether labels are distributions over the classes")
        .argument("scale", 1.0f, "of the loss")
        .argument("axis", std::int64_t{1}, "the first axis of a row of classes; those before it make the rows")
        .argument("average_by_batch_size", std::int64_t{0}, "1: divides by the number of rows, not by sum(w)")
        .ignored_in_caffe2("average_by_batch_size")
        .no_doubles_in_caffe2()
        .checks_first();
  }

 protected:
  void expect_operands(shape_context& c) {
    c.template expect_type<float, double>(0);
    std::size_t const axis = c.axis(0, axis_);
    std::int64_t const rows = c.dims(0).size_to(axis);
    std::int64_t const classes = c.dims(0).size_from(axis);
    rows_ = static_cast<std::size_t>(rows);
    classes_ = static_cast<std::size_t>(classes);
    shape const& labels = c.dims(1);
    if (distributions_) {
      c.expect_same_type(0, 1);
      c.expect_rank(1, 2);
    } else {
      c.template expect_type<std::int32_t, std::int64_t>(1);
    }
    std::int64_t const width = distributions_ ? classes : 1;
    bool const flat = !distributions_ && labels.rank() == axis;
    bool const fit = labels.rank() >= axis && labels.size_to(flat ? labels.rank() : axis) == rows &&
                     (flat || labels.size_from(axis) == width);
    if (distributions_)
      c.expect(fit, 1, "have ", classes, " probabilities for each of ", rows, " rows");
    else
      c.expect(fit, 1, "have a label for each of ", rows, " rows");
    if (weighted_) {
      c.expect_same_type(0, 2);
      c.expect(c.dims(2).size() == rows, 2, "have a weight for each of ", rows, " rows");
    }
  }
  template <class T>
  T const* weights(op_context<B> const& c) const {
    return weighted_ ? c.template input<T>(2) : nullptr;
  }
  /// Returns the weights whose sum divides the loss; nullptr: the number of rows divides it.
  template <class T>
  T const* divisors(op_context<B> const& c) const {
    return by_rows_ ? nullptr : weights<T>(c);
  }
  template <class T>
  T scale() const {
    return static_cast<T>(scale_);
  }
  bool has_distributions() const noexcept { return distributions_; }
  bool is_weighted() const noexcept { return weighted_; }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t classes() const noexcept { return classes_; }

 private:
  std::int64_t axis_;
  float scale_;
  bool distributions_;
  bool by_rows_;
  bool weighted_;
  std::size_t rows_ = 0;
  std::size_t classes_ = 0;
};

template <backend B>
class softmax_with_loss_kernel final : public softmax_loss_kernel<B> {
 public:
  explicit softmax_with_loss_kernel(op_arguments const& a) : softmax_loss_kernel<B>(a, a.input_count() == 3) {}
  void infer(shape_context& c) override {
    this->expect_operands(c);
    c.output(0, c.type(0), c.dims(0));
    c.output(1, c.type(0), {});
    c.scratch(this->rows() * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T* const p = c.template output<T>(0);
      T* const losses = static_cast<T*>(c.scratch());
      T const* const weights = this->template weights<T>(c);
      std::size_t const rows = this->rows();
      std::size_t const classes = this->classes();
      if (this->has_distributions()) {
        T const* const labels = c.template input<T>(1);
        std::size_t const at = find_index<B>(rows, detail::is_no_distribution<T>{labels, classes});
        if (at != rows)
          c.fail("the labels of row " + std::to_string(at) + " are no probabilities, of sum 1 and none negative");
        for_each_team<B>(rows, classes, 8 * classes,
                         detail::softmax_distribution_loss_rows<T>{x, p, losses, labels, weights, classes});
      } else {
        auto const labels = detail::class_labels::checked<B>(c, 1, classes);
        for_each_team<B>(rows, classes, 4 * classes,
                         detail::softmax_label_loss_rows<T>{x, p, losses, labels, weights, classes});
      }
      for_each_team<B>(1, rows, rows,
                       detail::weighted_average<T>{losses, this->template divisors<T>(c), c.template output<T>(1), rows,
                                                   this->template scale<T>()});
    });
  }
};

/// SoftmaxWithLoss.
template <backend B>
void add_softmax_with_loss_operators(operators<B>& table) {
  op_schema schema("SoftmaxWithLoss");
  schema.inputs(2, 3).outputs(2).in_place(0, 0).describe(
      "P = softmax(X), loss = scale * sum(w[r] * -log(P[r, label[r]])) / sum(w), 0 where sum(w) is 0; "
      "inputs X, labels, [w]");
  table.template add<softmax_with_loss_kernel<B>>(softmax_loss_kernel<B>::describe(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
