// LpNorm and its gradient: the sum or mean of magnitudes or squares of all elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns true if argument `p` of LpNorm is 2, false if it is 1.
inline bool norm_of_squares(op_arguments const& a) {
  std::int64_t const p = a.integer("p");
  if (p != 1 && p != 2) a.fail("p", "must be 1 or 2");
  return p == 2;
}

/// Derivative of a sum of magnitudes, or of squares. That of a magnitude is 0 at 0 and NaN, as in Caffe2.
template <class T, bool Squares>
struct lp_norm_gradient {
  T const* x;
  T const* dy;
  T* dx;
  std::size_t divisor;
  PLAIT_HOST_DEVICE void operator()(std::size_t, std::size_t first, std::size_t last) const {
    T const* const from = x;
    T* const to = dx;
    T const share = *dy / static_cast<T>(divisor);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) {
      if constexpr (Squares)
        to[i] = T(2) * from[i] * share;
      else
        to[i] = (static_cast<T>(from[i] > T(0)) - static_cast<T>(from[i] < T(0))) * share;
    }
  }
};

}  // namespace detail

/// Kernel of LpNorm: a vector of one element.
template <backend B>
class lp_norm_kernel final : public reduction_kernel<B> {
 public:
  explicit lp_norm_kernel(op_arguments const& a)
      : reduction_kernel<B>(detail::norm_of_squares(a) ? reduction_kind::sum_of_squares : reduction_kind::l1),
        average_(a.flag("average")) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect(!average_ || c.dims(0).size() != 0, 0, "have elements to average");
    axis_mask all = {};
    all.fill(true);
    this->reduce(c, all, {1});
  }
  void run(op_context<B>& c) override {
    reduction_kernel<B>::run(c);
    if (!average_) return;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_index<B>(1, detail::divide_results<T>{c.template output<T>(0), c.size(0)});
    });
  }

 private:
  bool average_;
};

/// Kernel of LpNormGradient. Operands X, dY.
template <backend B>
class lp_norm_gradient_kernel final : public op_kernel<B> {
 public:
  explicit lp_norm_gradient_kernel(op_arguments const& a)
      : squares_(detail::norm_of_squares(a)), average_(a.flag("average")) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect(c.dims(1).size() == 1, 1, "be one number");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const dy = c.template input<T>(1);
      T* const dx = c.template output<T>(0);
      std::size_t const divisor = average_ ? c.size(0) : 1;
      if (squares_)
        for_each_row_part<B>(1, c.size(0), 1, detail::lp_norm_gradient<T, true>{x, dy, dx, divisor});
      else
        for_each_row_part<B>(1, c.size(0), 1, detail::lp_norm_gradient<T, false>{x, dy, dx, divisor});
    });
  }

 private:
  bool squares_;
  bool average_;
};

/// Adds LpNorm, LpNormGradient: float and double.
template <backend B>
void add_lp_norm_operators(operators<B>& table) {
  auto const schema = [](char const* type, std::size_t inputs) {
    return op_schema(type)
        .inputs(inputs)
        .outputs(1)
        .argument("p", std::int64_t{2}, "1: sum of magnitudes; 2: sum of squares")
        .argument("average", std::int64_t{0}, "whether to divide by the number of elements")
        .checks_first()
        .no_doubles_in_caffe2();
  };
  table.template add<lp_norm_kernel<B>>(schema("LpNorm", 1).describe("Y = the sum of |X|^p over all of X, [1]"));
  table.template add<lp_norm_gradient_kernel<B>>(
      schema("LpNormGradient", 2).in_place(0, 0).describe("dX of LpNorm (inputs X, dY)"));
}

}  // namespace plait

PLAIT_KERNELS_END
