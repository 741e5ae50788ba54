// FloorMod, TruncMod, bitwise ops and shifts: remainders and bits of elements, with broadcasting.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/binary_kernel.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Remainder with the sign of a; b must not be zero if it is an integer.
struct trunc_mod {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return b == T(-1) ? T(0) : static_cast<T>(a % b);  // the quotient of the least number by -1 overflows
    else
      return std::fmod(a, b);
  }
};
/// Remainder with the sign of b; b must not be zero if it is an integer.
struct floor_mod {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    T const rest = trunc_mod()(a, b);
    if constexpr (std::floating_point<T>)
      if (rest == T(0)) return std::copysign(T(0), b);
    return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
  }
};

struct bit_and {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct bit_or {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct bit_xor {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
/// a · 2^b modulo the word; 0 if b is negative, or not below the bits of a word.
struct shift_left {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    using bits = std::make_unsigned_t<T>;
    bool const inside = b >= 0 && b < static_cast<T>(8 * sizeof(T));
    return inside ? static_cast<T>(static_cast<bits>(a) << static_cast<bits>(b)) : T(0);
  }
};
/// a shifted arithmetically; its sign, 0 or -1, if b is negative, or not below the bits of a word.
struct shift_right {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    bool const inside = b >= 0 && b < static_cast<T>(8 * sizeof(T));
    return static_cast<T>(a >> (inside ? b : static_cast<T>(8 * sizeof(T) - 1)));
  }
};

}  // namespace functions

/// Kernel of FloorMod and TruncMod. run() throws shape_error if an integer divisor is zero.
template <backend B, class F>
class modulo_kernel final : public binary_kernel<B, F, float, double, std::int32_t, std::int64_t> {
  using base = binary_kernel<B, F, float, double, std::int32_t, std::int64_t>;

 public:
  using base::base;
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class T>(T) {
      if (find_index<B>(c.size(1), functions::is_zero_at<T>{c.template input<T>(1)}) != c.size(1))
        c.fail("an integer is divided by zero");
    });
    base::run(c);
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    bool const checks = c.type(1) == element_type::int32 || c.type(1) == element_type::int64;
    if (!checks) base::patterns(c, to);
  }
};

/// FloorMod, TruncMod: float, double, int32 and int64; BitwiseAnd, BitwiseOr, BitwiseXor: int32, int64 and bool;
/// ShiftLeft, ShiftRight: int32 and int64.
template <backend B>
void add_integer_arithmetic_operators(operators<B>& table) {
  using std::int32_t;
  using std::int64_t;
  auto const schema = [](std::string_view type, std::string_view text) {
    return detail::binary_schema(type, text).in_place(0, 0).in_place(1, 0);
  };
  table.template add<modulo_kernel<B, functions::floor_mod>>(
      schema("FloorMod", "C = A - ⌊A / B⌋ B, with the sign of B"));
  table.template add<modulo_kernel<B, functions::trunc_mod>>(
      schema("TruncMod", "C = the remainder of A / B, with the sign of A"));
  auto const bitwise = [](std::string_view type, std::string_view text) {
    return detail::legacy_binary_schema(type, text).in_place(0, 0).in_place(1, 0);
  };
  table.template add<binary_kernel<B, functions::bit_and, int32_t, int64_t, bool>>(
      bitwise("BitwiseAnd", "C = the bits that A and B have"));
  table.template add<binary_kernel<B, functions::bit_or, int32_t, int64_t, bool>>(
      bitwise("BitwiseOr", "C = the bits that A or B has"));
  table.template add<binary_kernel<B, functions::bit_xor, int32_t, int64_t, bool>>(
      bitwise("BitwiseXor", "C = the bits that either A or B has"));
  table.template add<binary_kernel<B, functions::shift_left, int32_t, int64_t>>(
      schema("ShiftLeft", "C = A, its bits moved up by B; 0 if B is negative or no less than the bits of a word"));
  table.template add<binary_kernel<B, functions::shift_right, int32_t, int64_t>>(
      schema("ShiftRight", "C = ⌊A / 2^B⌋; the sign of A if B is negative or no less than the bits of a word"));
}

}  // namespace plait

PLAIT_KERNELS_END
