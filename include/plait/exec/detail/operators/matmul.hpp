// Matrix multiplication: the operators MatMul and BatchMatMul.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/packed_factor.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/matrix_product.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {
/// Throws shape_error: the inner extents a and b of inputs 0 and 1 differ.
[[noreturn]] inline void fail_inner(shape_context const& c, std::int64_t a, std::int64_t b) {
  c.fail(c.pair_text(0, 1) + ", of different inner extents " + std::to_string(a) + " and " + std::to_string(b));
}
}  // namespace detail

/// Kernel of MatMul: Y = A B. The axes before axis_a and axis_b are the rows of A and B; Y has the shape of the third
/// input, if there is one.
template <backend B>
class mat_mul_kernel final : public op_kernel<B> {
 public:
  explicit mat_mul_kernel(op_arguments const& a) : axis_a_(a.integer("axis_a")), axis_b_(a.integer("axis_b")) {
    product_.transpose_a = a.flag("trans_a");
    product_.transpose_b = a.flag("trans_b");
    product_.bf16x3 = a.allows_bf16x3();
  }

  void infer(shape_context& c) override {
    element_type const type = detail::expect_factor<B>(c, 0);
    c.expect_same_type(0, 1);
    std::size_t const axis_a = c.axis(0, axis_a_);
    std::size_t const axis_b = c.axis(1, axis_b_);
    std::int64_t const a_rows = c.dims(0).size_to(axis_a);
    std::int64_t const a_columns = c.dims(0).size_from(axis_a);
    std::int64_t const b_rows = c.dims(1).size_to(axis_b);
    std::int64_t const b_columns = c.dims(1).size_from(axis_b);
    product_.m = product_.transpose_a ? a_columns : a_rows;
    product_.k = product_.transpose_a ? a_rows : a_columns;
    product_.n = product_.transpose_b ? b_rows : b_columns;
    std::int64_t const inner = product_.transpose_b ? b_columns : b_rows;
    if (inner != product_.k) detail::fail_inner(c, product_.k, inner);
    shape y = {product_.m, product_.n};
    if (c.input_count() == 3) {
      c.expect(c.dims(2).size() == y.size(), 2, "have the ", y.size(), " elements of the product");
      y = c.dims(2);
    }
    c.output(0, type, y);
  }

  void run(op_context<B>& c) override {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) { run_as<T>(c, {}); });
  }
  void patterns(op_context<B> const&, std::vector<op_pattern<B>>& to) const override {
    if constexpr (has_epilogues<B>) to.push_back({.kind = pattern_kind::epilogue});
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c, detail::epilogue_of<T>(part)); });
  }

  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    return input == 1 && !product_.transpose_a ? detail::pack_factor(right_, product_, c, input, to) : 0;
  }

 private:
  template <class T>
  void run_as(op_context<B>& c, detail::gemm_epilogue<T> const& after) const {
    right_.multiply(c.packed(1), product_, c.template input<T>(0), c.template input<T>(1), c.template output<T>(0), 1,
                    0, after);
  }

  std::int64_t axis_a_;
  std::int64_t axis_b_;
  gemm_shape product_;
  packed_factor<B> right_;
};

/// Kernel of BatchMatMul: products of the matrices in the last two axes. Without `broadcast` the batch axes must be
/// equal. With it they broadcast as in numpy's matmul, and a vector is a row on the left and a column on the right,
/// whose axis Y lacks (the product of two vectors has shape {1}). trans_a and trans_b do not apply to vectors.
template <backend B>
class batch_mat_mul_kernel final : public op_kernel<B> {
 public:
  explicit batch_mat_mul_kernel(op_arguments const& a) : broadcast_(a.flag("broadcast")) {
    trans_a_ = a.flag("trans_a");
    trans_b_ = a.flag("trans_b");
    product_.bf16x3 = a.allows_bf16x3();
  }

  void infer(shape_context& c) override {
    element_type const type = detail::expect_factor<B>(c, 0);
    c.expect_same_type(0, 1);
    std::size_t const least = broadcast_ ? 1 : 2;
    c.expect_rank(0, least);
    c.expect_rank(1, least);
    shape a = c.dims(0);
    shape b = c.dims(1);
    bool const a_is_row = a.rank() == 1;
    bool const b_is_column = b.rank() == 1;
    if (a_is_row) a.insert(0, 1);
    if (b_is_column) b.push_back(1);
    product_.transpose_a = trans_a_ && !a_is_row;
    product_.transpose_b = trans_b_ && !b_is_column;
    product_.k = take_last(a, product_.transpose_a);
    product_.m = take_last(a, false);
    std::int64_t const inner = take_last(b, !product_.transpose_b);
    product_.n = take_last(b, false);
    if (product_.k != inner) detail::fail_inner(c, product_.k, inner);
    if (!broadcast_ && a != b)
      c.fail("batches " + to_string(a) + " and " + to_string(b) + " of " + to_string(c.input(0)) + " and " +
             to_string(c.input(1)) + " differ, and the argument broadcast is not set");
    shape y = broadcast_shape(a, b);
    batches_ = broadcast_layout(y, a, b);
    if (!a_is_row) y.push_back(product_.m);
    if (!b_is_column) y.push_back(product_.n);
    if (a_is_row && b_is_column) y.push_back(1);
    c.output(0, type, y);
    is_one_ = is_one_product();
    if (is_one_) product_.m *= batches_.extent[0];
  }

  void run(op_context<B>& c) override {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) {
      if (is_one_)
        run_one<T>(c, {});
      else
        run_as<T>(c);
    });
  }
  void patterns(op_context<B> const&, std::vector<op_pattern<B>>& to) const override {
    if constexpr (has_epilogues<B>)
      if (is_one_) to.push_back({.kind = pattern_kind::epilogue});
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_one<T>(c, detail::epilogue_of<T>(part)); });
  }
  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    return input == 1 && is_one_ && !product_.transpose_a ? detail::pack_factor(right_, product_, c, input, to) : 0;
  }

 private:
  // Removes the last axis, or the one before it, and returns its extent.
  static std::int64_t take_last(shape& dims, bool before) {
    std::size_t const axis = dims.rank() - (before ? 2 : 1);
    std::int64_t const extent = dims[axis];
    dims.erase(axis);
    return extent;
  }

  // Returns true if the matrices of A are the rows of one, and B is one matrix.
  bool is_one_product() const {
    if (batches_.rank != 1) return false;
    return batches_.extent[0] == 1 || (batches_.right[0] == 0 && batches_.left[0] == 1 && !product_.transpose_a);
  }

  template <class T>
  void run_one(op_context<B>& c, detail::gemm_epilogue<T> const& after) const {
    right_.multiply(c.packed(1), product_, c.template input<T>(0), c.template input<T>(1), c.template output<T>(0), 1,
                    0, after);
  }

  // One batched GEMM per index of the outer batch axes; the innermost batch axis is the batch of the call.
  template <class T>
  void run_as(op_context<B>& c) const {
    if (batches_.count == 0) return;
    T const* const a = c.template input<T>(0);
    T const* const b = c.template input<T>(1);
    T* y = c.template output<T>(0);
    auto const last = static_cast<std::size_t>(batches_.rank) - 1;
    gemm_shape product = product_;
    gemm_batch batch{batches_.extent[last], batches_.left[last] * product.m * product.k,
                     batches_.right[last] * product.k * product.n, product.m * product.n};
    std::int64_t const step = batch.count * batch.stride_c;
    if (batch.stride_b == 0 && batch.stride_a == product.m * product.k && !product.transpose_a) {
      product.m *= batch.count;  // equal b: the batch is one matrix
      batch = gemm_batch{};
    }
    std::array<std::int64_t, shape::max_rank> at = {};
    while (true) {
      std::int64_t left = 0;
      std::int64_t right = 0;
      for (std::size_t axis = 0; axis != last; ++axis) {
        left += at[axis] * batches_.left[axis];
        right += at[axis] * batches_.right[axis];
      }
      gemm_batched<B>(product, batch, a + left * product_.m * product_.k, b + right * product_.k * product_.n, y);
      y += step;
      std::size_t axis = last;
      while (axis != 0 && ++at[axis - 1] == batches_.extent[axis - 1]) at[--axis] = 0;
      if (axis == 0) return;
    }
  }

  bool broadcast_;
  bool trans_a_;
  bool trans_b_;
  gemm_shape product_;
  broadcast_layout batches_;
  bool is_one_ = false;
  packed_factor<B> right_;
};

namespace detail {
/// Predicate for op_schema::rows_independent. False with a third input, which has the shape of all rows.
inline bool mat_mul_rows_independent(op_arguments const& a, std::size_t rows) {
  return rows == 1 && a.input_count() == 2 && !a.flag("trans_a") && is_inner_axis(a.integer("axis_a"));
}
}  // namespace detail

/// Adds MatMul, BatchMatMul: float and double.
template <backend B>
void add_matmul_operators(operators<B>& table) {
  auto const product = [](std::string_view type) {
    return op_schema(type)
        .outputs(1)
        .checks_first()
        .argument("trans_a", std::int64_t{0}, "A is transposed")
        .argument("trans_b", std::int64_t{0}, "B is transposed")
        .no_doubles_in_caffe2();
  };
  table.template add<mat_mul_kernel>(
      product("MatMul")
          .inputs(2, 3)
          .rows_independent(&detail::mat_mul_rows_independent)
          .argument("axis_a", std::int64_t{1}, "the first axis of A that makes its columns")
          .argument("axis_b", std::int64_t{1}, "the first axis of B that makes its columns")
          .describe("Y: M×N = A: M×K · B: K×N; a third input gives Y its shape"));
  table.template add<batch_mat_mul_kernel>(
      product("BatchMatMul")
          .inputs(2)
          .argument("broadcast", std::int64_t{0}, "axes before the matrices broadcast, as in numpy's matmul")
          .describe("Y: …×M×N = A: …×M×K · B: …×K×N"));
}

}  // namespace plait

PLAIT_KERNELS_END
