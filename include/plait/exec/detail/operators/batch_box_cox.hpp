// BatchBoxCox: the Box-Cox transform of columns, each with parameters of its own.
//
// After G. Box, D. Cox, "An analysis of transformations", Journal of the Royal Statistical Society B 26, 1964.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct box_cox_row {
  T const* x;
  T const* exponents;
  T const* offsets;
  T* y;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const from = x + row * width;
    T* const to = y + row * width;
    for (std::size_t i = first; i < last; ++i) {
      T const moved = from[i] + offsets[i];
      T const base = moved < T(1e-6) ? T(1e-6) : moved;
      T const exponent = exponents[i];
      to[i] = exponent == T(0) ? math::log(base) : (std::pow(base, exponent) - T(1)) / exponent;
    }
  }
};

}  // namespace detail

/// Kernel of BatchBoxCox. Inputs X, exponents and offsets of columns.
template <backend B>
class batch_box_cox_kernel final : public op_kernel<B> {
 public:
  explicit batch_box_cox_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect_rank(0, 1);
    std::int64_t const width = c.dims(0).size_from(1);
    for (std::size_t i = 1; i != 3; ++i) {
      c.expect_same_type(0, i);
      c.expect(c.dims(i).size() == width, i, "have an element for each of ", width, " columns of ", c.input_text(0));
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    std::size_t const width = c.size(1);
    if (width == 0) return;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(c.size(0) / width, width, 16,
                           detail::box_cox_row<T>{c.template input<T>(0), c.template input<T>(1),
                                                  c.template input<T>(2), c.template output<T>(0), width});
    });
  }
};

/// Adds BatchBoxCox: float and double.
template <backend B>
void add_batch_box_cox_operator(operators<B>& table) {
  table.template add<batch_box_cox_kernel>(
      op_schema("BatchBoxCox")
          .inputs(3)
          .outputs(1)
          .in_place(0, 0)
          .rows_independent(1)
          .checks_first()
          .describe(
              "Y[r, i] = (b^E[i] - 1) / E[i], or ln b where E[i] = 0, b = max(X[r, i] + O[i], 1e-6); inputs X, E, "
              "O"));
}

}  // namespace plait

PLAIT_KERNELS_END
