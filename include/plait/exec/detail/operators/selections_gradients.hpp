// The gradient of ElementwiseLinear.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/column_sums.hpp>
#include <plait/exec/detail/operators/selections.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Computes dX for a range of columns of a row, and adds the contributions to dw and db.
template <class T>
struct elementwise_linear_gradient_part {
  T const* dy;
  T const* x;
  T const* w;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t column, std::size_t columns,
                                                        T* of_w, T* of_b) const {
    T const* const g = dy + row * width + column;
    T const* const from = x + row * width + column;
    T const* const factors = w + column;
    T* const to = dx + row * width + column;
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < columns; ++c) {
      T const gradient = g[c];
      of_w[c] += gradient * from[c];
      of_b[c] += gradient;
      to[c] = gradient * factors[c];
    }
  }
};

}  // namespace detail

/// Inputs dY, X, w: dX = dY w; dw and db are the sums of dY X and dY over all rows.
template <backend B>
class elementwise_linear_gradient_kernel final : public op_kernel<B> {
 public:
  explicit elementwise_linear_gradient_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    std::int64_t const width = detail::linear_width(c, 1, axis_);
    detail::expect_linear_factors(c, 1, 2, width);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(1), c.dims(1));
    for (std::size_t i = 1; i != 3; ++i) c.output(i, c.type(1), c.dims(2));
    width_ = static_cast<std::size_t>(width);
    rows_ = width_ == 0 ? 0 : static_cast<std::size_t>(c.dims(1).size()) / width_;
    c.scratch(two_column_partials(rows_, width_) * size_of(c.type(1)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      two_column_sums<B>(
          rows_, width_,
          detail::elementwise_linear_gradient_part<T>{c.template input<T>(0), c.template input<T>(1),
                                                      c.template input<T>(2), c.template output<T>(0), width_},
          c.template output<T>(1), c.template output<T>(2), static_cast<T*>(c.scratch()));
    });
  }

 private:
  std::int64_t axis_;
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
};

/// ElementwiseLinearGradient: float and double.
template <backend B>
void add_selection_gradient_operators(operators<B>& table) {
  table.template add<elementwise_linear_gradient_kernel>(
      op_schema("ElementwiseLinearGradient")
          .inputs(3)
          .outputs(3)
          .in_place(0, 0)
          .in_place(1, 0)
          .checks_first()
          .argument("axis", std::int64_t{1}, "the first axis of a row of X")
          .no_doubles_in_caffe2()
          .describe("dX = dY w, dw and db = the sums of dY X and dY over the rows; inputs dY, X, w"));
}

}  // namespace plait

PLAIT_KERNELS_END
