// Vectorisable sine and cosine, like the functions of vector_math.hpp, for arguments of moderate size. Larger ones need
// a reduction with hundreds of bits.
//
// Error bounds are measured as there: for all floats up to circular_end (without fused multiply-add: a third of them),
// and for 1e8 doubles of all exponents and next to multiples of a quarter turn.
//
// Methods: W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8; coefficients by the
// Remez exchange in 60 digits.
#pragma once

#include <concepts>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::math {

/// Largest magnitude for which the functions below are accurate: 2^25 for float, 2^16 for double. They accept NaN.
template <std::floating_point T>
inline constexpr T circular_end = T(std::same_as<T, float> ? 0x1p25 : 0x1p16);

namespace detail {

// Adding it leaves the nearest integer in the low bits.
inline constexpr double whole_shift = 0x1.8p52;

// ---- float: computed in double, which is as fast as pairs of floats, and rounded once

inline constexpr double half_turns_in_one = 0x1.45f306dc9c883p-2;  // 1 / pi

/// Returns x - n pi, for 2 n an integer: exact except for the lower summand of pi.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double less_half_turns(double x, double n) {
  return contracted::multiply_add(n, -0x1.10b4611a62633p-29, contracted::multiply_add(n, -0x1.921fb54p+1, x));
}

/// Returns the sine of an angle of at most a quarter turn, negated if the last bit of `half_turns` is set.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr float sin_of_angle(double angle, std::uint64_t half_turns) {
  double const z = angle * angle;
  double const p = polynomial<contracted>(z, 1.0, -0x1.55555547693a2p-3, 0x1.11110c49f812dp-7, -0x1.a017d99dd216cp-13,
                                          0x1.71707fdd0ff50p-19, -0x1.9a6881f5b0f2ep-26);
  return static_cast<float>(from_bits<double>(to_bits(angle) ^ half_turns << 63) * p);
}

// ---- double

/// Reduced argument: x = `quarters` (modulo a power of two) quarter turns + angle + tail, |angle| < 0.786.
struct circular_parts {
  double angle;
  double tail;
  std::uint64_t quarters;
};

/// Reduces x between 0 and circular_end, with three summands of pi / 2; 2^16 times the first two are exact.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr circular_parts reduce_circular(double x) {
  constexpr double quarters_in_one = 0x1.45f306dc9c883p-1;  // 2 / pi
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

PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double sin_of_angle(double angle, double tail) {
  using a = contracted;
  double const z = angle * angle;
  double const p = polynomial<a>(z, -0x1.5555555555548p-3, 0x1.111111110f7c3p-7, -0x1.a01a019bfc401p-13,
                                 0x1.71de35664f6fap-19, -0x1.ae5e59579f347p-26, 0x1.5d8f73e709b31p-33);
  double const along = a::multiply_add(-0.5 * z, tail, tail);  // the tail times the cosine
  return angle + a::multiply_add(angle * z, p, along);
}

PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double cos_of_angle(double angle, double tail) {
  using a = contracted;
  double const z = angle * angle;
  double const p = polynomial<a>(z, 0x1.555555555554bp-5, -0x1.6c16c16c14f82p-10, 0x1.a01a019c82d17p-16,
                                 -0x1.27e4f7e9a95e4p-22, 0x1.1ee9d6ef6a868p-29, -0x1.8fa4315e3cab2p-37);
  double const high = a::multiply_add(-0.5, z, 1.0);
  double const lost = a::multiply_add(-0.5, z, 1.0 - high);
  return high + a::multiply_add(z * z, p, a::multiply_add(angle, -tail, lost));
}

/// Returns `odd` or `even` by masks only: GCC does not vectorise its code for a comparison of the last bit.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double choose_if_odd(std::uint64_t quarters, double odd, double even) {
  std::uint64_t const mask = std::uint64_t{0} - (quarters & 1);
  return from_bits<double>((to_bits(odd) & mask) | (to_bits(even) & ~mask));
}

/// Returns y, negated if the second bit of `quarters` is set.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double negated_by(double y, std::uint64_t quarters) {
  return from_bits<double>(to_bits(y) ^ (quarters << 62 & sign_bit<double>));
}

}  // namespace detail

/// Returns the sine of x, |x| <= circular_end. 0.501 ulp for float; 0.79 for double, 0.82 without fused multiply-add.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr float sin(float x) {
  double const wide = x;
  double const shifted = contracted::multiply_add(wide, detail::half_turns_in_one, detail::whole_shift);
  double const angle = detail::less_half_turns(wide, shifted - detail::whole_shift);
  return detail::sin_of_angle(angle, detail::to_bits(shifted));
}
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double sin(double x) {
  auto const [angle, tail, quarters] = detail::reduce_circular(detail::magnitude(x));
  double const y =
      detail::choose_if_odd(quarters, detail::cos_of_angle(angle, tail), detail::sin_of_angle(angle, tail));
  return detail::from_bits<double>(detail::to_bits(detail::negated_by(y, quarters)) ^
                                   (detail::to_bits(x) & detail::sign_bit<double>));
}

/// Returns the cosine of x, |x| <= circular_end, with the error bounds of the sine.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr float cos(float x) {
  double const wide = detail::magnitude(x);
  // Computes the sine of an angle that is a quarter turn larger.
  double const shifted = contracted::multiply_add(wide, detail::half_turns_in_one, -0.5) + detail::whole_shift;
  double const angle = detail::less_half_turns(wide, shifted - detail::whole_shift + 0.5);
  return detail::sin_of_angle(angle, detail::to_bits(shifted) + 1);
}
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr double cos(double x) {
  auto const [angle, tail, quarters] = detail::reduce_circular(detail::magnitude(x));
  double const y =
      detail::choose_if_odd(quarters, detail::sin_of_angle(angle, tail), detail::cos_of_angle(angle, tail));
  return detail::negated_by(y, quarters + 1);
}

}  // namespace plait::math

PLAIT_KERNELS_END
