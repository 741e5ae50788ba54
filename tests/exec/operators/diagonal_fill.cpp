#include <plait/exec/detail/operators/diagonal_fill.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

template <class B, class T>
void check(std::string const& arguments, shape const& dims, T value, test::feeds<B> const& fed = {}) {
  CAPTURE(arguments);
  auto const blobs = test::run_op<B>(
      test::table<B>(),
      "type: 'DiagonalFill' output: 'y'" + std::string(fed.empty() ? " " : " input: 'x' ") + arguments, fed);
  CHECK(blobs.view("y").dims() == dims);
  std::vector<T> wanted;
  for (test::index const& at : test::indices(dims)) {
    bool same = true;
    for (std::int64_t const each : at) same = same && each == at[0];
    wanted.push_back(same ? value : T(0));
  }
  CHECK(blobs.template fetch<T>("y") == wanted);
}

TEST_CASE_TEMPLATE("DiagonalFill: fills where all indices are equal", B, PLAIT_HOST_BACKENDS) {
  auto const sized = [](shape const& dims) {
    std::string made = "arg { name: 'shape'";
    for (std::int64_t const extent : dims) made += " ints: " + std::to_string(extent);
    return made + " } ";
  };
  for (shape const& dims : {shape{3, 3}, shape{2, 3}, shape{3, 2}, shape{2, 2, 2}, shape{3, 3, 3, 3}, shape{0, 3},
                            shape{0, 0, 0}, shape{700, 300}}) {
    check<B, float>(sized(dims) + "arg { name: 'value' f: 2.5 }", dims, 2.5f);
    check<B, std::int64_t>(sized(dims) + "arg { name: 'value' i: 3 }", dims, 3);
    check<B, std::uint8_t>(sized(dims) + "arg { name: 'value' i: 7 } arg { name: 'dtype' i: 6 }", dims, 7);
    check<B, std::int32_t>(sized(dims) + "arg { name: 'value' i: 7 } arg { name: 'dtype' i: 2 }", dims, 7);
  }
  check<B, float>("arg { name: 'value' f: 1 }", {2, 3}, 1,
                  {{"x", test::of<B, std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})}});
  check<B, float>("arg { name: 'value' f: 1 } arg { name: 'input_as_shape' i: 1 } arg { name: 'extra_shape' ints: 3 }",
                  {3, 3}, 1, {{"x", test::of<B, std::int64_t>({1}, {3})}});
}

TEST_CASE("DiagonalFill: shapes without a diagonal are refused") {
  using B = plait::serial;
  for (std::string const dims : {"", "ints: 3", "ints: 2 ints: 2 ints: 3"})
    CHECK(test::has(
        test::error_of<B>(test::table<B>(), "type: 'DiagonalFill' output: 'y' arg { name: 'shape' " + dims + " }", {}),
        "has no diagonal"));
}

}  // namespace
