// WeightedSigmoidCrossEntropyWithLogits and its gradient.
#pragma once

#include <cstddef>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/losses_gradients.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct weighted_sigmoid_loss_rows {
  T const* x;
  T const* targets;
  T const* weights;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const a = x + row * width;
    T const* const b = targets + row * width;
    T const* const w = weights + row * width;
    T const sum = reduce_team_row<sum_reduction, T>(
        width, [=](std::size_t i) { return w[i] * sigmoid_log_likelihood<sigmoid_loss::plain>(a[i], b[i]); });
    y[row] = -sum / static_cast<T>(width);
  }
};

template <class T>
struct weighted_sigmoid_loss_gradient {
  T const* dy;
  T const* x;
  T const* targets;
  T const* weights;
  T* dx;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const a = x + row * width;
    T const* const b = targets + row * width;
    T const* const w = weights + row * width;
    T* const to = dx + row * width;
    T const share = -dy[row] / static_cast<T>(width);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i)
      to[i] = share * w[i] * sigmoid_log_likelihood_slope<sigmoid_loss::plain>(a[i], b[i]);
  }
};

/// Returns the shape of the losses of three inputs of one shape, from `logits` on: without the last axis. Sets `width`
/// to its extent.
inline shape weighted_losses_of(shape_context& c, std::size_t logits, std::size_t& width) {
  c.expect_type<float, double>(logits);
  for (std::size_t i = logits + 1; i != logits + 3; ++i) {
    c.expect_same_type(logits, i);
    c.expect_same_dims(logits, i);
  }
  shape made = c.dims(logits);
  width = 1;
  if (made.rank() == 0) return made;
  width = static_cast<std::size_t>(made[made.rank() - 1]);
  made.erase(made.rank() - 1);
  return made;
}

}  // namespace detail

/// Operands logits, targets, weights.
template <backend B>
class weighted_sigmoid_loss_kernel final : public op_kernel<B> {
 public:
  explicit weighted_sigmoid_loss_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    shape const losses = detail::weighted_losses_of(c, 0, width_);
    c.output(0, c.type(0), losses);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_team<B>(c.output_size(0), width_, 8 * width_,
                       detail::weighted_sigmoid_loss_rows<T>{c.template input<T>(0), c.template input<T>(1),
                                                             c.template input<T>(2), c.template output<T>(0), width_});
    });
  }

 private:
  std::size_t width_ = 1;
};

/// Operands dY, logits, targets, weights; targets and weights have no gradient.
template <backend B>
class weighted_sigmoid_loss_gradient_kernel final : public op_kernel<B> {
 public:
  explicit weighted_sigmoid_loss_gradient_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    shape const losses = detail::weighted_losses_of(c, 1, width_);
    c.expect_same_type(0, 1);
    c.expect(c.dims(0) == losses, 0, "have the shape of the losses, ", losses);
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      for_each_row_part<B>(c.size(0), width_, 4,
                           detail::weighted_sigmoid_loss_gradient<T>{c.template input<T>(0), c.template input<T>(1),
                                                                     c.template input<T>(2), c.template input<T>(3),
                                                                     c.template output<T>(0), width_});
    });
  }

 private:
  std::size_t width_ = 1;
};

/// Adds WeightedSigmoidCrossEntropyWithLogits and its gradient: float and double.
template <backend B>
void add_weighted_sigmoid_loss_operators(operators<B>& table) {
  table.template add<weighted_sigmoid_loss_kernel<B>>(
      op_schema("WeightedSigmoidCrossEntropyWithLogits")
          .inputs(3)
          .outputs(1)
          .checks_first()
          .no_doubles_in_caffe2()
          .describe("Y[...] = the mean along the last axis of -W log of the likelihood of targets under sigmoid(X); "
                    "inputs X, targets, W"));
  table.template add<weighted_sigmoid_loss_gradient_kernel<B>>(
      op_schema("WeightedSigmoidCrossEntropyWithLogitsGradient")
          .inputs(4)
          .outputs(1)
          .in_place(1, 0)
          .checks_first()
          .describe("dX = dY[...] W (sigmoid(X) - target) / the length of the last axis; inputs dY, X, targets, W"));
}

}  // namespace plait

PLAIT_KERNELS_END
