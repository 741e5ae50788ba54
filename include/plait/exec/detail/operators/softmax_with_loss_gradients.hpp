// SoftmaxWithLossGradient: the fused gradient of softmax and cross entropy.
#pragma once

#include <cstddef>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/operators/softmax_with_loss.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Computes the factor of all rows' gradients, besides their weights; 0 if the weights sum to 0.
template <class T>
struct softmax_loss_factor {
  T const* loss_gradient;
  T const* weights;
  T* factor;
  std::size_t rows;
  T scale;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t) const {
    T const* const w = weights;
    T const total = w == nullptr ? static_cast<T>(rows)
                                 : reduce_team_row<sum_reduction, T>(rows, [w](std::size_t i) { return w[i]; });
    *factor = total == T(0) ? T(0) : *loss_gradient * scale / total;
  }
};

template <class T>
struct softmax_label_gradient {
  T const* p;
  T* dx;
  class_labels labels;
  T const* weights;
  T const* factor;
  std::size_t classes;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const weighted = weights == nullptr ? *factor : *factor * weights[row];
    T const* const from = p + row * classes;
    T* const to = dx + row * classes;
    std::size_t const label = labels[row];
    bool const here = first <= label && label < last;
    T const at_label = here ? (from[label] - T(1)) * weighted : T(0);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = from[i] * weighted;
    if (here) to[label] = at_label;
  }
};

template <class T>
struct softmax_distribution_gradient {
  T const* p;
  T* dx;
  T const* labels;
  T const* weights;
  T const* factor;
  std::size_t classes;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const weighted = weights == nullptr ? *factor : *factor * weights[row];
    T const* const from = p + row * classes;
    T const* const q = labels + row * classes;
    T* const to = dx + row * classes;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = (from[i] - q[i]) * weighted;
  }
};

}  // namespace detail

/// dX = w[r] (P - labels) * scale * dloss / sum(w), with labels as one-hot distributions. Inputs X, labels, [w], P,
/// dloss; a gradient of P is not an input.
template <backend B>
class softmax_with_loss_gradient_kernel final : public softmax_loss_kernel<B> {
 public:
  explicit softmax_with_loss_gradient_kernel(op_arguments const& a) : softmax_loss_kernel<B>(a, a.input_count() == 5) {}
  void infer(shape_context& c) override {
    this->expect_operands(c);
    c.expect_same_type(0, probabilities());
    c.expect_same_dims(0, probabilities());
    c.expect_same_type(0, probabilities() + 1);
    c.expect(c.dims(probabilities() + 1).size() == 1, probabilities() + 1, "be one number");
    c.output(0, c.type(0), c.dims(0));
    c.scratch(size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const p = c.template input<T>(probabilities());
      T* const dx = c.template output<T>(0);
      T* const factor = static_cast<T*>(c.scratch());
      T const* const weights = this->template weights<T>(c);
      std::size_t const rows = this->rows();
      std::size_t const classes = this->classes();
      detail::class_labels labels;
      if (!this->has_distributions()) labels = detail::class_labels::checked<B>(c, 1, classes);
      for_each_team<B>(
          1, rows, rows,
          detail::softmax_loss_factor<T>{c.template input<T>(probabilities() + 1), this->template divisors<T>(c),
                                         factor, rows, this->template scale<T>()});
      if (this->has_distributions())
        for_each_row_part<B>(
            rows, classes, 1,
            detail::softmax_distribution_gradient<T>{p, dx, c.template input<T>(1), weights, factor, classes});
      else
        for_each_row_part<B>(rows, classes, 1,
                             detail::softmax_label_gradient<T>{p, dx, labels, weights, factor, classes});
    });
  }

 private:
  std::size_t probabilities() const { return this->is_weighted() ? 3 : 2; }
};

/// SoftmaxWithLossGradient.
template <backend B>
void add_softmax_with_loss_gradient_operators(operators<B>& table) {
  op_schema schema("SoftmaxWithLossGradient");
  schema.inputs(4, 5).outputs(1).in_place(0, 0).in_place(2, 0).in_place(3, 0).describe(
      "dX = w[r] (P - label[r]) * scale * dloss / sum(w), 0 where sum(w) is 0; inputs X, labels, [w], P, dloss");
  table.template add<softmax_with_loss_gradient_kernel<B>>(softmax_loss_kernel<B>::describe(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
