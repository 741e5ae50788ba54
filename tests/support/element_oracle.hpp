// Oracle for element-wise ops: compares with a scalar function in long double at many numbers, on all host backends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace test {

/// Returns numbers of all magnitudes between `least` and `most`, of both signs.
template <class T>
std::vector<T> reals(std::size_t count, double least, double most) {
  std::vector<T> made;
  for (std::size_t i = 0; i != count; ++i) {
    double const part = static_cast<double>(i) / static_cast<double>(count);
    made.push_back(static_cast<T>(least + (most - least) * part));
    if (i % 3 == 0) made.back() = static_cast<T>(static_cast<double>(made.back()) * std::exp(-40 * part));
  }
  return made;
}

/// Returns the error in ulps of the exact value; infinite if only one is NaN or infinite.
template <class T>
double ulps(T got, long double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  auto const nearest = static_cast<T>(exact);
  if (got == nearest) return 0;
  if (std::isinf(nearest) || std::isinf(got)) return std::numeric_limits<double>::infinity();
  T const magnitude = std::max(std::abs(nearest), std::numeric_limits<T>::min());
  T const unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / static_cast<long double>(unit));
}

/// Runs an op from X to Y and checks that it is within `bound` ulps of f, in place and out of place, for special values
/// and for empty tensors, and that host backends give the same bits as the serial one.
template <class B, class T, class F>
void check_function(plait::operators<B> const& table, plait::operators<plait::serial> const& reference,
                    std::string const& op, double least, double most, double bound, F const& f) {
  CAPTURE(op);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> x = reals<T>(40'000, least, most);
  for (T const special : {T(0), T(-0.0), T(1), T(-1), infinity, -infinity, std::numeric_limits<T>::quiet_NaN()})
    x.push_back(special);
  plait::shape const dims = {static_cast<std::int64_t>(x.size())};
  std::string const apart = op + " input: 'X' output: 'Y'";
  std::vector<T> const y = run_op<B>(table, apart, {{"X", of<B>(dims, x)}}).template fetch<T>("Y");
  double worst = 0;
  T at = 0;
  for (std::size_t i = 0; i != x.size(); ++i)
    if (double const off = ulps(y[i], f(static_cast<long double>(x[i]))); off > worst) {
      worst = off;
      at = x[i];
    }
  CAPTURE(at);
  CHECK(worst <= bound);

  auto const same = [](std::vector<T> const& a, std::vector<T> const& b) {
    return std::ranges::equal(a, b, [](T p, T q) { return p == q || (std::isnan(p) && std::isnan(q)); });
  };
  CHECK(same(y, run_op<B>(table, op + " input: 'X' output: 'X'", {{"X", of<B>(dims, x)}}).template fetch<T>("X")));
  if (!B::on_device) {
    CHECK(same(y, run_op<plait::serial>(reference, apart, {{"X", of<plait::serial>(dims, x)}}).template fetch<T>("Y")));
  }
  auto const empty = run_op<B>(table, apart, {{"X", of<B, T>({0, 2}, {})}});
  CHECK(empty.view("Y").spec() == plait::tensor_spec{plait::element_type_of<T>, {0, 2}});
  auto const scalar = run_op<B>(table, apart, {{"X", of<B, T>({}, {T(0.5)})}});
  CHECK(ulps(scalar.template fetch<T>("Y").at(0), f(0.5L)) <= bound);
}

}  // namespace test
