#include <plait/exec/detail/operators/inverse_hyperbolic.hpp>

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <support/element_oracle.hpp>

namespace {

using real = long double;
using test::table;

template <class B, class T>
void check_all() {
  auto const check = [](std::string const& type, double least, double most, auto const& f) {
    test::check_function<B, T>(table<B>(), table<plait::serial>(), "type: '" + type + '\'', least, most, 4, f);
  };
  check("Asinh", -100, 100, [](real x) { return std::asinh(x); });
  check("Acosh", 0, 100, [](real x) { return std::acosh(x); });
  check("Atanh", -1.1, 1.1, [](real x) { return std::atanh(x); });
}

TEST_CASE_TEMPLATE("inverse hyperbolic functions: float agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, float>();
}
TEST_CASE_TEMPLATE("inverse hyperbolic functions: double agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, double>();
}

}  // namespace
