// Fully connected layers: the operators FC and FCTransposed, a GEMM with a bias.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backend.hpp>
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

/// GEMM extents of FC and its gradient: X is m×k and W n×k, or k×n if transposed, for n units.
struct fc_extents {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  shape y;

  /// Returns the extents for inputs 0 (X) and 1 (W). Throws shape_error.
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

/// Adds a row to each row of a matrix.
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

/// Kernel of FC: Y = X Wᵀ + b, or X W + b with TransposedWeights. The axes of X before `axis` are the rows of X and
/// axes of Y; those of W before axis_w are the rows of W. Sums start from b, so that Y is traversed once.
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
    detail::visit_factor<B>(c.type(0), [&]<class T>(T) { run_as<T>(c, {}); });
  }

  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    return input == 1 ? detail::pack_factor(weights_, product_, c, input, to) : 0;
  }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    bool const is_real = c.type(0) == element_type::float32 || c.type(0) == element_type::float64;
    if (B::on_device && is_real) to.push_back({.kind = pattern_kind::rows, .whole_inputs = 0b110, .can_add = true});
    if (c.is_packed(1) && product_.m > 1) {
      op_pattern<B> made = detail::product_by_rows<B>(product_, c.type(0));
      made.whole_inputs = 0b110;
      made.can_add = true;
      to.push_back(made);
    }
    if constexpr (has_epilogues<B>) to.push_back({.kind = pattern_kind::epilogue});
    // Fewer rows do not repay packing W.
    if (packed_factor<B>::packs && product_.m >= many_rows && product_.n >= packed_factor<B>::least_columns)
      to.push_back({.kind = pattern_kind::streamed_rows,
                    .work = detail::product_work(product_),
                    .whole_inputs = 0b110,
                    .least_rows = c.input_spec(1).bytes() > detail::own_cache ? std::size_t{many_rows} : 1});
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      if (part.kind == op_part::kinds::whole) return run_as<T>(c, detail::epilogue_of<T>(part));
      T const* const x = c.template input<T>(0);
      T const* const b = c.template input<T>(2);
      T* const y = c.template output<T>(0);
      auto const* const more = static_cast<T const*>(part.addend);
      if constexpr (B::on_device) {
        if (multiplies_onto_row(product_, x, c.template input<T>(1), b, more, y)) return;
        auto const width = static_cast<std::size_t>(product_.n);
        for_each_row_part<B>(static_cast<std::size_t>(product_.m), width, 1, detail::add_row<T>{b, more, y, width});
        gemm<B>(product_, x, c.template input<T>(1), y, 1, 1);
      } else {
        weights_.multiply_onto_row(c.packed(1), b, c.output_spec(0).dims[0], x, y, {.addend = more});
      }
    });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c, detail::gemm_epilogue<T> const& after) const {
    T const* const x = c.template input<T>(0);
    T const* const w = c.template input<T>(1);
    T const* const b = c.template input<T>(2);
    T* const y = c.template output<T>(0);
    if (weights_.multiply_onto_row(c.packed(1), b, product_.m, x, y, after)) return;
    if constexpr (packed_factor<B>::packs) {
      // For many rows, packing W pays: sums then start from b instead of reading it back from Y.
      if (product_.m >= many_rows && product_.n >= packed_factor<B>::least_columns) {
        packed_matrix<T, B> once;
        once.pack(product_.k, product_.n, w, product_.transpose_b, 0, product_.m, bf16x3_);
        return once.multiply_onto(b, 0, product_.m, x, y, after);
      }
    }
    if (multiplies_onto_row<T>(product_, x, w, b, nullptr, y)) return;
    auto const width = static_cast<std::size_t>(product_.n);
    for_each_row_part<B>(static_cast<std::size_t>(product_.m), width, 1, detail::repeat_row<T>{b, y, width});
    gemm<B>(product_, x, w, y, 1, 1, after);
  }
  // Returns true if the backend has a fused product with a bias row, and has run it.
  template <class T>
  static bool multiplies_onto_row(gemm_shape const& s, T const* x, T const* w, T const* b, T const* more, T* y) {
    if constexpr (detail::has_row_product<B>) return B::gemm_library::multiply_onto_row(s, x, w, b, more, y);
    return false;
  }

  static constexpr std::int64_t many_rows = 256;

  std::int64_t axis_;
  std::int64_t axis_w_;
  bool bf16x3_;
  gemm_shape product_;
  packed_factor<B> weights_;
};

template <backend B>
struct fc_by_rows_kernel final : fc_kernel<B, false> {
  using fc_kernel<B, false>::fc_kernel;
};
template <backend B>
struct fc_by_columns_kernel final : fc_kernel<B, true> {
  using fc_kernel<B, true>::fc_kernel;
};

/// Adds FC, FCTransposed: float and double.
template <backend B>
void add_fully_connected_operators(operators<B>& table) {
  auto const fc = [](std::string_view type) {
    return op_schema(type)
        .inputs(3)
        .outputs(1)
        .rows_independent(&rows_before_axis)
        .checks_first()
        .argument("axis", std::int64_t{1}, "the first axis of X that is multiplied")
        .argument("axis_w", std::int64_t{1}, "the first axis of W that makes its columns")
        .no_doubles_in_caffe2();
  };
  table.template add<fc_by_rows_kernel>(fc("FC").describe("Y: …×N = X: …×K · W: N×K' + b: N"));
  table.template add<fc_by_columns_kernel>(fc("FCTransposed").describe("Y: …×N = X: …×K · W: K×N + b: N"));
}

}  // namespace plait

PLAIT_KERNELS_END
