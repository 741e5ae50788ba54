#include <plait/exec/detail/operators/transpose.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string transpose(std::vector<int> const& axes) {
  std::string text = R"(type: "Transpose" input: "x" output: "y" arg { name: "axes")";
  for (int const axis : axes) text += " ints: " + std::to_string(axis);
  return text + " }";
}

template <class B, class T>
void check(shape const& dims, std::vector<int> const& axes) {
  shape made;
  for (int const axis : axes) made.push_back(dims[static_cast<std::size_t>(axis)]);
  std::vector<T> expected;
  test::index from(axes.size());
  for (test::index const& at : test::indices(made)) {
    for (std::size_t a = 0; a != axes.size(); ++a) from[static_cast<std::size_t>(axes[a])] = at[a];
    expected.push_back(static_cast<T>(test::place(dims, from)));
  }
  auto const blobs = test::run_op<B>(table<B>(), transpose(axes), {{"x", test::counted<B, T>(dims)}});
  CHECK(blobs.view("y").dims() == made);
  CHECK(blobs.template fetch<T>("y") == expected);
}

TEST_CASE_TEMPLATE("Transpose: permutes up to four axes in every order", B, PLAIT_HOST_BACKENDS) {
  check<B, float>({2, 3}, {1, 0});
  check<B, float>({1, 3}, {1, 0});
  check<B, float>({0, 3}, {1, 0});
  for (shape const& dims : {shape{2, 3, 4}, shape{5, 1, 3}, shape{17, 3, 70}}) {
    std::vector<int> axes = {0, 1, 2};
    do check<B, float>(dims, axes);
    while (std::ranges::next_permutation(axes).found);
  }
  std::vector<int> axes = {0, 1, 2, 3};
  do check<B, double>({3, 2, 9, 5}, axes);
  while (std::ranges::next_permutation(axes).found);
}

TEST_CASE_TEMPLATE("Transpose: tensors may exceed a block or a tile, for any element size", B, PLAIT_HOST_BACKENDS) {
  check<B, std::uint8_t>({130, 300}, {1, 0});
  check<B, std::int32_t>({130, 300}, {1, 0});
  check<B, std::int64_t>({130, 300}, {1, 0});
  check<B, float>({300, 1, 130}, {2, 1, 0});
  check<B, float>({4, 65, 33}, {0, 2, 1});
  check<B, float>({65, 4, 100}, {1, 0, 2});
  check<B, float>({3, 10'000}, {1, 0});
  check<B, float>({10'000, 3}, {1, 0});
}

TEST_CASE_TEMPLATE("NCHW2NHWC, NHWC2NCHW: move channels of images of any dimensions", B, PLAIT_HOST_BACKENDS) {
  for (auto const& [dims, last, order] : {std::tuple<shape, shape, std::string>{{2, 3, 5}, {2, 5, 3}, "0 2 1"},
                                          {{2, 3, 4, 5}, {2, 4, 5, 3}, "0 2 3 1"},
                                          {{2, 7, 3, 4, 5}, {2, 3, 4, 5, 7}, "0 2 3 4 1"}}) {
    std::string axes;
    for (char const digit : order)
      if (digit != ' ') axes += std::string(" ints: ") + digit;
    auto const blobs = test::run_net<B>(
        table<B>(),
        R"(op { type: "NCHW2NHWC" input: "x" output: "y" } op { type: "NHWC2NCHW" input: "y" output: "z" }
           op { type: "Transpose" input: "x" output: "t" arg { name: "axes")" +
            axes + " } }",
        {{"x", test::counted<B, float>(dims)}});
    CHECK(blobs.view("y").dims() == last);
    CHECK(blobs.template fetch<float>("y") == blobs.template fetch<float>("t"));
    CHECK(blobs.view("z").dims() == dims);
    CHECK(blobs.template fetch<float>("z") == test::numbered<float>(dims));
  }
  for (std::string const type : {"NCHW2NHWC", "NHWC2NCHW"})
    CHECK(test::has(test::error_of<plait::serial>(table<plait::serial>(), "type: '" + type + "' input: 'x' output: 'y'",
                                                  {{"x", test::counted<plait::serial, float>({2, 3})}}),
                    "at least 3 dimensions"));
}

TEST_CASE_TEMPLATE("Transpose: reverses the axes by default", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_op<B>(table<B>(), R"(type: "Transpose" input: "x" output: "y")",
                                     {{"x", test::counted<B, float>({2, 1, 3})}});
  CHECK(blobs.view("y").dims() == shape{3, 1, 2});
  CHECK(blobs.template fetch<float>("y") == std::vector<float>{0, 3, 1, 4, 2, 5});
  auto const scalar =
      test::run_op<B>(table<B>(), R"(type: "Transpose" input: "x" output: "y")", {{"x", test::of<B, float>({}, {7})}});
  CHECK(scalar.template fetch<float>("y") == std::vector<float>{7});
}

TEST_CASE("Transpose: axes that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::vector<int> const& axes) {
    return test::error_of<B>(table<B>(), transpose(axes), {{"x", test::counted<B, float>({2, 3})}});
  };
  CHECK(test::has(refusal({0}),
                  "Transpose: plait: op 0 (Transpose): input 0 'x' is float32 2x3, which should have each"));
  CHECK(test::has(refusal({0, 0}), "listed once"));
  CHECK(test::has(refusal({0, 2}), "has no axis 2"));
  CHECK(test::has(refusal({0, 1, 1}), "listed once"));
}

}  // namespace
