#include <plait/exec/detail/operators/integer_arithmetic.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

template <class B, class T>
std::vector<T> result(std::string const& type, std::vector<T> const& a, std::vector<T> const& b) {
  auto const vector = [](std::vector<T> const& x) { return test::of<B, T>({static_cast<std::int64_t>(x.size())}, x); };
  return test::run_op<B>(test::table<B>(), "type: '" + type + "' input: 'a' input: 'b' output: 'c'",
                         {{"a", vector(a)}, {"b", vector(b)}})
      .template fetch<T>("c");
}

template <class B, class T>
void check_integers() {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  std::vector<T> const a{7, -7, 7, -7, 6, least, least, most, 0};
  std::vector<T> const b{3, 3, -3, -3, 3, -1, 3, -2, -5};
  CHECK(result<B, T>("FloorMod", a, b) == std::vector<T>{1, 2, -2, -1, 0, 0, 1, -1, 0});
  CHECK(result<B, T>("TruncMod", a, b) == std::vector<T>{1, -1, 1, -1, 0, 0, -2, 1, 0});
  CHECK(result<B, T>("BitwiseAnd", {12, -1}, {10, 5}) == std::vector<T>{8, 5});
  CHECK(result<B, T>("BitwiseOr", {12, -8}, {10, 5}) == std::vector<T>{14, -3});
  CHECK(result<B, T>("BitwiseXor", {12, 5}, {10, -1}) == std::vector<T>{6, -6});
  constexpr T bits = 8 * sizeof(T);
  CHECK(result<B, T>("ShiftLeft", {1, -3, most, 1, 1, 1}, {4, 1, 1, bits - 1, bits, -1}) ==
        std::vector<T>{16, -6, -2, least, 0, 0});
  CHECK(result<B, T>("ShiftRight", {16, -3, least, -1, 5, -5}, {4, 1, bits - 1, bits, bits, -1}) ==
        std::vector<T>{1, -2, -1, -1, 0, -1});
}

TEST_CASE_TEMPLATE("FloorMod, TruncMod, bitwise ops and shifts: integers", B, PLAIT_HOST_BACKENDS) {
  check_integers<B, std::int32_t>();
  check_integers<B, std::int64_t>();
}

template <class B, class T>
void check_reals() {
  T const infinity = std::numeric_limits<T>::infinity();
  T const nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> const a{T(5.5), T(-5.5), T(5.5), T(-5.5), 0, T(-0.0), -3, 3, infinity, 1, nan};
  std::vector<T> const b{2, 2, -2, -2, -2, 2, infinity, infinity, 2, 0, 2};
  auto const check = [&](std::string const& type, std::vector<T> const& wanted) {
    CAPTURE(type);
    auto const got = result<B, T>(type, a, b);
    for (std::size_t i = 0; i != got.size(); ++i) {
      CAPTURE(i);
      if (wanted[i] != wanted[i])
        CHECK(got[i] != got[i]);
      else
        CHECK(got[i] == wanted[i]);
    }
  };
  check("FloorMod", {T(1.5), T(0.5), T(-0.5), T(-1.5), 0, 0, infinity, 3, nan, nan, nan});
  check("TruncMod", {T(1.5), T(-1.5), T(1.5), T(-1.5), 0, 0, -3, 3, nan, nan, nan});
  auto const zeros = result<B, T>("FloorMod", {0, T(-0.0)}, {-2, 2});
  CHECK(std::signbit(zeros[0]));
  CHECK(!std::signbit(zeros[1]));
}

TEST_CASE_TEMPLATE("FloorMod and TruncMod: real numbers, infinities and NaN", B, PLAIT_HOST_BACKENDS) {
  check_reals<B, float>();
  check_reals<B, double>();
}

TEST_CASE_TEMPLATE("FloorMod: operands broadcast, and flags have bits", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_op<B>(
      test::table<B>(), "type: 'FloorMod' input: 'a' input: 'b' output: 'c'",
      {{"a", test::of<B, std::int64_t>({2, 1}, {7, -7})}, {"b", test::of<B, std::int64_t>({3}, {2, 3, -4})}});
  CHECK(blobs.template fetch<std::int64_t>("c") == std::vector<std::int64_t>{1, 1, -1, 1, 2, -3});
  std::vector<bool> const a{false, true, true}, b{true, true, false};
  auto const flags = test::run_op<B>(test::table<B>(), "type: 'BitwiseXor' input: 'a' input: 'b' output: 'c'",
                                     {{"a", plait::tensor<B>::from(a, {3})}, {"b", plait::tensor<B>::from(b, {3})}});
  CHECK(flags.template fetch<bool>("c") == std::vector<bool>{true, false, true});
}

TEST_CASE("FloorMod and TruncMod: an integer divisor of zero is refused") {
  using B = plait::serial;
  for (std::string const type : {"FloorMod", "TruncMod"})
    CHECK(test::has(test::error_of<B>(
                        test::table<B>(), "type: '" + type + "' input: 'a' input: 'b' output: 'c'",
                        {{"a", test::of<B, std::int32_t>({2}, {1, 2})}, {"b", test::of<B, std::int32_t>({2}, {1, 0})}}),
                    "an integer is divided by zero"));
}

}  // namespace
