// The gradient of LayerNorm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/column_sums.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/operators/normalization.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Subtracts from dY its mean and its component along Y.
template <class T>
struct layer_norm_gradient_rows {
  T const* dy;
  T const* y;
  T const* deviations;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const g = dy + row * width;
    T const* const from = y + row * width;
    T* const to = dx + row * width;
    std::size_t const count = width;
    T const n = static_cast<T>(count);
    T const mean = reduce_team_row<sum_reduction, T>(count, [g](std::size_t i) { return g[i]; }) / n;
    T const along = reduce_team_row<sum_reduction, T>(count, [g, from](std::size_t i) { return g[i] * from[i]; }) / n;
    T const factor = T(1) / deviations[row];
    for_team_elements(count, [=](std::size_t i) { to[i] = (g[i] - mean - from[i] * along) * factor; });
  }
};

// Like layer_norm_gradient_rows, for scaled columns: reads X, since Y loses columns whose scale is 0.
template <class T>
struct scaled_layer_norm_gradient_rows {
  T const* dy;
  T const* x;
  T const* means;
  T const* deviations;
  T const* scale;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const g = dy + row * width;
    T const* const from = x + row * width;
    T const* const by = scale;
    T* const to = dx + row * width;
    std::size_t const count = width;
    T const n = static_cast<T>(count);
    T const middle = means[row];
    T const factor = T(1) / deviations[row];
    T const mean = reduce_team_row<sum_reduction, T>(count, [g, by](std::size_t i) { return g[i] * by[i]; }) / n;
    T const along = reduce_team_row<sum_reduction, T>(
                        count, [=](std::size_t i) { return g[i] * by[i] * ((from[i] - middle) * factor); }) /
                    n;
    for_team_elements(
        count, [=](std::size_t i) { to[i] = (g[i] * by[i] - mean - (from[i] - middle) * factor * along) * factor; });
  }
};

// Contribution of a chunk of a row to the gradients of scale and bias.
template <class T>
struct layer_norm_parameter_part {
  T const* dy;
  T const* x;
  T const* means;
  T const* deviations;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t column, std::size_t columns,
                                                        T* of_scale, T* of_bias) const {
    T const* const g = dy + row * width + column;
    T const* const from = x + row * width + column;
    T const middle = means[row];
    T const factor = T(1) / deviations[row];
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < columns; ++c) {
      of_scale[c] += g[c] * ((from[c] - middle) * factor);
      of_bias[c] += g[c];
    }
  }
};

}  // namespace detail

/// Operands dY, Y, means, deviations, X; means and X are not read. With elementwise_affine, the scale follows, only Y
/// is not read, and the gradients of scale and bias follow dX. Gradients of means and deviations do not enter.
template <backend B>
class layer_norm_gradient_kernel final : public op_kernel<B> {
 public:
  explicit layer_norm_gradient_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), affine_(a.flag("elementwise_affine")) {}
  void infer(shape_context& c) override {
    detail::expect_affine_inputs(c, 5, affine_ ? 1 : 0);
    if (c.output_count() != (affine_ ? 3u : 1u))
      c.fail("there should be " + std::string(affine_ ? "3 outputs with" : "1 output without") + " elementwise_affine");
    dy_ = detail::matrix_rows::of(c, axis_);
    shape const moments = detail::moments_of(c, axis_);
    for (std::size_t i = 1; i != 5; ++i) {
      c.expect_same_type(0, i);
      if (i == 2 || i == 3)
        c.expect(c.dims(i) == moments, i, "have the shape of the moments, ", moments);
      else
        c.expect_same_dims(0, i);
    }
    c.output(0, c.type(0), c.dims(0));
    if (!affine_) return;
    detail::expect_row_numbers(c, 5, 5, dy_.width);
    c.output(1, c.type(0), c.dims(5));
    c.output(2, c.type(0), c.dims(5));
    c.scratch(two_column_partials(dy_.rows, dy_.width) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const dy = c.template input<T>(0);
      T const* const deviations = c.template input<T>(3);
      T* const dx = c.template output<T>(0);
      if (!affine_)
        return for_each_team<B>(
            dy_.rows, dy_.width, 2 * dy_.width,
            detail::layer_norm_gradient_rows<T>{dy, c.template input<T>(1), deviations, dx, dy_.width});
      // The parameters' gradients come first, since dX may overwrite dY or X.
      two_column_sums<B>(dy_.rows, dy_.width,
                         detail::layer_norm_parameter_part<T>{dy, c.template input<T>(4), c.template input<T>(2),
                                                              deviations, dy_.width},
                         c.template output<T>(1), c.template output<T>(2), static_cast<T*>(c.scratch()));
      for_each_team<B>(dy_.rows, dy_.width, 3 * dy_.width,
                       detail::scaled_layer_norm_gradient_rows<T>{dy, c.template input<T>(4), c.template input<T>(2),
                                                                  deviations, c.template input<T>(5), dx, dy_.width});
    });
  }

 private:
  std::int64_t axis_;
  bool affine_;
  detail::matrix_rows dy_;
};

template <backend B>
void add_layer_norm_gradient_operator(operators<B>& table) {
  table.template add<layer_norm_gradient_kernel<B>>(
      op_schema("LayerNormGradient")
          .inputs(5, 6)
          .outputs(1, 3)
          .in_place(0, 0)
          .in_place(1, 0)
          .in_place(4, 0)
          .argument("axis", std::int64_t{1}, "the first axis of a row; those before it make the rows")
          .argument("epsilon", 1e-5f, "was added to the variance; stdev has it")
          .argument("elementwise_affine", std::int64_t{0}, "1: the scale is the sixth input; dscale and dbias come out")
          .checks_first()
          .ignored_in_caffe2("elementwise_affine")
          .describe("dX = (G - its mean - N (the mean of G N)) / stdev by row, G = dY * scale, N = (X - mean) / stdev; "
                    "dscale and dbias = the sums of dY N and dY over the rows; inputs dY, Y, mean, stdev, X, scale"));
}

}  // namespace plait

PLAIT_KERNELS_END
