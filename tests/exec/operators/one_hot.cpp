#include <plait/exec/detail/operators/one_hot.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string const one_hot = R"(type: "OneHot" input: "x" input: "n" output: "y")";

TEST_CASE_TEMPLATE("OneHot: each row is 1 at its label", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class I>(I, std::vector<I> const& labels, std::int64_t classes) {
    auto const count = static_cast<std::int64_t>(labels.size());
    std::vector<float> expected;
    for (I const label : labels)
      for (std::int64_t c = 0; c != classes; ++c) expected.push_back(c == label ? 1.0f : 0.0f);
    auto const blobs = test::run_op<B>(
        table<B>(), one_hot, {{"x", test::of<B, I>({count}, labels)}, {"n", test::of<B, std::int64_t>({}, {classes})}});
    CHECK(blobs.view("y").dims() == shape{count, classes});
    CHECK(blobs.template fetch<float>("y") == expected);
  };
  check(std::int64_t(), {2, 0, 1, 2}, 3);
  check(std::int32_t(), {0}, 1);
  check(std::int64_t(), {}, 4);
  check(std::int32_t(), {}, 0);
  std::vector<std::int32_t> many(300);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 11 % 90);
  check(std::int32_t(), many, 90);
}

TEST_CASE("OneHot: labels and numbers of classes that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::int64_t label, std::vector<std::int32_t> const& classes) {
    return test::error_of<B>(table<B>(), one_hot,
                             {{"x", test::of<B, std::int64_t>({2}, {0, label})},
                              {"n", test::of<B, std::int32_t>({static_cast<std::int64_t>(classes.size())}, classes)}});
  };
  CHECK(refusal(1, {2}).empty());
  CHECK(test::has(refusal(2, {2}), "OneHot: plait: op 0 (OneHot): index 2 at place 1"));
  CHECK(test::has(refusal(-1, {2}), "index -1 at place 1"));
  CHECK(test::has(refusal(0, {-3}), "an extent of -3 is negative"));
  CHECK(test::has(refusal(0, {3, 3}), "have one element, the number of classes"));
}

TEST_CASE_TEMPLATE("MakeTwoClass: x becomes the pair 1 - x, x", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class T>(T, shape const& dims) {
    auto const x = test::numbered<T>(dims, T(-2));
    std::vector<T> expected;
    for (T const value : x) {
      expected.push_back(1 - value);
      expected.push_back(value);
    }
    auto const blobs =
        test::run_op<B>(table<B>(), R"(type: "MakeTwoClass" input: "x" output: "y")", {{"x", test::of<B, T>(dims, x)}});
    shape made = dims;
    made.push_back(2);
    CHECK(blobs.view("y").dims() == made);
    CHECK(blobs.template fetch<T>("y") == expected);
  };
  check(float(), {4});
  check(double(), {2, 3});
  check(float(), {0});
  check(double(), {});
  check(float(), {20'000});
}

}  // namespace
