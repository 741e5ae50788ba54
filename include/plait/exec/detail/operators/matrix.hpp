// Matrix products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/held_matrix.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// The type of input i, which a backend must be able to multiply: on devices there are 16-bit numbers besides.
template <backend B>
element_type expect_factor(shape_context const& c, std::size_t i) {
  if constexpr (B::on_device)
    return c.expect_type<float, double, float16, bfloat16>(i);
  else
    return c.expect_type<float, double>(i);
}

/// f(T{}) for such a type.
template <backend B, class F>
void visit_factor(element_type type, F&& f) {
  if constexpr (B::on_device)
    visit_type<float, double, float16, bfloat16>(type, f);
  else
    visit_type<float, double>(type, f);
}

[[noreturn]] inline void fail_inner(shape_context const& c, std::int64_t a, std::int64_t b) {
  c.fail(c.pair_text(0, 1) + ", of different inner extents " + std::to_string(a) + " and " + std::to_string(b));
}

/// What FC and its gradient multiply: X, a matrix of m rows of k numbers, and W, with k numbers for each of n units.
struct fc_extents {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  shape y;

  /// X and W being inputs 0 and 1; the units are W's columns where it is transposed.
  template <backend B>
  static fc_extents of(shape_context const& c, std::int64_t axis_x, std::int64_t axis_w, bool transposed) {
    expect_factor<B>(c, 0);
    c.expect_same_type(0, 1);
    shape const& x = c.dims(0);
    shape const& w = c.dims(1);
    std::size_t const first = c.axis(0, axis_x);
    std::size_t const first_w = c.axis(1, axis_w);
    fc_extents made{x.size_to(first), transposed ? w.size_from(first_w) : w.size_to(first_w), x.size_from(first), {}};
    std::int64_t const inner = transposed ? w.size_to(first_w) : w.size_from(first_w);
    c.expect(inner == made.k, 0, "have rows of ", inner, " elements from axis ", first, ", as ", c.input_text(1));
    for (std::size_t i = 0; i != first; ++i) made.y.push_back(x[i]);
    made.y.push_back(made.n);
    return made;
  }
};

/// Of a product, in elements that are merely moved.
inline std::size_t product_work(gemm_shape const& s) {
  return static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n) * static_cast<std::size_t>(s.k) / 16;
}

/// A product, for op_kernel::by_rows, if the right operand is held.
template <backend B>
row_runs product_by_rows(held_matrix<B> const& right, gemm_shape const& s, element_type type) {
  if (s.m < 2 || !right.holds()) return {};
  row_runs made{.work = product_work(s)};
  visit_type<float, double>(type, [&]<class T>(T) { made.undivided = right.template keeps_rows_together<T>(s); });
  return made;
}

/// The same for op_kernel::by_columns, of a product of one row.
template <backend B>
column_runs product_by_columns(held_matrix<B> const& right, gemm_shape const& s, element_type type) {
  if (s.m != 1 || !right.holds()) return {};
  column_runs made{.work = product_work(s)};
  visit_type<float, double>(type, [&]<class T>(T) { made.step = held_matrix<B>::template panel_columns<T>(); });
  return made;
}

/// The same row of numbers in each row of a matrix.
template <class T>
struct repeat_row {
  T const* row;
  T* matrix;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t i, std::size_t first, std::size_t last) const {
    T const* const from = row;
    T* const to = matrix + i * width;
    PLAIT_INDEPENDENT
    for (std::size_t j = first; j < last; ++j) to[j] = from[j];
  }
};

/// The same row added to each row of another.
template <class T>
struct add_row {
  T const* row;
  T const* matrix;
  T* sum;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t i, std::size_t first, std::size_t last) const {
    for (std::size_t j = first; j < last; ++j) sum[i * width + j] = row[j] + matrix[i * width + j];
  }
};

}  // namespace detail

/// Y = X W' + b, or X W + b with TransposedWeights: axes of X before `axis` are rows, and stay; W is a matrix whose
/// axes before axis_w are rows. Sums begin with b, so that Y is passed over once.
template <backend B, bool TransposedWeights>
class fc_kernel : public op_kernel<B> {
 public:
  explicit fc_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), axis_w_(a.integer("axis_w")), bf16x3_(a.allows_bf16x3()) {}

  void infer(shape_context& c) final {
    auto const extents = detail::fc_extents::of<B>(c, axis_, axis_w_, TransposedWeights);
    product_ = gemm_shape{
        .m = extents.m, .n = extents.n, .k = extents.k, .transpose_b = !TransposedWeights, .bf16x3 = bf16x3_};
    c.expect_same_type(0, 2);
    c.expect_rank(2, 1, 1);
    c.expect(c.dims(2)[0] == extents.n, 2, "have ", extents.n, " elements, one a unit");
    c.output(0, c.type(0), extents.y);
  }

  void run(op_context<B>& c) final {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

  bool begin_series(op_context<B>& c, run_series const& series) override {
    held_.release();
    if (series.same[1] && series.runs >= held_matrix<B>::least_runs)
      detail::visit_factor<B>(c.type(0), [&]<class T>(T) { held_.hold(product_, c.template input<T>(1)); });
    return false;
  }
  void end_series(op_context<B>&, bool) override { held_.release(); }
  void keep_constants(std::vector<bool> const& inputs) override { held_.keep(inputs[1]); }

  row_runs by_rows(op_context<B> const& c) const override {
    row_runs made = detail::product_by_rows(held_, product_, c.type(0));
    made.whole_inputs = 0b110;
    made.can_add = !B::on_device || c.type(0) == element_type::float32 || c.type(0) == element_type::float64;
    return made;
  }
  // As run_as multiplies so many rows, for the same bits.
  row_runs by_pieces(op_context<B> const& c) const override {
    if (!held_matrix<B>::packs || product_.m < many_rows || product_.n < held_matrix<B>::least_columns) return {};
    bool const leaves_cache = c.input_spec(1).bytes() > detail::own_cache;
    return {.work = detail::product_work(product_),
            .whole_inputs = 0b110,
            .least_rows = static_cast<std::size_t>(leaves_cache ? many_rows : 1)};
  }
  void run_rows(op_context<B>& c) override { run_rows_adding(c, nullptr); }
  void run_rows_adding(op_context<B>& c, void const* addend) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const b = c.template input<T>(2);
      T* const y = c.template output<T>(0);
      auto const* const more = static_cast<T const*>(addend);
      if constexpr (B::on_device) {
        if (multiplies_onto_row(product_, x, c.template input<T>(1), b, more, y)) return;
        auto const width = static_cast<std::size_t>(product_.n);
        for_each_row_part<B>(static_cast<std::size_t>(product_.m), width, 1, detail::add_row<T>{b, more, y, width});
        gemm<B>(product_, x, c.template input<T>(1), y, 1, 1);
      } else {
        held_.multiply_onto_row(b, c.output_spec(0).dims[0], x, y, more);
      }
    });
  }
  column_runs by_columns(op_context<B> const& c) const override {
    column_runs made = detail::product_by_columns(held_, product_, c.type(0));
    made.whole_inputs = 0b011;
    return made;
  }
  void run_columns(op_context<B> const& c, column_part const& part) noexcept override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      held_.multiply_part_onto_row(c.template input<T>(2), c.template input<T>(0), c.template output<T>(0), part);
    });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) const {
    T const* const x = c.template input<T>(0);
    T const* const w = c.template input<T>(1);
    T const* const b = c.template input<T>(2);
    T* const y = c.template output<T>(0);
    if constexpr (held_matrix<B>::packs) {
      // Of many rows sums should begin with b, not with what has been written to all of them. Which way is taken
      // depends on the shape alone, for the bits do on the way.
      if (product_.m >= many_rows && product_.n >= held_matrix<B>::least_columns && !held_.holds()) {
        held_matrix<B> once;
        once.hold(product_, w);
        return multiply(once, product_.m, x, w, b, y);
      }
    }
    multiply(held_, product_.m, x, w, b, y);
  }
  template <class T>
  void multiply(held_matrix<B> const& weights, std::int64_t rows, T const* x, T const* w, T const* b, T* y) const {
    if (weights.multiply_onto_row(b, rows, x, y)) return;
    gemm_shape part = product_;
    part.m = rows;
    if (multiplies_onto_row<T>(part, x, w, b, nullptr, y)) return;
    auto const width = static_cast<std::size_t>(product_.n);
    for_each_row_part<B>(static_cast<std::size_t>(rows), width, 1, detail::repeat_row<T>{b, y, width});
    gemm<B>(part, x, w, y, 1, 1);
  }
  // Whether the backend can do so at once, and has.
  template <class T>
  static bool multiplies_onto_row(gemm_shape const& s, T const* x, T const* w, T const* b, T const* more, T* y) {
    if constexpr (requires { gemm_traits<B>::multiply_onto_row(s, x, w, b, more, y); })
      return gemm_traits<B>::multiply_onto_row(s, x, w, b, more, y);
    return false;
  }

  static constexpr std::int64_t many_rows = 256;

  std::int64_t axis_;
  std::int64_t axis_w_;
  bool bf16x3_;
  gemm_shape product_;
  held_matrix<B> held_;
};

template <backend B>
struct fc_by_rows_kernel final : fc_kernel<B, false> {
  using fc_kernel<B, false>::fc_kernel;
};
template <backend B>
struct fc_by_columns_kernel final : fc_kernel<B, true> {
  using fc_kernel<B, true>::fc_kernel;
};

/// Y = A B of matrices whose rows are the axes before axis_a and axis_b. A third input gives Y its shape.
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
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) {
      held_.multiply(product_, c.template input<T>(0), c.template input<T>(1), c.template output<T>(0));
    });
  }

  bool begin_series(op_context<B>& c, run_series const& series) override {
    held_.release();
    if (series.same[1] && series.runs >= held_matrix<B>::least_runs && !product_.transpose_a)
      detail::visit_factor<B>(c.type(0), [&]<class T>(T) { held_.hold(product_, c.template input<T>(1)); });
    return false;
  }
  void end_series(op_context<B>&, bool) override { held_.release(); }
  void keep_constants(std::vector<bool> const& inputs) override { held_.keep(inputs[1]); }

 private:
  std::int64_t axis_a_;
  std::int64_t axis_b_;
  gemm_shape product_;
  held_matrix<B> held_;
};

/// The products of matrices that the last two axes are. Without `broadcast` the other axes must be the same; with it
/// they broadcast as numpy's matmul has them, and an operand of one axis is a row on the left, a column on the right,
/// whose axis Y does not have (two of them give Y one element, in one axis). trans_a and trans_b are of matrices: they
/// mean nothing to an operand of one axis.
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
  }

  void run(op_context<B>& c) override {
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  // The last extent, or the one before it, which is taken out.
  static std::int64_t take_last(shape& dims, bool before) {
    std::size_t const axis = dims.rank() - (before ? 2 : 1);
    std::int64_t const extent = dims[axis];
    dims.erase(axis);
    return extent;
  }

  // The innermost axis of the batch is one call; the axes before it, if it takes several, are counted through.
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
      product.m *= batch.count;  // the same b: rows of one matrix
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
};

namespace detail {
/// For op_schema::rows_independent; a third input has the shape of all rows.
inline bool mat_mul_rows_independent(op_arguments const& a, std::size_t rows) {
  return rows == 1 && a.input_count() == 2 && !a.flag("trans_a") && is_inner_axis(a.integer("axis_a"));
}
}  // namespace detail

/// FC, FCTransposed, MatMul, BatchMatMul: float and double.
template <backend B>
void add_matrix_operators(operators<B>& table) {
  auto const fc = [](std::string_view type) {
    return op_schema(type)
        .inputs(3)
        .outputs(1)
        .rows_independent(&rows_before_axis)
        .checks_first()
        .argument("axis", std::int64_t{1}, "the first axis of X that is multiplied")
        .argument("axis_w", std::int64_t{1}, "the first axis of W that makes its columns");
  };
  table.template add<fc_by_rows_kernel>(fc("FC").describe("Y: …×N = X: …×K · W: N×K' + b: N"));
  table.template add<fc_by_columns_kernel>(fc("FCTransposed").describe("Y: …×N = X: …×K · W: K×N + b: N"));
  auto const product = [](std::string_view type) {
    return op_schema(type)
        .outputs(1)
        .checks_first()
        .argument("trans_a", std::int64_t{0}, "A is transposed")
        .argument("trans_b", std::int64_t{0}, "B is transposed");
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
