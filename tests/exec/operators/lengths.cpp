#include <plait/exec/operators/lengths.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

template <class I, class B>
plait::tensor<B> list(std::vector<int> const& of) {
  return test::of<B, I>({static_cast<std::int64_t>(of.size())}, std::vector<I>(of.begin(), of.end()));
}

template <class B, class I>
void check_integers(std::vector<int> const& lengths) {
  std::vector<I> segments;
  std::vector<I> places;
  for (std::size_t s = 0; s != lengths.size(); ++s)
    for (int i = 0; i != lengths[s]; ++i) {
      segments.push_back(static_cast<I>(s));
      places.push_back(static_cast<I>(i));
    }
  auto const blobs = test::run_net<B>(table<B>(), R"(op { type: "LengthsToSegmentIds" input: "l" output: "s" }
      op { type: "LengthsRangeFill" input: "l" output: "p" })",
                                      {{"l", list<I, B>(lengths)}});
  CHECK(blobs.template fetch<I>("s") == segments);
  CHECK(blobs.template fetch<I>("p") == places);
}

TEST_CASE_TEMPLATE("LengthsToSegmentIds and LengthsRangeFill", B, PLAIT_HOST_BACKENDS) {
  check_integers<B, std::int32_t>({2, 0, 1});
  check_integers<B, std::int64_t>({0, 3, 4});
  check_integers<B, std::int32_t>({});
  check_integers<B, std::int64_t>({0, 0});
}

TEST_CASE_TEMPLATE("LengthsToShape", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](plait::tensor<B> const& lengths) {
    return test::run_op<B>(table<B>(), R"(type: "LengthsToShape" input: "l" output: "y")", {{"l", lengths}});
  };
  CHECK(run(list<std::int32_t, B>({3, 3, 3, 3})).template fetch<std::int32_t>("y") == std::vector<std::int32_t>{4, 3});
  CHECK(run(list<std::int64_t, B>({7})).template fetch<std::int64_t>("y") == std::vector<std::int64_t>{1, 7});
  CHECK(run(list<std::int32_t, B>({})).template fetch<std::int32_t>("y") == std::vector<std::int32_t>{0, 0});
  CHECK(test::has(test::error_of<B>(table<B>(), R"(type: "LengthsToShape" input: "l" output: "y")",
                                    {{"l", list<std::int32_t, B>({3, 3, 2})}}),
                  "LengthsToShape: plait: op 0 (LengthsToShape): length 2 is another than the first"));
}

TEST_CASE_TEMPLATE("LengthsTile", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class I>(I, std::vector<int> const& lengths, shape const& inner) {
    shape dims = inner;
    dims.insert(0, static_cast<std::int64_t>(lengths.size()));
    auto const width = static_cast<std::size_t>(inner.size());
    std::vector<double> expected;
    for (std::size_t row = 0; row != lengths.size(); ++row)
      for (int i = 0; i != lengths[row]; ++i)
        for (std::size_t c = 0; c != width; ++c) expected.push_back(static_cast<double>(row * width + c));
    auto const blobs = test::run_op<B>(table<B>(), R"(type: "LengthsTile" input: "x" input: "l" output: "y")",
                                       {{"x", test::counted<B, double>(dims)}, {"l", list<I, B>(lengths)}});
    CHECK(blobs.template fetch<double>("y") == expected);
  };
  check(std::int32_t(), {2, 0, 3}, {2});
  check(std::int64_t(), {1, 4}, {});
  check(std::int32_t(), {}, {2});
  check(std::int32_t(), {200, 300}, {70});
}

TEST_CASE_TEMPLATE("LengthsGather", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](std::vector<int> const& lengths, plait::tensor<B> const& chosen, shape const& dims) {
    return test::run_op<B>(
        table<B>(), R"(type: "LengthsGather" input: "x" input: "l" input: "i" output: "y")",
        {{"x", test::counted<B, float>(dims)}, {"l", list<std::int32_t, B>(lengths)}, {"i", chosen}});
  };
  CHECK(run({2, 1, 2}, list<std::int32_t, B>({2, 0}), {5}).template fetch<float>("y") ==
        std::vector<float>{3, 4, 0, 1});
  CHECK(run({0, 1, 1}, list<std::int64_t, B>({2, 2, 0}), {2, 2}).template fetch<float>("y") ==
        std::vector<float>{2, 3, 2, 3});
  auto const none = run({1, 1}, list<std::int64_t, B>({}), {2, 3});
  CHECK(none.view("y").dims() == shape{0, 3});
}

TEST_CASE("lengths that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](char const* type, std::vector<int> const& lengths, std::vector<int> const& chosen) {
    bool const alone = chosen.empty();
    return test::error_of<B>(table<B>(),
                             "type: \"" + std::string(type) + "\" output: \"y\" " +
                                 (alone ? R"(input: "l")" : R"(input: "x" input: "l")") +
                                 (std::string(type) == "LengthsGather" ? R"(input: "i")" : ""),
                             {{"x", test::counted<B, float>({3})},
                              {"l", list<std::int32_t, B>(lengths)},
                              {"i", list<std::int32_t, B>(chosen)}});
  };
  CHECK(test::has(refusal("LengthsToSegmentIds", {1, -2}, {}), "input 0 has the negative length -2"));
  CHECK(test::has(refusal("LengthsRangeFill", {-1}, {}), "input 0 has the negative length -1"));
  CHECK(test::has(refusal("LengthsTile", {1, 2}, {0}), "LengthsTile: plait: op 0 (LengthsTile): input 0 is float32 3"));
  CHECK(test::has(refusal("LengthsTile", {1, 2, -1}, {0}), "negative length"));
  CHECK(test::has(refusal("LengthsGather", {1, 1}, {0}), "have 2 rows"));
  CHECK(test::has(refusal("LengthsGather", {1, 2}, {2}), "no segment 2 among 2"));
  CHECK(test::has(refusal("LengthsGather", {1, 2}, {-1}), "no segment -1 among 2"));
}

}  // namespace
