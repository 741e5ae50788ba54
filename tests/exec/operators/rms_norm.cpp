#include <plait/exec/detail/operators/rms_norm.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string arguments(std::int64_t axis) {
  return " arg { name: 'axis' i: " + std::to_string(axis) + " } arg { name: 'eps' f: 0.5 }";
}

TEST_CASE_TEMPLATE("RMSNorm: scales rows to a root mean square of 1, and its gradient agrees with differences", B,
                   PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{3, 4}, shape{2, 3, 5}, shape{1, 2'000}, shape{0, 3}})
    for (std::int64_t axis = 0; axis != static_cast<std::int64_t>(dims.rank()); ++axis) {
      if (dims[0] == 0 && axis == 0) continue;
      CAPTURE(to_string(dims));
      CAPTURE(axis);
      auto const width = static_cast<std::size_t>(dims.size_from(static_cast<std::size_t>(axis)));
      auto const wide = static_cast<std::int64_t>(width);
      auto const x = test::random_tensor(dims, 1);
      auto const scale = test::random_tensor({wide}, 2);
      auto const bias = test::random_tensor({wide}, 3);
      std::vector<long double> y;
      std::vector<long double> factors;
      auto const from = x.values<double>();
      for (std::size_t first = 0; first != from.size(); first += width) {
        long double squares = 0;
        for (std::size_t i = 0; i != width; ++i) squares += static_cast<long double>(from[first + i]) * from[first + i];
        factors.push_back(1 / std::sqrt(squares / static_cast<long double>(width) + 0.5L));
        for (std::size_t i = 0; i != width; ++i)
          y.push_back(from[first + i] * factors.back() * scale.values<double>()[i] + bias.values<double>()[i]);
      }
      std::string const forward =
          "type: 'RMSNorm' input: 'x' input: 'g' input: 'b' output: 'y' output: 'r'" + arguments(axis);
      auto const blobs = test::run_op<B>(test::table<B>(), forward,
                                         {{"x", test::of<B>(dims, from)},
                                          {"g", test::of<B>(shape{wide}, scale.values<double>())},
                                          {"b", test::of<B>(shape{wide}, bias.values<double>())}});
      test::check_close(blobs.template fetch<double>("y"), y, 8, 1);
      test::check_close(blobs.template fetch<double>("r"), factors, 8, 1);
      shape rows;
      for (std::size_t i = 0; i != static_cast<std::size_t>(axis); ++i) rows.push_back(dims[i]);
      CHECK(blobs.view("r").dims() == rows);
      if (from.empty()) continue;
      test::check_gradient_of_op(
          test::table<B>(), test::table<plait::serial>(),
          {.forward = forward,
           .gradient = "type: 'RMSNormGradient' input: 'y_grad' input: 'x' input: 'g' input: 'r' output: 'x_grad' "
                       "output: 'g_grad' output: 'b_grad'" +
                       arguments(axis),
           .fed = {{"x", x}, {"g", scale}, {"b", bias}},
           .float_tolerance = 1e-3});
    }
}

TEST_CASE("RMSNorm: scales and biases that do not fit are refused") {
  using B = plait::serial;
  auto const error =
      test::error_of<B>(test::table<B>(), "type: 'RMSNorm' input: 'x' input: 'g' input: 'b' output: 'y' output: 'r'",
                        {{"x", test::counted<B, float>({2, 3})},
                         {"g", test::counted<B, float>({3})},
                         {"b", test::counted<B, float>({2})}});
  CHECK(test::has(error, "input 2 'b'"));
  CHECK(test::has(error, "have a number for each of the 3 places of a row"));
}

}  // namespace
