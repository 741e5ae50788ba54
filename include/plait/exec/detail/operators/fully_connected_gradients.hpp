// Gradients of fully connected layers: the operators FCGradient and FCTransposedGradient.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/packed_factor.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>

namespace plait {

/// Kernel of FCGradient: dW = dYᵀ X and dX = dY W, or dW = Xᵀ dY and dX = dY Wᵀ with TransposedWeights; db = column
/// sums of dY. dX is optional and computed last, since it may overwrite X.
template <backend B, bool TransposedWeights>
class fc_gradient_kernel : public op_kernel<B> {
 public:
  explicit fc_gradient_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), axis_w_(a.integer("axis_w")), with_input_(a.output_count() == 3) {
    weights_.bf16x3 = input_.bf16x3 = a.allows_bf16x3();
  }

  void infer(shape_context& c) final {
    auto const extents = detail::fc_extents::of<B>(c, axis_, axis_w_, TransposedWeights);
    element_type const type = c.type(0);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == extents.y, 2, "have the shape of Y, ", extents.y);
    auto const [m, n, k, y] = extents;
    rows_ = m;
    units_ = n;
    weights_ = gemm_shape{.m = TransposedWeights ? k : n,
                          .n = TransposedWeights ? n : k,
                          .k = m,
                          .transpose_a = true,
                          .bf16x3 = weights_.bf16x3};
    input_ = gemm_shape{.m = m, .n = k, .k = n, .transpose_b = TransposedWeights, .bf16x3 = input_.bf16x3};
    c.output(0, type, c.dims(1));
    c.output(1, type, {n});
    if (with_input_) c.output(2, type, c.dims(0));
    auto const rows = static_cast<std::size_t>(m);
    c.scratch(size_of(type) * (type == element_type::float32 || type == element_type::float64
                                   ? column_partials(1, rows, static_cast<std::size_t>(n))
                                   : rows));
  }

  void run(op_context<B>& c) final {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) {
      set_sums<T>(c);
      if (with_input_) multiply_input<T>(c, input_);
    });
  }

  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    return with_input_ && input == 1 ? detail::pack_factor(factor_, input_, c, input, to) : 0;
  }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    if (c.type(0) != element_type::float32 && c.type(0) != element_type::float64) return;
    to.push_back({.kind = pattern_kind::sums,
                  .whole_inputs = 0b010,
                  .whole_outputs = 0b011,
                  .rows = static_cast<std::size_t>(rows_)});
    if (!with_input_ || input_.m < 2 || !c.is_packed(1)) return;
    op_pattern<B> made = detail::product_by_rows<B>(input_, c.type(0));
    made.whole_inputs = 0b010;
    made.whole_outputs = 0b011;
    made.whole_outputs_are_sums = true;
    to.push_back(made);
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      if (part.kind == op_part::kinds::rows) {
        gemm_shape rows = input_;
        rows.m = c.dims(2)[0];
        return multiply_input<T>(c, rows);
      }
      if ((part.outputs & 0b011) != 0 && part.adds_rows != 0)
        add_sums<T>(c, static_cast<std::int64_t>(part.adds_rows));
      else if ((part.outputs & 0b011) != 0)
        set_sums<T>(c);
      if ((part.outputs & 0b100) != 0) multiply_input<T>(c, input_);
    });
  }

 private:
  template <class T>
  void multiply_input(op_context<B>& c, gemm_shape const& rows) const {
    factor_.multiply(c.packed(1), rows, c.template input<T>(2), c.template input<T>(1), c.template output<T>(2));
  }
  template <class T>
  void set_sums(op_context<B>& c) const {
    T const* const dy = c.template input<T>(2);
    if constexpr (std::floating_point<T>) {
      make_weights<T>(c, rows_, T(0));
      reduce_columns<B, sum_reduction>(dy, 1, static_cast<std::size_t>(rows_), static_cast<std::size_t>(units_),
                                       as_it_is{}, c.template output<T>(1), static_cast<T*>(c.scratch()));
    } else {  // 16-bit types have arithmetic only in GEMM: column sums by a row of ones
      make_weights<T>(c, rows_, 0);
      T* const ones = static_cast<T*>(c.scratch());
      fill<B>(ones, static_cast<std::size_t>(rows_), convert<T>(1.0f));
      gemm<B>({.m = 1, .n = units_, .k = rows_}, static_cast<T const*>(ones), dy, c.template output<T>(1));
    }
  }
  template <class T>
  void add_sums(op_context<B>& c, std::int64_t rows) const {
    make_weights<T>(c, rows, T(1));
    auto const width = static_cast<std::size_t>(units_);
    auto const count = static_cast<std::size_t>(rows);
    auto const memory = pooled_memory<B>((width + column_partials(1, count, width)) * sizeof(T));
    T* const sums = static_cast<T*>(memory.get());
    reduce_columns<B, sum_reduction>(c.template input<T>(2), 1, count, width, as_it_is{}, sums, sums + width);
    accumulate<B>(c.template output<T>(1), static_cast<T const*>(sums), width);
  }
  template <class T>
  void make_weights(op_context<B>& c, std::int64_t rows, gemm_scalar<T> beta) const {
    T const* const x = c.template input<T>(0);
    T const* const dy = c.template input<T>(2);
    gemm_shape product = weights_;
    product.k = rows;
    gemm<B>(product, TransposedWeights ? x : dy, TransposedWeights ? dy : x, c.template output<T>(0), 1, beta);
  }

  std::int64_t axis_;
  std::int64_t axis_w_;
  bool with_input_;
  std::int64_t rows_ = 0;
  std::int64_t units_ = 0;
  gemm_shape weights_;
  gemm_shape input_;
  packed_factor<B> factor_;  // W, for dX
};

template <backend B>
struct fc_by_rows_gradient_kernel final : fc_gradient_kernel<B, false> {
  using fc_gradient_kernel<B, false>::fc_gradient_kernel;
};
template <backend B>
struct fc_by_columns_gradient_kernel final : fc_gradient_kernel<B, true> {
  using fc_gradient_kernel<B, true>::fc_gradient_kernel;
};

/// Adds FCGradient, FCTransposedGradient: float and double.
template <backend B>
void add_fully_connected_gradient_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(3)
        .outputs(2, 3)
        .in_place(0, 2)
        .checks_first()
        .argument("axis", std::int64_t{1}, "the first axis of X that is multiplied")
        .argument("axis_w", std::int64_t{1}, "the first axis of W that makes its columns")
        .no_doubles_in_caffe2()
        .describe(text);
  };
  table.template add<fc_by_rows_gradient_kernel>(
      schema("FCGradient", "dW: N×K, db: N, [dX: …×K] from X: …×K, W: N×K, dY: …×N"));
  table.template add<fc_by_columns_gradient_kernel>(
      schema("FCTransposedGradient", "dW: K×N, db: N, [dX: …×K] from X: …×K, W: K×N, dY: …×N"));
}

}  // namespace plait
