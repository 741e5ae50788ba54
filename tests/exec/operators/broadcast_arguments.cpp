#include <plait/exec/detail/operators/broadcast_arguments.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/arithmetic.hpp>
#include <support/op_oracle.hpp>

namespace {

using B = plait::serial;
using plait::shape;
using test::has;
using test::of;
using test::table;

std::string sub(std::string const& arguments) {
  return "type: 'Sub' input: 'A' input: 'B' output: 'C' arg { name: 'broadcast' i: 1 } " + arguments;
}
std::string axis(int at) { return "arg { name: 'axis' i: " + std::to_string(at) + " }"; }

// Checks A - B, where A's indices on the axes from `first` on select the element of B.
void check(shape const& a, shape const& b, std::size_t first, std::string const& arguments) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(b));
  std::vector<float> const x = test::numbered<float>(a, 100);
  std::vector<float> const y = test::numbered<float>(b, 1);
  std::vector<float> expected;
  for (test::index const& at : test::indices(a)) {
    test::index own;
    for (std::size_t i = 0; i != b.rank(); ++i) own.push_back(b[i] == 1 ? 0 : at[first + i]);
    expected.push_back(x[test::place(a, at)] - y[test::place(b, own)]);
  }
  auto const ran = test::run_op<B>(table<B>(), sub(arguments), {{"A", of<B>(a, x)}, {"B", of<B>(b, y)}});
  CHECK(ran.fetch<float>("C") == expected);
  CHECK(ran.view("C").dims() == a);
}

TEST_CASE("broadcast_arguments: B is aligned with A's last axes, or with those from an axis on") {
  check({2, 3, 4}, {4}, 2, "");
  check({2, 3, 4}, {3, 4}, 1, "");
  check({2, 3, 4}, {2, 3, 4}, 0, "");
  check({2, 3, 4}, {2}, 0, axis(0));
  check({2, 3, 4}, {3}, 1, axis(1));
  check({2, 3, 4}, {4}, 2, axis(2));
  check({2, 3, 4}, {2, 3}, 0, axis(0));
  check({2, 3, 4}, {3, 4}, 1, axis(-1));
  check({2, 3, 4}, {3, 1}, 1, "");
  check({2, 3, 4}, {1, 4}, 1, "");
  check({0, 3}, {3}, 1, "");
  check({2, 3, 4, 5}, {3}, 1, "arg { name: 'axis_str' s: 'C' }");
  check({2, 3, 4, 5}, {5}, 3, "arg { name: 'axis_str' s: 'C' } arg { name: 'order' s: 'NHWC' }");
}

TEST_CASE("broadcast_arguments: one element of any rank is a scalar") {
  for (shape const& b : {shape{}, shape{1}, shape{1, 1, 1, 1}}) {
    auto const ran =
        test::run_op<B>(table<B>(), sub(axis(1)), {{"A", of<B, float>({2}, {5, 7})}, {"B", of<B, float>(b, {2})}});
    CHECK(ran.fetch<float>("C") == std::vector<float>{3, 5});
    CHECK(ran.view("C").dims() == shape{2});
  }
}

TEST_CASE("broadcast_arguments: shapes that do not broadcast are refused before the op runs") {
  auto const refused = [](shape const& a, shape const& b, std::string const& arguments) {
    return test::error_of<B>(table<B>(), sub(arguments),
                             {{"A", test::counted<B, float>(a)}, {"B", test::counted<B, float>(b)}});
  };
  CHECK(has(refused({2, 3}, {2}, ""), "a tensor of 2 cannot be repeated to 2x3"));
  CHECK(has(refused({2, 3}, {3}, axis(0)), "from axis 0 on"));
  CHECK(has(refused({2, 3}, {3}, axis(2)), "from axis 2 on"));
  CHECK(has(refused({2, 3}, {3}, axis(-2)), "from axis -2 on"));
  CHECK(has(refused({3}, {2, 3}, ""), "cannot be repeated"));
  CHECK(has(refused({1, 3}, {2, 3}, ""), "cannot be repeated"));
}

TEST_CASE("broadcast_arguments: an axis without broadcast must be where numpy's rule repeats") {
  auto const run = [](shape const& a, shape const& b, std::string const& arguments) {
    return test::run_op<B>(table<B>(), "type: 'Sub' input: 'A' input: 'B' output: 'C' " + arguments,
                           {{"A", test::counted<B, float>(a)}, {"B", test::counted<B, float>(b)}})
        .fetch<float>("C");
  };
  for (std::string const& arguments :
       {axis(1), axis(1) + "arg { name: 'broadcast' i: 0 }", std::string("arg { name: 'axis_str' s: 'C' }")}) {
    CHECK(run({2, 3}, {3}, arguments) == std::vector<float>{0, 0, 0, 3, 3, 3});
    CHECK(run({2, 3}, {2, 3}, arguments) == std::vector<float>(6, 0.0f));
    CHECK(run({2, 3}, {}, arguments) == run({2, 3}, {}, ""));
  }
  CHECK(has(test::error_of<B>(table<B>(), "type: 'Sub' input: 'A' input: 'B' output: 'C' " + axis(0),
                              {{"A", test::counted<B, float>({3, 3})}, {"B", test::counted<B, float>({3})}}),
            "a tensor of 3 faces 3x3 from axis 0 on with broadcast=1 only"));
}

TEST_CASE("broadcast_arguments: contradictory and invalid arguments are refused") {
  auto const refused = [](std::string const& arguments) {
    return test::error_of<B>(table<B>(), "type: 'Sub' input: 'A' input: 'B' output: 'C' " + arguments,
                             {{"A", of<B, float>({1}, {1})}, {"B", of<B, float>({1}, {1})}});
  };
  std::string const on = "arg { name: 'broadcast' i: 1 }";
  CHECK(has(refused(on + axis(0) + "arg { name: 'axis_str' s: 'C' }"), "cannot be given beside axis"));
  CHECK(has(refused(on + "arg { name: 'axis_str' s: 'X' }"), "is 'X', which should be one letter of order 'NCHW'"));
  CHECK(has(refused(on + "arg { name: 'axis_str' s: 'NC' }"), "one letter"));
}

}  // namespace
