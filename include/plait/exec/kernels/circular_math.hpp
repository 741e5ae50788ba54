// Sine and cosine as vector_math.hpp has other functions: of numbers that are not large, which are those that come up.
// Of others the reduction takes hundreds of bits.
//
// Bounds are as there: of all floats up to the end (without fused multiply-add: of a third of them), of 1e8 doubles of
// all exponents and next to multiples of a quarter turn.
//
// Methods: W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8; coefficients by the
// Remez exchange in 60 digits.
#pragma once

#include <concepts>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/instruction_sets.hpp>
#include <plait/exec/kernels/vector_math.hpp>

namespace plait::math {

/// Largest magnitude of what the functions below are right for: 2^25 for float, 2^16 for double. NaN goes as well.
template <std::floating_point T>
inline constexpr T circular_end = T(std::same_as<T, float> ? 0x1p25 : 0x1p16);

namespace detail {

/// `quarters` quarter turns, of which the last bits are right, and angle + tail, |angle| < 0.786.
template <class T>
struct circular_parts {
  T angle;
  T tail;
  bits_of<T> quarters;
};

inline constexpr double quarters_in_one = 0x1.45f306dc9c883p-1;  // 2 / pi
// Added, it leaves the nearest integer in the low bits.
inline constexpr double whole_shift = 0x1.8p52;

/// Of x between 0 and circular_end. In double, where 2^25 times the upper part of pi / 2 is exact.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr circular_parts<float> reduce_circular(float x) {
  double const wide = x;
  double const shifted = contracted::multiply_add(wide, quarters_in_one, whole_shift);
  double const n = shifted - whole_shift;
  double const above = contracted::multiply_add(n, -0x1.921fb54p+0, wide);
  double const rest = contracted::multiply_add(n, -0x1.10b4611a62633p-30, above);
  auto const angle = static_cast<float>(rest);
  return {angle, static_cast<float>(rest - angle), static_cast<std::uint32_t>(to_bits(shifted))};
}

/// In three parts, of which 2^16 times the first two are exact.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr circular_parts<double> reduce_circular(double x) {
  double const shifted = contracted::multiply_add(x, quarters_in_one, whole_shift);
  double const n = shifted - whole_shift;
  double const above = contracted::multiply_add(n, -0x1.921fb5444p+0, x);
  double const middle = n * 0x1.68c234c4cp-39;
  double const rest = above - middle;
  double const back = rest - above;
  double const lost = (above - (rest - back)) - (middle + back);  // rest + lost = above - middle, exactly
  double const low = contracted::multiply_add(n, -0x1.98a2e03707345p-77, lost);
  double const angle = rest + low;
  return {angle, (rest - angle) + low, to_bits(shifted)};
}

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T sin_of_angle(T angle, T tail) {
  using a = contracted;
  T const z = angle * angle;
  T p;
  if constexpr (std::same_as<T, float>) {
    p = polynomial<a>(z, -0x1.555546p-3f, 0x1.110738p-7f, -0x1.994330p-13f);
  } else {
    p = polynomial<a>(z, -0x1.5555555555548p-3, 0x1.111111110f7c3p-7, -0x1.a01a019bfc401p-13, 0x1.71de35664f6fap-19,
                      -0x1.ae5e59579f347p-26, 0x1.5d8f73e709b31p-33);
  }
  T const along = a::multiply_add(T(-0.5) * z, tail, tail);  // the tail times the cosine
  return angle + a::multiply_add(angle * z, p, along);
}

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T cos_of_angle(T angle, T tail) {
  using a = contracted;
  T const z = angle * angle;
  T p;
  if constexpr (std::same_as<T, float>) {
    p = polynomial<a>(z, 0x1.55554ap-5f, -0x1.6c0c32p-10f, 0x1.99eafap-16f);
  } else {
    p = polynomial<a>(z, 0x1.555555555554bp-5, -0x1.6c16c16c14f82p-10, 0x1.a01a019c82d17p-16, -0x1.27e4f7e9a95e4p-22,
                      0x1.1ee9d6ef6a868p-29, -0x1.8fa4315e3cab2p-37);
  }
  T const high = a::multiply_add(T(-0.5), z, T(1));
  T const lost = a::multiply_add(T(-0.5), z, T(1) - high);
  return high + a::multiply_add(z * z, p, a::multiply_add(angle, -tail, lost));
}

/// By masks alone: of a comparison with the last bit, GCC makes something that it does not vectorise.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T choose_if_odd(bits_of<T> quarters, T odd, T even) {
  bits_of<T> const mask = bits_of<T>{0} - (quarters & 1);
  return from_bits<T>((to_bits(odd) & mask) | (to_bits(even) & ~mask));
}

/// y with the sign changed where the second bit of `quarters` is set.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T negated_by(T y, bits_of<T> quarters) {
  return from_bits<T>(to_bits(y) ^ (quarters << (sizeof(T) * 8 - 2) & sign_bit<T>));
}

}  // namespace detail

/// The sine of |x| <= circular_end. 0.80 ulp for float, 0.79 for double; 0.85 and 0.82 without fused multiply-add.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T sin(T x) {
  auto const [angle, tail, quarters] = detail::reduce_circular(detail::magnitude(x));
  T const y = detail::choose_if_odd(quarters, detail::cos_of_angle(angle, tail), detail::sin_of_angle(angle, tail));
  return detail::from_bits<T>(detail::to_bits(detail::negated_by(y, quarters)) ^
                              (detail::to_bits(x) & detail::sign_bit<T>));
}

/// The cosine of |x| <= circular_end. 0.80 ulp for float, 0.79 for double; 0.85 and 0.82 without fused multiply-add.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T cos(T x) {
  auto const [angle, tail, quarters] = detail::reduce_circular(detail::magnitude(x));
  T const y = detail::choose_if_odd(quarters, detail::sin_of_angle(angle, tail), detail::cos_of_angle(angle, tail));
  return detail::negated_by(y, quarters + 1);
}

}  // namespace plait::math
