// Helpers of the operators of matrix products: element types, cost estimates, partition by rows.
#pragma once

#include <cstddef>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/packed_factor.hpp>
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

/// Returns the epilogue of an op_part that is a whole op, for a product of floats or doubles.
template <class T>
gemm_epilogue<T> epilogue_of(op_part const& part) {
  return {static_cast<T const*>(part.addend), part.relu};
}

/// Returns the row-parallel pattern of a product with a packed right operand.
template <backend B>
op_pattern<B> product_by_rows(gemm_shape const& s, element_type type) {
  op_pattern<B> made{.kind = pattern_kind::rows, .work = product_work(s)};
  visit_type<float, double>(type,
                            [&]<class T>(T) { made.undivided = packed_factor<B>::template keeps_rows_together<T>(s); });
  return made;
}

/// Implements op_kernel::pack for the right operand of a product, which is an input.
template <backend B>
std::size_t pack_factor(packed_factor<B>& factor, gemm_shape const& s, op_context<B> const& c, std::size_t input,
                        void* to) {
  std::size_t bytes = 0;
  visit_factor<B>(c.type(input), [&]<class T>(T) {
    bytes = factor.pack(s, to == nullptr ? nullptr : c.template input<T>(input), to);
  });
  return bytes;
}

}  // namespace plait::detail

PLAIT_KERNELS_END
