// Common parts of the operators of matrix products: element types, cost estimates, partition by rows or columns.
#pragma once

#include <cstddef>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/held_matrix.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/op_kernel.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Returns the element type of input i. Throws shape_error unless the backend multiplies it: float and double, on
/// devices also the 16-bit floating-point types.
template <backend B>
element_type expect_factor(shape_context const& c, std::size_t i) {
  if constexpr (B::on_device)
    return c.expect_type<float, double, float16, bfloat16>(i);
  else
    return c.expect_type<float, double>(i);
}

/// Calls f(T{}) for an element type that expect_factor accepts.
template <backend B, class F>
void visit_factor(element_type type, F&& f) {
  if constexpr (B::on_device)
    visit_type<float, double, float16, bfloat16>(type, f);
  else
    visit_type<float, double>(type, f);
}

/// Returns the cost of a product in units of moving one element.
inline std::size_t product_work(gemm_shape const& s) {
  return static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n) * static_cast<std::size_t>(s.k) / 16;
}

/// Returns the partition of a product by rows (op_kernel::by_rows); empty unless the right operand is packed.
template <backend B>
row_runs product_by_rows(held_matrix<B> const& right, gemm_shape const& s, element_type type) {
  if (s.m < 2 || !right.holds()) return {};
  row_runs made{.work = product_work(s)};
  visit_type<float, double>(type, [&]<class T>(T) { made.undivided = right.template keeps_rows_together<T>(s); });
  return made;
}

/// Returns the partition of a product of one row by columns (op_kernel::by_columns); empty unless the right operand is
/// packed.
template <backend B>
column_runs product_by_columns(held_matrix<B> const& right, gemm_shape const& s, element_type type) {
  if (s.m != 1 || !right.holds()) return {};
  column_runs made{.work = product_work(s)};
  visit_type<float, double>(type, [&]<class T>(T) { made.step = held_matrix<B>::template panel_columns<T>(); });
  return made;
}

}  // namespace plait::detail

PLAIT_KERNELS_END
