#include <plait/exec/detail/operators/distances_gradients.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

std::string gradient_of(std::string const& type) {
  return "type: '" + type + "Gradient' input: 'a' input: 'b' input: 'z_grad' output: 'a_grad' output: 'b_grad'";
}

TEST_CASE_TEMPLATE("distances_gradients: distances, products, cosines match differences", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (std::string const type : {"SquaredL2Distance", "L1Distance", "DotProduct", "CosineSimilarity"})
    for (shape const& dims :
         {shape{3, 4}, shape{2, 2, 3}, shape{5}, shape{}, shape{0, 3}, shape{3, 0}, shape{70, 300}}) {
      // No element is near its counterpart, where the distance has a kink.
      auto const a = test::random_tensor(dims, 1);
      auto const gaps = test::random_tensor(dims, 2, -1.5, 1.5, {0}, 0.1).values<double>();
      auto b = a.values<double>();
      for (std::size_t i = 0; i != b.size(); ++i) b[i] += gaps[i];
      test::check_gradient_of_op(mine, reference,
                                 {.forward = "type: '" + type + "' input: 'a' input: 'b' output: 'z'",
                                  .gradient = gradient_of(type),
                                  .fed = {{"a", a}, {"b", test::of<plait::serial>(dims, b)}},
                                  .float_tolerance = 1e-5,
                                  .most_differences = 60});
    }
}

TEST_CASE_TEMPLATE("DotProductWithPaddingGradient: either operand may be the shorter, padded or repeated", B,
                   PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  struct sides {
    shape a;
    shape b;
  };
  for (std::string const arguments :
       {"", " arg { name: 'pad_value' f: 0.5 }", " arg { name: 'replicate' i: 1 } arg { name: 'pad_value' f: 3 }"})
    for (sides const& s : {sides{{2, 4}, {2, 2}}, sides{{2, 2}, {2, 4}}, sides{{3, 5}, {3, 5}},
                           sides{{3, 4, 3}, {3, 2, 2}}, sides{{2, 7}, {2, 1}}, sides{{0, 4}, {0, 2}},
                           sides{{2, 3}, {2, 0}}, sides{{2, 0}, {2, 0}}, sides{{70, 300}, {70, 100}}}) {
      bool const repeat = test::has(arguments, "replicate");
      if (repeat && s.b == shape{2, 0} && s.a != s.b) continue;  // refused: nothing to repeat
      test::check_gradient_of_op(
          mine, reference,
          {.forward = "type: 'DotProductWithPadding' input: 'a' input: 'b' output: 'z'" + arguments,
           .gradient = gradient_of("DotProductWithPadding") + arguments,
           .fed = {{"a", test::random_tensor(s.a, 1)}, {"b", test::random_tensor(s.b, 2)}},
           .float_tolerance = 1e-5,
           .most_differences = 60});
    }
}

TEST_CASE_TEMPLATE("distances_gradients: ties, NaN and zero vectors have defined gradients", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const distance = test::run_op<B>(table<B>(), gradient_of("L1Distance"),
                                        {{"a", test::of<B, float>({1, 4}, {1, 2, nan, 3})},
                                         {"b", test::of<B, float>({1, 4}, {1, 3, 1, 2})},
                                         {"z_grad", test::of<B, float>({1}, {2})}});
  auto const a = distance.template fetch<float>("a_grad");
  auto const b = distance.template fetch<float>("b_grad");
  CHECK(a[0] == 0);
  CHECK(a[1] == -2);
  CHECK(std::isnan(a[2]));
  CHECK(a[3] == 2);
  CHECK(b[0] == 0);
  CHECK(b[1] == 2);
  CHECK(std::isnan(b[2]));
  CHECK(b[3] == -2);

  // A norm below its bound of 1e-6 is a constant.
  auto const cosine = test::run_op<B>(table<B>(), gradient_of("CosineSimilarity"),
                                      {{"a", test::of<B, float>({2, 2}, {0, 0, 1e-8f, 0})},
                                       {"b", test::of<B, float>({2, 2}, {3, 4, 3, 4})},
                                       {"z_grad", test::of<B, float>({2}, {1, 2})}});
  auto const of_a = cosine.template fetch<float>("a_grad");
  auto const of_b = cosine.template fetch<float>("b_grad");
  CHECK(of_a[0] == doctest::Approx(0.6e6));
  CHECK(of_a[1] == doctest::Approx(0.8e6));
  CHECK(of_a[2] == doctest::Approx(1.2e6));
  CHECK(of_a[3] == doctest::Approx(1.6e6));
  CHECK(of_b[0] == 0);
  CHECK(of_b[1] == 0);
  // 2 * 0.01 * ((1, 0) - 0.6 (0.6, 0.8)) / 5
  CHECK(of_b[2] == doctest::Approx(0.00256));
  CHECK(of_b[3] == doctest::Approx(-0.00192));
}

TEST_CASE("distances_gradients: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const x = test::random_tensor({3, 4}, 1);
  auto const rows = test::random_tensor({3}, 1);
  for (std::string const type : {"SquaredL2Distance", "L1Distance", "DotProduct", "CosineSimilarity"}) {
    auto const error = [&](plait::tensor<B> const& b, plait::tensor<B> const& dz) {
      return test::error_of<B>(operators, gradient_of(type), {{"a", x}, {"b", b}, {"z_grad", dz}});
    };
    CHECK(error(x, rows).empty());
    CHECK(test::has(error(test::random_tensor({4, 3}, 1), rows), type + "Gradient: "));
    CHECK(test::has(error(test::random_tensor({4, 3}, 1), rows), "different shapes"));
    CHECK(test::has(error(x, x), "an element for each of 3 rows"));
  }
  auto const error = [&](plait::tensor<B> const& b, std::string const& arguments) {
    return test::error_of<B>(operators, gradient_of("DotProductWithPadding") + arguments,
                             {{"a", x}, {"b", b}, {"z_grad", rows}});
  };
  CHECK(error(test::random_tensor({3, 3}, 1), "").empty());
  CHECK(test::has(error(test::random_tensor({3, 3}, 1), " arg { name: 'replicate' i: 1 }"), "a whole number of times"));
  CHECK(test::has(error(test::random_tensor({2, 3}, 1), ""), "as many rows"));
}

}  // namespace
