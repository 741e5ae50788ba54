// Operands of matrix products: element types, extents that must agree, and runs by rows and columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/held_matrix.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/op_kernel.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

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

}  // namespace plait::detail

PLAIT_KERNELS_END
