#include <plait/exec/detail/operators/arithmetic_gradients.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::random_tensor;
using test::table;

std::string const gradient = "type: 'DivGradient' input: 'b' input: 'c' input: 'c_grad' ";
std::string const outputs = "output: 'a_grad' output: 'b_grad' ";

template <class B>
void check(shape const& a, shape const& b, bool with_a, std::string const& arguments = {}) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(b));
  test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(),
                                {.forward = "type: 'Div' input: 'a' input: 'b' output: 'c' " + arguments,
                                 .gradient = gradient + (with_a ? "input: 'a' " : "") + outputs + arguments,
                                 .fed = {{"a", random_tensor(a, 1)}, {"b", random_tensor(b, 2, 0.5, 2)}},
                                 .tolerance = 1e-6,
                                 .most_differences = 30});
}

TEST_CASE_TEMPLATE("DivGradient: agrees with differences for operands of one shape", B, PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{}, shape{7}, shape{0, 3}, shape{3, 4}, shape{5, 8'003}})
    for (bool const with_a : {false, true}) check<B>(dims, dims, with_a);
}

TEST_CASE_TEMPLATE("DivGradient: sums over broadcast axes", B, PLAIT_HOST_BACKENDS) {
  // NumPy broadcasting.
  check<B>({2, 3, 4}, {4}, false);
  check<B>({2, 3, 4}, {4}, true);
  check<B>({2, 3, 4}, {3, 1}, true);
  check<B>({4}, {2, 3, 4}, true);
  check<B>({3, 1}, {2, 1, 4}, true);
  check<B>({1, 3}, {3}, true);
  check<B>({}, {3}, true);
  check<B>({3}, {}, true);
  check<B>({0, 3}, {3}, true);
  check<B>({3}, {0, 3}, true);
  check<B>({1, 9'001}, {3, 1}, true);
  // Caffe2 broadcasting.
  std::string const repeat = "arg { name: 'broadcast' i: 1 } ";
  check<B>({2, 3, 4}, {3, 4}, false, repeat);
  check<B>({2, 3, 4}, {1}, false, repeat);
  check<B>({2, 3, 4}, {3}, false, repeat + "arg { name: 'axis' i: 1 }");
  check<B>({2, 3, 4}, {2, 3}, true, repeat + "arg { name: 'axis' i: 0 }");
  check<B>({2, 3, 4, 5}, {3}, false, repeat + "arg { name: 'axis_str' s: 'C' }");
}

TEST_CASE("DivGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](shape const& b, shape const& c, shape const& dc, shape const& a) {
    return test::error_of<B>(table<B>(), gradient + "input: 'a' " + outputs,
                             {{"a", test::counted<B, float>(a)},
                              {"b", test::counted<B, float>(b)},
                              {"c", test::counted<B, float>(c)},
                              {"c_grad", test::counted<B, float>(dc)}});
  };
  CHECK(has(refused({3}, {2, 3}, {3, 2}, {2, 3}),
            "inputs 1 'c' and 2 'c_grad' are float32 2x3 and float32 3x2, of different"));
  CHECK(
      has(refused({3}, {2, 3}, {2, 3}, {3}), "input 1 'c' is float32 2x3, which should have the shape of a quotient"));
  CHECK(has(refused({2}, {2, 3}, {2, 3}, {2, 3}), "DivGradient: "));
  CHECK(has(test::error_of<B>(table<B>(), gradient + outputs,
                              {{"b", test::counted<B, float>({3})},
                               {"c", test::counted<B, float>({3})},
                               {"c_grad", test::counted<B, double>({3})}}),
            "of different element types"));
}

}  // namespace
