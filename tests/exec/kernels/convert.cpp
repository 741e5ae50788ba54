#include <plait/exec/detail/kernels/convert.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace {

using plait::bfloat16;
using plait::convert;
using plait::float16;

template <class T>
constexpr int mantissa = std::is_same_v<T, float16> ? 10 : 7;
template <class T>
constexpr int bias = std::is_same_v<T, float16> ? 15 : 127;

// Returns a number's value from the definition of its format.
template <class T>
double value_of(std::uint16_t bits) {
  double const sign = bits >> 15 != 0 ? -1 : 1;
  int const exponent = (bits & 0x7fff) >> mantissa<T>;
  int const fraction = bits & ((1 << mantissa<T>)-1);
  if (exponent == 2 * bias<T> + 1) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias<T> - mantissa<T>);
  return sign * std::ldexp((1 << mantissa<T>)+fraction, exponent - bias<T> - mantissa<T>);
}

TEST_CASE_TEMPLATE("convert: 16-bit numbers are exact, and others are rounded to them", T, float16, bfloat16) {
  bool exact = true;
  bool back = true;
  bool rounded = true;
  for (std::uint32_t bits = 0; bits != 0x8000; ++bits)
    for (std::uint32_t const sign : {0u, 0x8000u}) {
      auto const own = static_cast<std::uint16_t>(bits | sign);
      double const value = value_of<T>(own);
      if (std::isnan(value)) {
        exact = exact && std::isnan(convert<float>(T{own})) && std::isnan(convert<double>(T{own}));
        back = back && std::isnan(convert<float>(convert<T>(value)));
        continue;
      }
      exact = exact && convert<double>(T{own}) == value && convert<float>(T{own}) == static_cast<float>(value);
      back = back && convert<T>(value) == T{own} && convert<T>(static_cast<float>(value)) == T{own};
      if (std::isinf(value)) continue;
      // The midpoint of two rounds to the even one, its neighbours to the nearer one.
      auto const above = static_cast<std::uint16_t>(own + 1);
      double const next = std::isinf(value_of<T>(above)) ? 2 * value - value_of<T>(static_cast<std::uint16_t>(own - 1))
                                                         : value_of<T>(above);
      double const middle = (value + next) / 2;
      std::uint16_t const even = own % 2 == 0 ? own : above;
      rounded = rounded && convert<T>(middle) == T{even} && convert<T>(std::nextafter(middle, value)) == T{own} &&
                convert<T>(std::nextafter(middle, next)) == T{above};
    }
  CHECK(exact);
  CHECK(back);
  CHECK(rounded);
  CHECK(convert<T>(1e300) == convert<T>(std::numeric_limits<double>::infinity()));
  CHECK(convert<T>(-1e-300) == T{0x8000});
  CHECK(convert<float>(convert<T>(std::int64_t{-3})) == -3);
  CHECK(convert<bool>(convert<T>(0.0)) == false);
  CHECK(convert<std::int32_t>(convert<T>(-2.5)) == -2);
}

TEST_CASE_TEMPLATE("convert: floating point to integers truncates and saturates", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  using int32 = std::numeric_limits<std::int32_t>;
  using int64 = std::numeric_limits<std::int64_t>;
  CHECK(convert<std::int32_t>(T(1.7)) == 1);
  CHECK(convert<std::int32_t>(T(-1.7)) == -1);
  CHECK(convert<std::int32_t>(T(3e9)) == int32::max());
  CHECK(convert<std::int32_t>(T(-3e9)) == int32::min());
  CHECK(convert<std::int32_t>(T(-2147483648.0)) == int32::min());
  CHECK(convert<std::int32_t>(T(2147483648.0)) == int32::max());
  CHECK(convert<std::int64_t>(T(9223372036854775808.0)) == int64::max());
  CHECK(convert<std::int64_t>(T(-9223372036854775808.0)) == int64::min());
  CHECK(convert<std::int64_t>(infinity) == int64::max());
  CHECK(convert<std::int64_t>(-infinity) == int64::min());
  CHECK(convert<std::int64_t>(std::numeric_limits<T>::quiet_NaN()) == 0);
  CHECK(convert<std::uint8_t>(T(255.9)) == 255);
  CHECK(convert<std::uint8_t>(T(256)) == 255);
  CHECK(convert<std::uint8_t>(T(-1)) == 0);
  CHECK(convert<bool>(std::numeric_limits<T>::quiet_NaN()));
  CHECK_FALSE(convert<bool>(T(-0.0)));
}

TEST_CASE("convert: integers wrap around, and are rounded if necessary") {
  CHECK(convert<std::int32_t>(std::int64_t{0x1'0000'0005}) == 5);
  CHECK(convert<std::uint8_t>(std::int32_t{-1}) == 255);
  CHECK(convert<std::int64_t>(std::int32_t{-7}) == -7);
  CHECK(convert<float>(std::int32_t{16'777'217}) == 16'777'216.0f);
  CHECK(convert<double>(true) == 1.0);
  CHECK(convert<bool>(std::int64_t{-5}));
  CHECK(convert<float>(0.1) == 0.1f);
}

}  // namespace
