#include <plait/exec/detail/operators/selections.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::run_op;
using test::table;

template <class B>
plait::tensor<B> every_third(shape const& dims) {
  std::vector<bool> made;
  for (std::int64_t i = 0; i != dims.size(); ++i) made.push_back(i % 3 == 0);
  return plait::tensor<B>::from(made, dims);
}

template <class B, class T>
void check_where() {
  for (shape const& dims : {shape{}, shape{0, 2}, shape{3, 20'001}}) {
    std::size_t const count = static_cast<std::size_t>(dims.size());
    std::vector<T> const a(count, T(1));
    std::vector<T> const b(count, T(0));
    std::vector<T> expected;
    for (std::size_t i = 0; i != count; ++i) expected.push_back(T(i % 3 == 0));
    for (std::string const output : {"Y", "A", "B"})
      CHECK(run_op<B>(table<B>(), "type: 'Where' input: 'c' input: 'A' input: 'B' output: '" + output + "'",
                      {{"c", every_third<B>(dims)}, {"A", of<B>(dims, a)}, {"B", of<B>(dims, b)}})
                .template fetch<T>(output) == expected);
  }
}

TEST_CASE_TEMPLATE("Where: selects elements of every type", B, PLAIT_HOST_BACKENDS) {
  check_where<B, float>();
  check_where<B, double>();
  check_where<B, std::int32_t>();
  check_where<B, std::int64_t>();
  check_where<B, std::uint8_t>();
  check_where<B, bool>();
}

TEST_CASE_TEMPLATE("Where: selects rows with broadcast_on_rows", B, PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{4}, shape{4, 3}, shape{5, 2, 7'001}, shape{0, 3}, shape{3, 0}}) {
    auto const rows = dims[0];
    std::size_t const width = rows == 0 ? 0 : static_cast<std::size_t>(dims.size() / rows);
    auto const a = test::numbered<double>(dims);
    auto const b = test::numbered<double>(dims, -1e6);
    std::vector<double> expected;
    for (std::size_t i = 0; i != a.size(); ++i) expected.push_back(i / width % 3 == 0 ? a[i] : b[i]);
    for (std::string const output : {"Y", "A", "B"})
      CHECK(run_op<B>(table<B>(),
                      "type: 'Where' input: 'c' input: 'A' input: 'B' output: '" + output +
                          "' arg { name: 'broadcast_on_rows' i: 1 }",
                      {{"c", every_third<B>({rows})}, {"A", of<B>(dims, a)}, {"B", of<B>(dims, b)}})
                .template fetch<double>(output) == expected);
  }
}

TEST_CASE_TEMPLATE("ElementwiseLinear: scales and shifts rows from any axis on", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](shape const& dims, std::int64_t width, std::string const& arguments) {
    auto const x = test::numbered<float>(dims, 1);
    auto const w = test::numbered<float>({width}, 2);
    auto const b = test::numbered<float>({width}, -3);
    std::vector<float> expected;
    for (std::size_t i = 0; i != x.size(); ++i) {
      std::size_t const at = i % static_cast<std::size_t>(width);
      expected.push_back(x[i] * w[at] + b[at]);
    }
    for (std::string const output : {"Y", "X"}) {
      auto const ran =
          run_op<B>(table<B>(),
                    "type: 'ElementwiseLinear' input: 'X' input: 'w' input: 'b' output: '" + output + "' " + arguments,
                    {{"X", of<B>(dims, x)}, {"w", of<B>(shape{width}, w)}, {"b", of<B>(shape{width}, b)}});
      CHECK(ran.template fetch<float>(output) == expected);
      CHECK(ran.view(output).dims() == dims);
    }
  };
  check({3, 4}, 4, "");
  check({2, 3, 4}, 12, "");
  check({2, 3, 4}, 4, "arg { name: 'axis' i: 2 }");
  check({2, 3, 4}, 4, "arg { name: 'axis' i: -1 }");
  check({6}, 6, "arg { name: 'axis' i: 0 }");
  check({0, 4}, 4, "");
  check({50, 21, 9}, 9, "arg { name: 'axis' i: 2 }");
}

TEST_CASE_TEMPLATE("IsNaN, NanCheck: find NaN, and NanCheck also infinities", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const infinity = std::numeric_limits<float>::infinity();
  auto const is_nan = run_op<B>(table<B>(), "type: 'IsNaN' input: 'X' output: 'Y'",
                                {{"X", of<B, float>({4}, {0, nan, infinity, -nan})}});
  CHECK(is_nan.template fetch<std::uint8_t>("Y") == std::vector<std::uint8_t>{0, 1, 0, 1});

  std::vector<float> x = test::numbered<float>({40'000});
  for (std::string const output : {"Y", "X"}) {
    std::string const op = "type: 'NanCheck' input: 'X' output: '" + output + "'";
    CHECK(run_op<B>(table<B>(), op, {{"X", of<B>(shape{40'000}, x)}}).template fetch<float>(output) == x);
    for (float const bad : {nan, infinity, -infinity}) {
      auto wrong = x;
      wrong[39'990] = bad;
      std::string const message = test::error_of<B>(table<B>(), op, {{"X", of<B>(shape{40'000}, wrong)}});
      CHECK(has(message, "NanCheck: "));
      CHECK(has(message, "element 39990 of input 0 'X' is infinite or no number"));
    }
  }
}

TEST_CASE_TEMPLATE("EnforceFinite: accepts finite elements only", B, PLAIT_HOST_BACKENDS) {
  for (double const bad : {0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    std::string const message = test::error_of<B>(table<B>(), "type: 'EnforceFinite' input: 'X'",
                                                  {{"X", of<B, double>({2, 2}, {1e300, -2, bad, 3})}});
    CHECK(message.empty() == (bad == 0));
    if (bad != 0) CHECK(has(message, "EnforceFinite: "));
    if (bad != 0) CHECK(has(message, "element 2 of input 0 'X' is infinite or no number"));
  }
  CHECK(test::error_of<B>(table<B>(), "type: 'EnforceFinite' input: 'X'", {{"X", of<B, float>({0}, {})}}).empty());
  auto const passed =
      run_op<B>(table<B>(), "type: 'EnforceFinite' input: 'X' output: 'Y'", {{"X", of<B, float>({2}, {3, -4})}});
  CHECK(passed.template fetch<float>("Y") == std::vector<float>{3, -4});
}

TEST_CASE_TEMPLATE("ReplaceNaN: replaces NaN only", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const infinity = std::numeric_limits<float>::infinity();
  auto const run = [&](std::string const& arguments) {
    return run_op<B>(table<B>(), "type: 'ReplaceNaN' input: 'X' output: 'Y' " + arguments,
                     {{"X", of<B, float>({5}, {0, nan, -infinity, -nan, 2})}})
        .template fetch<float>("Y");
  };
  CHECK(run("") == std::vector<float>{0, 0, -infinity, 0, 2});
  CHECK(run("arg { name: 'value' f: 1.5 }") == std::vector<float>{0, 1.5f, -infinity, 1.5f, 2});
}

TEST_CASE("selections: operands that do not fit are refused") {
  using B = plait::serial;
  auto const where = [](plait::tensor<B> const& c, plait::tensor<B> const& a, plait::tensor<B> const& b,
                        std::string const& arguments) {
    return test::error_of<B>(table<B>(), "type: 'Where' input: 'c' input: 'A' input: 'B' output: 'Y' " + arguments,
                             {{"c", c}, {"A", a}, {"B", b}});
  };
  std::string const rows = "arg { name: 'broadcast_on_rows' i: 1 }";
  auto const two = of<B, float>({2}, {1, 2});
  CHECK(has(where(two, two, two, ""), "input 0 'c' is float32 2, which should hold bool"));
  CHECK(has(where(every_third<B>({3}), two, two, ""), "of different shapes"));
  CHECK(has(where(every_third<B>({2}), two, test::counted<B, float>({3}), ""), "of different shapes"));
  CHECK(has(where(every_third<B>({2}), two, test::counted<B, double>({2}), ""), "of different element types"));
  CHECK(has(where(every_third<B>({3}), two, two, rows), "have an element for each row"));
  CHECK(has(where(every_third<B>({2, 1}), two, two, rows), "should have 1 dimensions"));
  CHECK(has(test::error_of<B>(table<B>(), "type: 'ElementwiseLinear' input: 'X' input: 'w' input: 'w' output: 'Y'",
                              {{"X", test::counted<B, float>({2, 3})}, {"w", two}}),
            "input 1 'w' is float32 2, which should have 3 elements"));
}

}  // namespace
