// Gradients of softmax, layer, L2, batch and group normalisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/operators/batch_norm_gradient.hpp>
#include <plait/exec/detail/operators/group_norm_gradient.hpp>
#include <plait/exec/detail/operators/layer_norm_gradient.hpp>
#include <plait/exec/detail/operators/normalization.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Computes dX from Y and dY, which dX may alias.
template <class T, bool Log>
struct softmax_gradient_rows {
  T const* y;
  T const* dy;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const p = y + row * width;
    T const* const g = dy + row * width;
    T* const to = dx + row * width;
    std::size_t const count = width;
    if constexpr (Log) {
      T const sum = reduce_team_row<sum_reduction, T>(count, [g](std::size_t i) { return g[i]; });
      for_team_elements(count, [=](std::size_t i) { to[i] = g[i] - math::exp(p[i]) * sum; });
    } else {
      T const sum = reduce_team_row<sum_reduction, T>(count, [g, p](std::size_t i) { return g[i] * p[i]; });
      for_team_elements(count, [=](std::size_t i) { to[i] = (g[i] - sum) * p[i]; });
    }
  }
};

/// Factors of dX = dY * of_dy - X * of_x for vectors X that are divided by their Euclidean norms: a norm clamped to its
/// lower bound is constant.
template <class T>
struct normalize_factors {
  T of_dy;
  T of_x;
  PLAIT_HOST_DEVICE normalize_factors(T squares, T products) {
    T const divisor = norm<T, false>::divisor(squares);
    of_dy = T(1) / divisor;
    of_x = squares < T(1e-24) ? T(0) : products * of_dy * of_dy * of_dy;
  }
};

template <class T>
struct normalize_gradient_rows {
  T const* x;
  T const* dy;
  T* dx;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * width;
    T const* const g = dy + row * width;
    T* const to = dx + row * width;
    std::size_t const count = width;
    T const squares = reduce_team_row<sum_reduction, T>(count, [from](std::size_t i) { return from[i] * from[i]; });
    T const products = reduce_team_row<sum_reduction, T>(count, [from, g](std::size_t i) { return from[i] * g[i]; });
    normalize_factors<T> const factors(squares, products);
    T const of_dy = factors.of_dy;
    T const of_x = factors.of_x;
    for_team_elements(count, [=](std::size_t i) { to[i] = g[i] * of_dy - from[i] * of_x; });
  }
};

// Processes Width columns per task; 1 on devices.
template <class T, std::size_t Width>
struct normalize_gradient_columns {
  T const* x;
  T const* dy;
  T* dx;
  std::size_t n;
  std::size_t inner;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const left = inner - task % strips * Width;
    std::size_t const columns = left < Width ? left : Width;
    std::size_t const first = task / strips * n * inner + task % strips * Width;
    T of_x[Width];
    T of_dy[Width];
    for (std::size_t c = 0; c < columns; ++c) of_x[c] = of_dy[c] = T(0);
    for (std::size_t r = 0; r < n; ++r) {
      T const* const from = x + first + r * inner;
      T const* const g = dy + first + r * inner;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < columns; ++c) {
        of_dy[c] += from[c] * from[c];
        of_x[c] += from[c] * g[c];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      normalize_factors<T> const factors(of_dy[c], of_x[c]);
      of_dy[c] = factors.of_dy;
      of_x[c] = factors.of_x;
    }
    for (std::size_t r = 0; r < n; ++r) {
      T const* const from = x + first + r * inner;
      T const* const g = dy + first + r * inner;
      T* const to = dx + first + r * inner;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < columns; ++c) to[c] = g[c] * of_dy[c] - from[c] * of_x[c];
    }
  }
};

}  // namespace detail

/// SoftmaxGradient, LogSoftmaxGradient: inputs Y, dY; X is not needed.
template <backend B, bool Log>
class softmax_gradient_kernel final : public op_kernel<B> {
 public:
  explicit softmax_gradient_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    y_ = detail::matrix_rows::of(c, axis_);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_team<B>(y_.rows, y_.width, (Log ? 4 : 2) * y_.width,
                       detail::softmax_gradient_rows<T, Log>{c.template input<T>(0), c.template input<T>(1),
                                                             c.template output<T>(0), y_.width});
    });
  }

 private:
  std::int64_t axis_;
  detail::matrix_rows y_;
};

/// NormalizeGradient: inputs X, dY.
template <backend B>
class normalize_gradient_kernel final : public op_kernel<B> {
 public:
  explicit normalize_gradient_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    x_ = detail::axis_vectors::of(c, axis_);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const dy = c.template input<T>(1);
      T* const dx = c.template output<T>(0);
      if (x_.inner == 1)
        return for_each_team<B>(x_.outer, x_.n, 3 * x_.n, detail::normalize_gradient_rows<T>{x, dy, dx, x_.n});
      constexpr std::size_t width = B::on_device ? 1 : 256;
      std::size_t const strips = (x_.inner + width - 1) / width;
      for_each_row<B>(x_.outer * strips, 3 * x_.n * std::min(width, x_.inner),
                      detail::normalize_gradient_columns<T, width>{x, dy, dx, x_.n, x_.inner, strips});
    });
  }

 private:
  std::int64_t axis_;
  detail::axis_vectors x_;
};

/// SoftmaxGradient, LogSoftmaxGradient, LayerNormGradient, NormalizeGradient, SpatialBNGradient, GroupNormGradient.
template <backend B>
void add_normalization_gradient_operators(operators<B>& table) {
  auto const rows = [](std::string_view type) {
    return op_schema(type)
        .inputs(2)
        .outputs(1)
        .in_place(0, 0)
        .in_place(1, 0)
        .argument("axis", std::int64_t{1}, "the first axis of a row; those before it make the rows")
        .checks_first();
  };
  table.template add<softmax_gradient_kernel<B, false>>(
      rows("SoftmaxGradient").describe("dX[r, :] = (dY[r, :] - dY[r, :] . Y[r, :]) Y[r, :]; inputs Y, dY"));
  table.template add<softmax_gradient_kernel<B, true>>(
      rows("LogSoftmaxGradient")
          .without_caffe2_schema()
          .describe("dX[r, :] = dY[r, :] - exp(Y[r, :]) sum(dY[r, :]); inputs Y, dY"));
  add_layer_norm_gradient_operator(table);
  table.template add<normalize_gradient_kernel<B>>(
      op_schema("NormalizeGradient")
          .inputs(2)
          .outputs(1)
          .in_place(0, 0)
          .in_place(1, 0)
          .argument("axis", std::int64_t{-1}, "the axis along which vectors lie")
          .checks_first()
          .describe("dX = dY / |X| - X (X . dY) / |X|^3 along the axis; inputs X, dY"));
  add_batch_norm_gradient_operator(table);
  add_group_norm_gradient_operator(table);
}

}  // namespace plait

PLAIT_KERNELS_END
