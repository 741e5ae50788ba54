// RMSNorm and its gradient: normalisation of rows to a root mean square of 1.
//
// After B. Zhang, R. Sennrich, "Root mean square layer normalization", NeurIPS 2019.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/exec/detail/kernels/column_sums.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/normalization.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct rms_norm_rows {
  T const* x;
  T const* scale;
  T const* bias;
  T* y;
  T* factors;
  std::size_t width;
  T epsilon;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * width;
    T const *const by = scale, *const plus = bias;
    T* const to = y + row * width;
    T const squares = reduce_team_row<sum_reduction, T>(width, [from](std::size_t i) { return from[i] * from[i]; });
    T const factor = T(1) / std::sqrt(squares / static_cast<T>(width) + epsilon);
    for_team_elements(width, [=](std::size_t i) { to[i] = from[i] * factor * by[i] + plus[i]; });
    factors[row] = factor;
  }
};

// Subtracts from dY, times the scale, its component along X.
template <class T>
struct rms_norm_gradient_rows {
  T const* dy;
  T const* x;
  T const* scale;
  T const* factors;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const g = dy + row * width;
    T const* const from = x + row * width;
    T const* const by = scale;
    T* const to = dx + row * width;
    T const factor = factors[row];
    T const products =
        reduce_team_row<sum_reduction, T>(width, [=](std::size_t i) { return g[i] * by[i] * (from[i] * factor); });
    T const along = products / static_cast<T>(width);
    for_team_elements(width, [=](std::size_t i) { to[i] = (g[i] * by[i] - from[i] * factor * along) * factor; });
  }
};

// Contribution of a chunk of a row to the gradients of scale and bias.
template <class T>
struct rms_norm_parameter_part {
  T const* dy;
  T const* x;
  T const* factors;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t column, std::size_t columns,
                                                        T* of_scale, T* of_bias) const {
    T const* const g = dy + row * width + column;
    T const* const from = x + row * width + column;
    T const factor = factors[row];
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < columns; ++c) {
      of_scale[c] += g[c] * (from[c] * factor);
      of_bias[c] += g[c];
    }
  }
};

/// Returns the shape of RMSNorm's factors, one a row.
inline shape row_factors_of(shape_context const& c, std::int64_t axis) {
  shape made;
  for (std::size_t i = 0; i != c.axis(0, axis); ++i) made.push_back(c.dims(0)[i]);
  return made;
}

}  // namespace detail

/// Kernel of RMSNorm. Inputs X, scale, bias; outputs Y and the factors of rows.
template <backend B>
class rms_norm_kernel final : public op_kernel<B> {
 public:
  explicit rms_norm_kernel(op_arguments const& a) : axis_(a.integer("axis")), epsilon_(a.real("eps")) {}
  void infer(shape_context& c) override {
    x_ = detail::matrix_rows::of(c, axis_);
    detail::expect_row_numbers(c, 1, 2, x_.width);
    c.output(0, c.type(0), c.dims(0));
    c.output(1, c.type(0), detail::row_factors_of(c, axis_));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_team<B>(x_.rows, x_.width, x_.width,
                       detail::rms_norm_rows<T>{c.template input<T>(0), c.template input<T>(1), c.template input<T>(2),
                                                c.template output<T>(0), c.template output<T>(1), x_.width,
                                                static_cast<T>(epsilon_)});
    });
  }

 private:
  std::int64_t axis_;
  float epsilon_;
  detail::matrix_rows x_;
};

/// Kernel of RMSNormGradient. Inputs dY, X, scale, factors; outputs dX, dscale, dbias.
template <backend B>
class rms_norm_gradient_kernel final : public op_kernel<B> {
 public:
  explicit rms_norm_gradient_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    dy_ = detail::matrix_rows::of(c, axis_);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    detail::expect_row_numbers(c, 2, 2, dy_.width);
    shape const factors = detail::row_factors_of(c, axis_);
    c.expect_same_type(0, 3);
    c.expect(c.dims(3) == factors, 3, "have the shape of the factors, ", factors);
    c.output(0, c.type(0), c.dims(0));
    c.output(1, c.type(0), c.dims(2));
    c.output(2, c.type(0), c.dims(2));
    c.scratch(two_column_partials(dy_.rows, dy_.width) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const dy = c.template input<T>(0);
      T const* const x = c.template input<T>(1);
      T const* const factors = c.template input<T>(3);
      // The parameters' gradients come first, since dX may overwrite dY or X.
      two_column_sums<B>(dy_.rows, dy_.width, detail::rms_norm_parameter_part<T>{dy, x, factors, dy_.width},
                         c.template output<T>(1), c.template output<T>(2), static_cast<T*>(c.scratch()));
      for_each_team<B>(dy_.rows, dy_.width, 2 * dy_.width,
                       detail::rms_norm_gradient_rows<T>{dy, x, c.template input<T>(2), factors,
                                                         c.template output<T>(0), dy_.width});
    });
  }

 private:
  std::int64_t axis_;
  detail::matrix_rows dy_;
};

/// Adds RMSNorm, RMSNormGradient: float and double.
template <backend B>
void add_rms_norm_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) {
    return op_schema(type)
        .argument("axis", std::int64_t{1}, "the first axis of a row; those before it make the rows")
        .argument("eps", 0.0f, "added to the mean square")
        .checks_first()
        .without_caffe2_schema();
  };
  table.template add<rms_norm_kernel<B>>(
      schema("RMSNorm")
          .inputs(3)
          .outputs(2)
          .in_place(0, 0)
          .rows_independent(&rows_before_axis)
          .describe("Y[r, :] = X[r, :] f[r] * scale + bias, f[r] = 1 / sqrt(mean(X[r, :]²) + eps); inputs X, scale, "
                    "bias, these as long as a row; outputs Y, f"));
  table.template add<rms_norm_gradient_kernel<B>>(
      schema("RMSNormGradient")
          .inputs(4)
          .outputs(3)
          .in_place(0, 0)
          .in_place(1, 0)
          .describe("dX, dscale, dbias of RMSNorm (inputs dY, X, scale, f)"));
}

}  // namespace plait

PLAIT_KERNELS_END
