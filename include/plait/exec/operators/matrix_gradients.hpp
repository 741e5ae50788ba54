// Gradients of fully connected layers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/gemm.hpp>
#include <plait/exec/kernels/reduce.hpp>
#include <plait/exec/operators/matrix.hpp>

namespace plait {

namespace detail {

/// Sums of columns where elements are 16 bits wide, for want of arithmetic but in products: by a row of ones.
template <class T>
struct fill_ones {
  T* to;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    to[i].bits = std::uint16_t(std::same_as<T, float16> ? 0x3c00 : 0x3f80);
  }
};

}  // namespace detail

/// dW = dY' X and dX = dY W, or dW = X' dY and dX = dY W' with TransposedWeights; db = the sums of dY's columns. dX
/// comes last and only where it is asked for: it may stand where X stood.
template <backend B, bool TransposedWeights>
class fc_gradient_kernel : public op_kernel<B> {
 public:
  explicit fc_gradient_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), axis_w_(a.integer("axis_w")), with_input_(a.output_count() == 3) {}

  void infer(shape_context& c) final {
    auto const extents = detail::fc_extents::of<B>(c, axis_, axis_w_, TransposedWeights);
    element_type const type = c.type(0);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == extents.y, 2, "have the shape of Y, " + to_string(extents.y));
    auto const [m, n, k, y] = extents;
    rows_ = m;
    units_ = n;
    weights_ = {.m = TransposedWeights ? k : n, .n = TransposedWeights ? n : k, .k = m, .transpose_a = true};
    input_ = {.m = m, .n = k, .k = n, .transpose_b = TransposedWeights};
    c.output(0, type, c.dims(1));
    c.output(1, type, {n});
    if (with_input_) c.output(2, type, c.dims(0));
    auto const rows = static_cast<std::size_t>(m);
    c.scratch(size_of(type) * (type == element_type::float32 || type == element_type::float64
                                   ? column_partials(1, rows, static_cast<std::size_t>(n))
                                   : rows));
  }

  void run(op_context<B>& c) final {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) {
    T const* const x = c.template input<T>(0);
    T const* const dy = c.template input<T>(2);
    T* const db = c.template output<T>(1);
    T* const scratch = static_cast<T*>(c.scratch());
    auto const rows = static_cast<std::size_t>(rows_);
    gemm<B>(weights_, TransposedWeights ? x : dy, TransposedWeights ? dy : x, c.template output<T>(0));
    if constexpr (std::floating_point<T>) {
      reduce_columns<B, sum_reduction>(dy, 1, rows, static_cast<std::size_t>(units_), as_it_is{}, db, scratch);
    } else {
      for_each_index<B>(rows, detail::fill_ones<T>{scratch});
      gemm<B>({.m = 1, .n = units_, .k = rows_}, static_cast<T const*>(scratch), dy, db);
    }
    if (with_input_) gemm<B>(input_, dy, c.template input<T>(1), c.template output<T>(2));
  }

  std::int64_t axis_;
  std::int64_t axis_w_;
  bool with_input_;
  std::int64_t rows_ = 0;
  std::int64_t units_ = 0;
  gemm_shape weights_;
  gemm_shape input_;
};

template <backend B>
struct fc_by_rows_gradient_kernel final : fc_gradient_kernel<B, false> {
  using fc_gradient_kernel<B, false>::fc_gradient_kernel;
};
template <backend B>
struct fc_by_columns_gradient_kernel final : fc_gradient_kernel<B, true> {
  using fc_gradient_kernel<B, true>::fc_gradient_kernel;
};

/// FCGradient, FCTransposedGradient: float and double.
template <backend B>
void add_matrix_gradient_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(3)
        .outputs(2, 3)
        .in_place(0, 2)
        .checks_first()
        .argument("axis", std::int64_t{1}, "the first axis of X that is multiplied")
        .argument("axis_w", std::int64_t{1}, "the first axis of W that makes its columns")
        .describe(text);
  };
  table.template add<fc_by_rows_gradient_kernel>(
      schema("FCGradient", "dW: N×K, db: N, [dX: …×K] from X: …×K, W: N×K, dY: …×N"));
  table.template add<fc_by_columns_gradient_kernel>(
      schema("FCTransposedGradient", "dW: K×N, db: N, [dX: …×K] from X: …×K, W: K×N, dY: …×N"));
}

}  // namespace plait
