// Building blocks of the elementary functions in vector_math.hpp, which describes the methods: polynomials and argument
// reduction.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include <plait/exec/backend.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::math {

/// Multiply-add that the compiler may contract: fused if the processor can.
struct contracted {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr T product(T a, T b) {
    return a * b;
  }
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr T multiply_add(T a, T b, T c) {
    return a * b + c;
  }
};

/// Multiply-add rounded after each step, fused or not: the same bits on every processor and device. A product plus zero
/// is rounded once either way, and a following addition cannot be fused with it.
struct reproducible {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr T product(T a, T b) {
    return a * b + T(0);
  }
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr T multiply_add(T a, T b, T c) {
    return product(a, b) + c;
  }
};

namespace detail {

template <std::floating_point T>
struct format;

template <>
struct format<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa = 23;
  static constexpr bits bias = 127;
  static constexpr bits sqrt_half = 0x3f3504f3u;
  // ln2_high times an exponent is exact.
  static constexpr float ln2_high = 0x1.62ep-1f;
  static constexpr float ln2_low = 0x1.0bfbe8p-15f;
  static constexpr float exp_end = 104.0f;  // from here on exp is infinite or zero
  static constexpr float tanh_end = 10.0f;  // from here on tanh is 1
};

template <>
struct format<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa = 52;
  static constexpr bits bias = 1023;
  static constexpr bits sqrt_half = 0x3fe6a09e667f3bcdu;
  static constexpr double ln2_high = 0x1.62e42fefa2p-1;
  static constexpr double ln2_low = 0x1.9ef35793c7673p-41;
  static constexpr double exp_end = 746.0;
  static constexpr double tanh_end = 22.0;
};

template <class T>
using bits_of = typename format<T>::bits;

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr bits_of<T> to_bits(T x) {
  return std::bit_cast<bits_of<T>>(x);
}
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T from_bits(bits_of<T> x) {
  return std::bit_cast<T>(x);
}

template <class T>
inline constexpr bits_of<T> sign_bit = bits_of<T>{1} << (sizeof(T) * 8 - 1);

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T magnitude(T x) {
  return from_bits<T>(to_bits(x) & ~sign_bit<T>);
}
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T minus_magnitude(T x) {
  return from_bits<T>(to_bits(x) | sign_bit<T>);
}
/// Returns x with the sign of y. Precondition: x is positive or zero, or has this sign already.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T with_sign_of(T x, T y) {
  return from_bits<T>(to_bits(x) | (to_bits(y) & sign_bit<T>));
}

/// Returns 2^(biased - bias), 0 < biased < 2 bias + 1.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T power_of_two(bits_of<T> biased) {
  return from_bits<T>(biased << format<T>::mantissa);
}

/// Power of two as two factors, since it can itself be out of range. The bias was added twice to its exponent.
template <class T>
struct power_factors {
  T first;
  T second;
};
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr power_factors<T> split_power_of_two(bits_of<T> twice_biased) {
  using f = format<T>;
  bits_of<T> const half = (twice_biased & (4 * f::bias + 2)) << (f::mantissa - 1);
  return {from_bits<T>(half), from_bits<T>((twice_biased << f::mantissa) - half)};
}

/// Returns small - minus exactly, for a small number and an integer `minus`.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T to_floating(bits_of<T> small, T minus) {
  constexpr T shift = T(bits_of<T>{1} << format<T>::mantissa);
  return from_bits<T>(small | to_bits(shift)) - (shift + minus);
}

/// Returns c0 + c1 x + c2 x^2 ...
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T polynomial(T, T c0) {
  return c0;
}
template <class A, class T, class... Ts>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T polynomial(T x, T c0, T c1, Ts... rest) {
  return A::multiply_add(polynomial<A>(x, c1, rest...), x, c0);
}

/// Argument reduction e^(m x) = 2^n e^(m rest), |m rest| < 0.347. The low bits of `exponent` are n plus an addend:
/// enough of them for power_of_two, which drops the others.
template <class T>
struct exp_parts {
  T rest;
  bits_of<T> exponent;
};

/// Returns x if it is positive or NaN, else zero.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T positive_part(T x) {
  return from_bits<T>(to_bits(x) & ((to_bits(x) >> (sizeof(T) * 8 - 1)) - 1));
}

/// Returns condition ? a : b without a branch, which g++ 12 would add to compute no more of a and b than needed; a loop
/// with branches is not vectorised.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T choose(bool condition, T a, T b) {
  bits_of<T> const mask = bits_of<T>{0} - bits_of<T>{condition};
  return from_bits<T>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

/// Returns min(x, end); NaN for NaN.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T at_most(T x, T end) {
  return choose(end < x, end, x);
}
/// Returns max(x, end); NaN for NaN.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T at_least(T x, T end) {
  return choose(end > x, end, x);
}
/// Returns x clamped to [-end, end]; NaN for NaN.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T clamp(T x, T end) {
  // Like `choose`, but by the bits in which the two differ: one comparison if there are mask registers, instead of two.
  bits_of<T> const mask = bits_of<T>{0} - bits_of<T>{magnitude(x) > end};
  return from_bits<T>(to_bits(x) ^ ((to_bits(x) ^ to_bits(with_sign_of(end, x))) & mask));
}

/// Reduces the argument of exp. M, here and below, is a power of two: multiplying by it is exact.
template <class A, int M = 1, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr exp_parts<T> reduce_exp(T x, bits_of<T> added) {
  using f = format<T>;
  // Adding 1.5 * 2^mantissa leaves the nearest integer in the low bits.
  T const shift = T(bits_of<T>{3} << (f::mantissa - 1)) + T(added);
  constexpr T log2_e = T(1.44269504088896340736);
  T const shifted = A::multiply_add(x, M * log2_e, shift);
  T const n = shifted - shift;
  T const rest = A::multiply_add(n, -f::ln2_low / M, A::multiply_add(n, -f::ln2_high / M, x));
  return {rest, to_bits(shifted)};
}

/// Returns c0 m + c1 m^2 x + c2 m^3 x^2 ..., `power` being m.
template <class A, int M, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T stretched_polynomial(T, T power, T c0) {
  return power * c0;
}
template <class A, int M, class T, class... Ts>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T stretched_polynomial(T x, T power, T c0, Ts... rest) {
  return A::multiply_add(stretched_polynomial<A, M>(x, M * power, rest...), x, power * c0);
}

/// Returns (e^(m r) - 1 - m r) / (m r^2), for |m r| < 0.347.
template <class A, int M, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T exp_tail(T r) {
  if constexpr (std::same_as<T, float>) {
    return stretched_polynomial<A, M>(r, T(M), 0x1.fffffep-2f, 0x1.5554b4p-3f, 0x1.5556f2p-5f, 0x1.122546p-7f,
                                      0x1.6b9c72p-10f);
  } else {
    return stretched_polynomial<A, M>(r, T(M), 0x1.0000000000005p-1, 0x1.555555555555cp-3, 0x1.55555555520cap-5,
                                      0x1.111111110e6c5p-7, 0x1.6c16c17f430c6p-10, 0x1.a01a01b5de4c1p-13,
                                      0x1.a019a661042c0p-16, 0x1.71dde9f5dcb8fp-19, 0x1.28a2d1d6821ddp-22,
                                      0x1.af76c76843b91p-26);
  }
}
/// Returns e^r, for |r| < 0.347.
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T exp_of_rest(T r) {
  return A::multiply_add(A::multiply_add(exp_tail<A, 1>(r), r, T(1)), r, T(1));
}
/// Returns (e^(m r) - 1) / m, for |m r| < 0.347.
template <class A, int M = 1, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T expm1_of_rest(T r) {
  return A::multiply_add(r * r, exp_tail<A, M>(r), r);
}

/// Returns log(2^k (1 + f)) for 1 + f from sqrt(1/2) to sqrt(2).
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T log_of_parts(T k, T f) {
  T const s = f / (T(2) + f);
  T const z = s * s;
  T p;
  if constexpr (std::same_as<T, float>) {
    p = polynomial<A>(z, 0x1.55557ap-1f, 0x1.995eacp-2f, 0x1.31e4a2p-2f);
  } else {
    p = polynomial<A>(z, 0x1.5555555555593p-1, 0x1.999999997fc75p-2, 0x1.2492494204596p-2, 0x1.c71c51f8af468p-3,
                      0x1.74664289e1042p-3, 0x1.39a157e59e9acp-3, 0x1.2f0978e20924ep-3);
  }
  T const half_square = A::product(T(0.5) * f, f);
  T const low = A::multiply_add(s, A::multiply_add(z, p, half_square), A::product(k, format<T>::ln2_low));
  return A::product(k, format<T>::ln2_high) - ((half_square - low) - f);
}

/// Decomposition x = 2^exponent * fraction, fraction from sqrt(1/2) to sqrt(2), for positive normal x.
template <class T>
struct log_parts {
  T fraction;
  bits_of<T> exponent;  ///< with the bias added
};

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr log_parts<T> reduce_log(T x) {
  using f = format<T>;
  bits_of<T> const above = to_bits(x) + ((f::bias << f::mantissa) - f::sqrt_half);
  return {from_bits<T>((above & ((bits_of<T>{1} << f::mantissa) - 1)) + f::sqrt_half), above >> f::mantissa};
}

/// Returns y, unless x is infinite, NaN or at most zero_at, where the logarithm is -infinity.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T or_special_log(T y, T x, T zero_at) {
  using limits = std::numeric_limits<T>;
  T const distance = (x - zero_at) + T(0);
  // -infinity with the sign of `distance` in the mantissa, which makes it NaN below zero_at.
  bits_of<T> const low =
      to_bits(-limits::infinity()) | ((to_bits(distance) & sign_bit<T>) >> (sizeof(T) * 8 - format<T>::mantissa));
  return choose(x < limits::infinity(), choose(distance > T(0), y, from_bits<T>(low)), x);
}

template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T log(T x) {
  using f = format<T>;
  constexpr bits_of<T> scale = f::mantissa + 1;
  bool const subnormal = x < std::numeric_limits<T>::min();
  bits_of<T> const shift = bits_of<T>{subnormal} * scale;
  log_parts<T> const parts = reduce_log(x * power_of_two<T>(f::bias + shift));
  T const k = to_floating<T>(parts.exponent + scale - shift, T(f::bias + scale));
  return or_special_log(log_of_parts<A>(k, parts.fraction - T(1)), x, T(0));
}

/// Returns log(1 + x) for finite x above -1; the sign of zero and the last place of subnormal x are lost.
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T log1p(T x) {
  using f = format<T>;
  T const u = T(1) + x;
  T const back = u - x;
  T const lost = (x - (u - back)) + (T(1) - back);  // u + lost = 1 + x, exactly
  log_parts<T> const parts = reduce_log(u);
  // Twice the factor that u was multiplied by: itself it could be subnormal, and nothing is lost where it is zero.
  T const scale = power_of_two<T>(bits_of<T>{2 * f::bias + 1} - parts.exponent);
  T const fraction = A::multiply_add(T(0.5) * lost, scale, parts.fraction - T(1));
  return log_of_parts<A>(to_floating<T>(parts.exponent, T(f::bias)), fraction);
}

/// Returns the square root of y >= 0 within a few units of the last place, by Newton's iteration for 1 / sqrt(y), as
/// errno keeps compilers from vectorising the exact one.
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T square_root(T y) {
  constexpr bool is_float = std::same_as<T, float>;
  constexpr bits_of<T> guess = static_cast<bits_of<T>>(is_float ? 0x5f3759dfu : 0x5fe6eb50c7b537a9u);
  T g = from_bits<T>(guess - (to_bits(y) >> 1));
  T const half = T(0.5) * y;
  for (int step = 0; step != (is_float ? 3 : 4); ++step) g *= T(1.5) - A::product(half * g, g);
  return y * g;
}

/// Return the sine and cosine of r turns, |r| <= 1/8.
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T sin_of_turns(T r) {
  T const z = A::product(r, r);
  if constexpr (std::same_as<T, float>) {
    return r * polynomial<A>(z, 0x1.921fb6p+2f, -0x1.4abbbap+5f, 0x1.465ec6p+6f, -0x1.2d9b96p+6f);
  } else {
    return r * polynomial<A>(z, 0x1.921fb54442d18p+2, -0x1.4abbce625be41p+5, 0x1.466bc677587f9p+6,
                             -0x1.32d2cce2e5b78p+6, 0x1.50782fda0fb18p+5, -0x1.e30071a50b58ap+3, 0x1.e3f37d5faeb6ep+1);
  }
}
template <class A, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T cos_of_turns(T r) {
  T const z = A::product(r, r);
  if constexpr (std::same_as<T, float>) {
    return polynomial<A>(z, 1.0f, -0x1.3bd3ccp+4f, 0x1.03c1dep+6f, -0x1.55c664p+6f, 0x1.d9f78cp+5f);
  } else {
    return polynomial<A>(z, 1.0, -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ab0p+6, -0x1.55d3c7e3c95b7p+6,
                         0x1.e1f50683b39e7p+5, -0x1.a6d1ecb6cbf33p+4, 0x1.f9cc6a72e7acdp+2, -0x1.b26fcb75c8169p+0);
  }
}

}  // namespace detail

}  // namespace plait::math

PLAIT_KERNELS_END
