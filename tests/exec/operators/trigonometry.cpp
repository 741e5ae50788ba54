#include <plait/exec/detail/operators/trigonometry.hpp>

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <support/element_oracle.hpp>

namespace {

using real = long double;
using test::table;

template <class B, class T>
void check_all() {
  auto const check = [](std::string const& type, double least, double most, auto const& f, double bound = 2) {
    test::check_function<B, T>(table<B>(), table<plait::serial>(), "type: '" + type + '\'', least, most, bound, f);
  };
  check("Sin", -20, 20, [](real x) { return std::sin(x); });
  check("Cos", -20, 20, [](real x) { return std::cos(x); });
  check(
      "Tan", -20, 20, [](real x) { return std::tan(x); }, B::on_device ? 4 : 2);
  check("Asin", -1.1, 1.1, [](real x) { return std::asin(x); });
  check("Acos", -1.1, 1.1, [](real x) { return std::acos(x); });
  check("Atan", -20, 20, [](real x) { return std::atan(x); });
  check("Sinh", -100, 100, [](real x) { return std::sinh(x); });
  check("Cosh", -100, 100, [](real x) { return std::cosh(x); });
}

TEST_CASE_TEMPLATE("circular and hyperbolic functions: float agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, float>();
}
TEST_CASE_TEMPLATE("circular and hyperbolic functions: double agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, double>();
}

}  // namespace
