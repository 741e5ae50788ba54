// Vectorisable elementary functions: without branches, tables, conversions between integers and floating point, or
// calls. Loops over them, run by `vectorized` (instruction_sets.hpp) or on a device, need no fast-math flag. They are
// correct at zeros, subnormal numbers, overflow, infinities and NaN, and do not set errno.
//
// Bounds are the largest errors measured, in units of the last place of the exact result (half of one would be the best
// possible), with fused multiply-add and without. For float, they cover all values that are not so small or large that
// there is nothing to compute, and a 61st of the others (without: a 17th of both); for double, 1.5e7 and 4e6 values
// over all exponents and around the ends of the reductions. tests/exec/kernels/vector_math.cpp repeats a sample. Flags
// that let the compiler reorder sums (-ffast-math) void the bounds.
//
// Methods: argument reductions after W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980;
// logarithm by its atanh series as in Sun's fdlibm; coefficients by the Remez exchange in 60 digits, for these
// intervals; those of e^x in float by Lawson's iteration, each rounded before the later ones were computed.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/vector_math_parts.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::math {

/// Returns e^x. 0.93 ulp for float, 0.90 for double; 1.17 and 1.18 without fused multiply-add.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T exp(T x) {
  using f = detail::format<T>;
  auto const parts = detail::reduce_exp<contracted>(detail::clamp(x, f::exp_end), 2 * f::bias);
  // Multiplies by one factor after the other, so that a subnormal result is rounded only once.
  auto const power = detail::split_power_of_two<T>(parts.exponent);
  return detail::exp_of_rest<contracted>(parts.rest) * power.first * power.second;
}

/// Returns e^x for x <= 0, or NaN: a quarter faster than exp, as accurate, and wrong for any other x.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T exp_of_negative(T x) {
  using f = detail::format<T>;
  // Scales the power by 2^`up`, as it can underflow by itself, and back; a subnormal result is rounded only once.
  constexpr detail::bits_of<T> up = f::mantissa * 3;
  auto const parts = detail::reduce_exp<contracted>(detail::at_least(x, -f::exp_end), f::bias + up);
  return detail::exp_of_rest<contracted>(parts.rest) * detail::power_of_two<T>(parts.exponent) *
         detail::power_of_two<T>(f::bias - up);
}

/// Returns e^x - 1. 1.65 ulp for float, 2.2 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T expm1(T x) {
  using f = detail::format<T>;
  auto const parts = detail::reduce_exp<contracted>(detail::clamp(x, f::exp_end), 2 * f::bias);
  auto const power = detail::split_power_of_two<T>(parts.exponent);
  T const one = detail::from_bits<T>((2 * f::bias << f::mantissa) - detail::to_bits(power.second));  // 1 / power.second
  T const rest = (power.first - one) + power.first * detail::expm1_of_rest<contracted>(parts.rest);
  return detail::with_sign_of(rest * power.second, x);
}

/// Returns the natural logarithm: -infinity at zeros, NaN below. 0.76 ulp for float, 0.83 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T log(T x) {
  return detail::log<contracted>(x);
}

/// Returns log(1 + x): -infinity at -1, NaN below. 1.35 ulp for float, 1.3 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T log1p(T x) {
  T const y = detail::or_special_log(detail::log1p<contracted>(x), x, T(-1));
  return detail::choose(detail::magnitude(x) < std::numeric_limits<T>::epsilon() / 4, x, y);
}

/// Value as a fraction: a division can take as long as all that precedes it, and a product of functions needs only one.
/// Denominators of the functions here are at least 1, and a product of three of them is finite.
template <std::floating_point T>
struct fraction {
  T above;
  T below;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T value() const { return above / below; }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE friend constexpr fraction operator*(fraction const& a, fraction const& b) {
    return {a.above * b.above, a.below * b.below};
  }
};

/// Returns tanh(x) as the fraction that `tanh` divides.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr fraction<T> tanh_fraction(T x) {
  using f = detail::format<T>;
  T const a = detail::at_most(detail::magnitude(x), f::tanh_end);
  // With t = (e^2a - 1) / 2: t / (t + 1).
  auto const parts = detail::reduce_exp<contracted, 2>(a, f::bias);
  T const scale = detail::power_of_two<T>(parts.exponent);
  T const t = (T(0.5) * scale - T(0.5)) + scale * detail::expm1_of_rest<contracted, 2>(parts.rest);
  return {detail::with_sign_of(t, x), t + T(1)};
}

/// Returns 1 / (1 + e^-x) as the fraction that `sigmoid` divides.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr fraction<T> sigmoid_fraction(T x) {
  T const e = exp_of_negative(detail::minus_magnitude(x));
  return {detail::choose(x < T(0), e, T(1)), T(1) + e};
}

/// Returns the hyperbolic tangent, never above 1 in magnitude. 2.57 ulp for float, 2.6 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T tanh(T x) {
  return tanh_fraction(x).value();
}

/// Returns 1 / (1 + e^-x). 2.41 ulp for float, 2.4 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T sigmoid(T x) {
  return sigmoid_fraction(x).value();
}

/// Returns the error function: by an odd polynomial near zero, elsewhere as 1 - e^q, q being a polynomial close to
/// log(erfc |x|). 1.35 ulp for float. For double it is std::erf, which no loop vectorises.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T erf(T x) {
  if constexpr (std::same_as<T, float>) {
    float const a = detail::at_most(detail::magnitude(x), 4.0f);  // from there on erf is 1
    float const near = detail::polynomial<contracted>(a * a, 0.12837916f, -0.37612634f, 0.112836955f, -0.026859399f,
                                                      0.0052010324f, -0.00081427064f, 0.000083701092f);
    float const log = detail::polynomial<contracted>(a, -0.00021004235f, -1.1276149f, -0.63728667f, -0.103838094f,
                                                     0.022181003f, -0.0030315005f, 0.00019472419f);
    bool const is_near = a < 0.921875f;
    return detail::with_sign_of(
        detail::choose(is_near, contracted::multiply_add(a, near, a), 1.0f - exp_of_negative(log)), x);
  } else {
    return std::erf(x);
  }
}

/// Returns log(1 + e^x). 1.76 ulp for float, 1.74 for double.
template <std::floating_point T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T softplus(T x) {
  return detail::positive_part(x) + detail::log1p<contracted>(exp_of_negative(detail::minus_magnitude(x)));
}

/// Returns x to a power that is finite and not zero, for x neither negative, infinite nor NaN. 0.51 ulp: computed in
/// double, where a logarithm and a product lose nothing that a float can hold.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr float pow_of_usual(float x, float exponent) {
  using f = detail::format<double>;
  double const wide = x;  // zero or normal
  auto const parts = detail::reduce_log(wide);
  double const k = detail::to_floating<double>(parts.exponent, double(f::bias));
  double const log = detail::choose(wide > 0.0, detail::log_of_parts<contracted>(k, parts.fraction - 1.0),
                                    -std::numeric_limits<double>::infinity());
  constexpr double end = 200;  // beyond, a float is infinite or zero
  auto const power = detail::reduce_exp<contracted>(detail::clamp(double(exponent) * log, end), f::bias);
  return static_cast<float>(detail::exp_of_rest<contracted>(power.rest) * detail::power_of_two<double>(power.exponent));
}

}  // namespace plait::math

PLAIT_KERNELS_END
