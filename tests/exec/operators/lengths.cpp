#include <plait/exec/detail/operators/lengths.hpp>

#include <cstdint>
#include <limits>
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

TEST_CASE_TEMPLATE("LengthsToSegmentIds, LengthsRangeFill: lengths expand to ids and places", B, PLAIT_HOST_BACKENDS) {
  check_integers<B, std::int32_t>({2, 0, 1});
  check_integers<B, std::int64_t>({0, 3, 4});
  check_integers<B, std::int32_t>({});
  check_integers<B, std::int64_t>({0, 0});
}

TEST_CASE_TEMPLATE("LengthsToWeights: rows of a segment share a power of its length", B, PLAIT_HOST_BACKENDS) {
  auto const weights = [](plait::tensor<B> const& lengths, std::string const& power) {
    return test::run_op<B>(table<B>(), "type: 'LengthsToWeights' input: 'l' output: 'w'" + power,
                           {{"l", lengths.clone()}})
        .template fetch<float>("w");
  };
  auto const power = [](std::string const& value) { return " arg { name: 'power' f: " + value + " }"; };
  CHECK(weights(list<std::int32_t, B>({2, 0, 4}), power("1")) ==
        std::vector<float>{0.5f, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f});
  CHECK(weights(list<std::int64_t, B>({4, 1}), "") == std::vector<float>{0.5f, 0.5f, 0.5f, 0.5f, 1});
  CHECK(weights(list<std::int32_t, B>({3}), power("-1")) == std::vector<float>{3, 3, 3});
  CHECK(weights(list<std::int32_t, B>({3}), power("0")) == std::vector<float>{1, 1, 1});
  CHECK(weights(list<std::int64_t, B>({}), "").empty());
}

TEST_CASE_TEMPLATE("LengthsToRanges, LengthsToOffsets: offsets are sums of lengths", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class I>(I, std::vector<int> const& lengths, std::vector<I> const& ranges,
                                 std::vector<I> const& ends) {
    auto const blobs = test::run_net<B>(table<B>(), R"(op { type: "LengthsToRanges" input: "l" output: "r" }
      op { type: "LengthsToOffsets" input: "l" output: "o" }
      op { type: "LengthsToOffsets" input: "l" output: "e" arg { name: "include_last_offset" i: 1 } })",
                                        {{"l", list<I, B>(lengths)}});
    CHECK(blobs.view("r").dims() == shape{static_cast<std::int64_t>(lengths.size()), 2});
    CHECK(blobs.template fetch<I>("r") == ranges);
    CHECK(blobs.template fetch<I>("e") == ends);
    CHECK(blobs.template fetch<I>("o") == std::vector<I>(ends.begin(), ends.end() - 1));
  };
  check(std::int32_t(), {2, 0, 3}, {0, 2, 2, 0, 2, 3}, {0, 2, 2, 5});
  check(std::int64_t(), {7}, {0, 7}, {0, 7});
  check(std::int32_t(), {}, {}, {0});
}

// Expected results are those of Caffe2.
TEST_CASE_TEMPLATE("SegmentIdsToLengths, SegmentIdsToRanges: equal ids are counted", B, PLAIT_HOST_BACKENDS) {
  using integers = std::vector<std::int32_t>;
  auto const check = []<class I>(I, std::vector<int> const& ids, integers const& lengths, integers const& ranges,
                                 std::size_t of = 0) {
    std::string const like = of == 0 ? "" : " input: 'd'";
    auto const blobs =
        test::run_net<B>(table<B>(),
                         "op { type: 'SegmentIdsToLengths' input: 's'" + like +
                             " output: 'l' } op { type: 'SegmentIdsToRanges' input: 's'" + like + " output: 'r' }",
                         {{"s", list<I, B>(ids)}, {"d", test::counted<B, float>({static_cast<std::int64_t>(of), 2})}});
    CHECK(blobs.template fetch<std::int32_t>("l") == lengths);
    CHECK(blobs.view("r").dims() == shape{static_cast<std::int64_t>(lengths.size()), 2});
    CHECK(blobs.template fetch<std::int32_t>("r") == ranges);
  };
  check(std::int32_t(), {0, 0, 2, 2, 4}, {2, 0, 2, 0, 1}, {0, 2, 2, 0, 2, 2, 4, 0, 4, 1});
  check(std::int32_t(), {0, 0, 2, 2, 4}, {2, 0, 2, 0, 1, 0}, {0, 2, 2, 0, 2, 2, 4, 0, 4, 1, 0, 0}, 6);
  check(std::int64_t(), {1, 1, 3}, {0, 2, 0, 1}, {0, 0, 0, 2, 2, 0, 2, 1});
  check(std::int32_t(), {}, {}, {});
  check(std::int64_t(), {}, {0, 0}, {0, 0, 0, 0}, 2);
  auto const back = test::run_net<B>(table<B>(), R"(op { type: "LengthsToSegmentIds" input: "l" output: "s" }
      op { type: "SegmentIdsToLengths" input: "s" output: "m" } op { type: "SegmentIdsToRanges" input: "s" output: "r" }
      op { type: "LengthsToRanges" input: "l" output: "q" })",
                                     {{"l", list<std::int32_t, B>({3, 0, 2, 1})}});
  CHECK(back.template fetch<std::int32_t>("m") == integers{3, 0, 2, 1});
  CHECK(back.template fetch<std::int32_t>("r") == back.template fetch<std::int32_t>("q"));
}

TEST_CASE("SegmentIdsToLengths, SegmentIdsToRanges: ids that descend or are too large are refused") {
  using B = plait::serial;
  for (std::string const type : {"SegmentIdsToLengths", "SegmentIdsToRanges"}) {
    auto const refusal = [&](std::vector<int> const& ids, std::string const& more = "") {
      return test::error_of<B>(table<B>(), "type: '" + type + "' input: 's' output: 'y' " + more,
                               {{"s", list<std::int32_t, B>(ids)}, {"d", test::counted<B, float>({2, 2})}});
    };
    CHECK(test::has(refusal({1, 0}), "segment 0 follows segment 1"));
    CHECK(test::has(refusal({-1, 0}), "segment -1 follows segment 0"));
    CHECK(test::has(refusal({0, 2}, "input: 'd'"), "there is no segment 2 among 2"));
    CHECK(test::has(refusal({0, 2'147'483'647}), "there is no segment 2147483647"));
  }
}

TEST_CASE_TEMPLATE("LengthsToShape: equal lengths make a shape, others are refused", B, PLAIT_HOST_BACKENDS) {
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

TEST_CASE_TEMPLATE("LengthsTile: each row is repeated by its length", B, PLAIT_HOST_BACKENDS) {
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

TEST_CASE_TEMPLATE("LengthsGather: indices select segments", B, PLAIT_HOST_BACKENDS) {
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

TEST_CASE("lengths: values that do not fit are refused") {
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
  for (std::string const type : {"LengthsRangeFill", "LengthsToSegmentIds"})
    CHECK(test::has(test::error_of<B>(table<B>(), "type: '" + type + "' input: 'l' output: 'y'",
                                      {{"l", test::of<B, std::int64_t>({2}, {1LL << 62, 1})}}),
                    "the lengths add up to more than memory has"));
  CHECK(test::has(refusal("LengthsTile", {1, 2}, {0}),
                  "LengthsTile: plait: op 0 (LengthsTile): input 0 'x' is float32 3"));
  CHECK(test::has(refusal("LengthsTile", {1, 2, -1}, {0}), "negative length"));
  CHECK(test::has(refusal("LengthsToShape", {-1, -1}, {}), "length 0 is negative"));
  CHECK(test::has(refusal("LengthsToOffsets", {std::numeric_limits<int>::max(), 1, 1}, {}), "does not fit an int32"));
  CHECK(test::has(refusal("LengthsGather", {1, 1}, {0}), "have 2 rows"));
  CHECK(test::has(refusal("LengthsGather", {1, 2}, {2}), "no segment 2 among 2"));
  CHECK(test::has(refusal("LengthsGather", {1, 2}, {-1}), "no segment -1 among 2"));
}

}  // namespace
