#include <plait/exec/detail/operators/fpn_proposals.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using ints = std::vector<std::int32_t>;

// Returns squares of these sizes, whose image is their number.
template <class T>
std::vector<T> squares(std::vector<T> const& sizes) {
  std::vector<T> made;
  for (T const size : sizes)
    for (T const number : {static_cast<T>(made.size() / 5), T(0), T(0), size - 1, size - 1}) made.push_back(number);
  return made;
}

std::string const collect =
    "input: 'r0' input: 'r1' input: 'p0' input: 'p1' arg { name: 'rpn_min_level' i: 3 } "
    "arg { name: 'rpn_max_level' i: 4 } ";

template <class B, class T>
test::feeds<B> two_levels() {
  return {{"r0", test::of<B, T>({3, 5}, squares<T>({10, 200, 300}))},
          {"r1", test::of<B, T>({2, 5}, squares<T>({500, 20}))},
          {"p0", test::of<B, T>({3}, {T(0.5), T(0.1), T(0.9)})},
          {"p1", test::of<B, T>({2, 1}, {T(0.5), T(0.7)})}};
}

// Returns the sizes of squares.
template <class T>
std::vector<T> sizes(std::vector<T> const& rois) {
  std::vector<T> made;
  for (std::size_t i = 0; i != rois.size(); i += 5) made.push_back(rois[i + 3] + 1);
  return made;
}

template <class B, class T>
void check_type() {
  auto const all =
      test::run_op<B>(test::table<B>(), "type: 'CollectRpnProposals' output: 'y' " + collect, two_levels<B, T>());
  CHECK(all.view("y").dims() == shape{5, 5});
  CHECK(sizes(all.template fetch<T>("y")) == std::vector<T>{300, 20, 10, 500, 200});  // equal scores keep their order
  auto const some = test::run_op<B>(
      test::table<B>(), "type: 'CollectRpnProposals' output: 'y' arg { name: 'rpn_post_nms_topN' i: 3 } " + collect,
      two_levels<B, T>());
  CHECK(some.template fetch<T>("y") == std::vector<T>{2, 0, 0, 299, 299, 1, 0, 0, 19, 19, 0, 0, 0, 9, 9});

  auto const both = test::run_op<B>(
      test::table<B>(),
      "type: 'CollectAndDistributeFpnRpnProposals' output: 'y' output: 'a' output: 'b' output: 'c' output: 'restore' "
      "arg { name: 'roi_max_level' i: 4 } " +
          collect,
      two_levels<B, T>());
  CHECK(both.template fetch<T>("y") == all.template fetch<T>("y"));
  CHECK(sizes(both.template fetch<T>("a")) == std::vector<T>{20, 10});
  CHECK(sizes(both.template fetch<T>("b")) == std::vector<T>{200});
  CHECK(sizes(both.template fetch<T>("c")) == std::vector<T>{300, 500});
  CHECK(both.template fetch<std::int32_t>("restore") == ints{3, 0, 1, 4, 2});

  auto const distributed = test::run_op<B>(
      test::table<B>(),
      "type: 'DistributeFpnProposals' input: 'x' output: 'a' output: 'b' output: 'c' output: 'd' output: 'restore'",
      {{"x", test::of<B, T>({7, 5}, squares<T>({113, 10, 111, 448, 447, 224, 20000}))}});
  CHECK(sizes(distributed.template fetch<T>("a")) == std::vector<T>{10, 111});
  CHECK(sizes(distributed.template fetch<T>("b")) == std::vector<T>{113});
  CHECK(sizes(distributed.template fetch<T>("c")) == std::vector<T>{447, 224});
  CHECK(sizes(distributed.template fetch<T>("d")) == std::vector<T>{448, 20000});
  CHECK(distributed.template fetch<std::int32_t>("restore") == ints{2, 0, 1, 5, 3, 4, 6});
}

TEST_CASE_TEMPLATE("FPN proposals: the best of all levels, then by size", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("FPN proposals: none, and boxes without an image", B, PLAIT_HOST_BACKENDS) {
  std::string const two =
      " output: 'a' output: 'b' output: 'restore' arg { name: 'roi_min_level' i: 3 } "
      "arg { name: 'roi_max_level' i: 4 } ";
  auto const none =
      test::run_op<B>(test::table<B>(), "type: 'CollectAndDistributeFpnRpnProposals' output: 'y'" + two + collect,
                      {{"r0", test::of<B, float>({0, 5}, {})},
                       {"r1", test::of<B, float>({0, 5}, {})},
                       {"p0", test::of<B, float>({0}, {})},
                       {"p1", test::of<B, float>({0}, {})}});
  for (char const* const name : {"y", "a", "b"}) CHECK(none.view(name).dims() == shape{0, 5});
  CHECK(none.view("restore").dims() == shape{0});
  auto const four = test::run_op<B>(test::table<B>(), "type: 'DistributeFpnProposals' input: 'x'" + two,
                                    {{"x", test::of<B, float>({2, 4}, {0, 0, 499, 499, 1, 2, 3, 4})}});
  CHECK(four.template fetch<float>("a") == std::vector<float>{0, 1, 2, 3, 4});
  CHECK(four.template fetch<float>("b") == std::vector<float>{0, 0, 0, 499, 499});
  CHECK(four.template fetch<std::int32_t>("restore") == ints{1, 0});
}

TEST_CASE("FPN proposals: levels, areas and shapes are refused") {
  using B = plait::serial;
  auto const distribute = [](std::vector<float> const& row, std::string const& arguments) {
    return test::error_of<B>(test::table<B>(),
                             "type: 'DistributeFpnProposals' input: 'x' output: 'a' output: 'b' " + arguments,
                             {{"x", test::of<B, float>({1, static_cast<std::int64_t>(row.size())}, row)}});
  };
  std::string const one = "arg { name: 'roi_max_level' i: 2 } ";
  CHECK(distribute({0, 0, 0, 9, 9}, one).empty());
  CHECK(test::has(distribute({0, 10, 10, 5, 20}, one), "box 0 has a negative area"));
  CHECK(test::has(distribute({0, std::numeric_limits<float>::quiet_NaN(), 10, 5, 20}, one), "is not a number"));
  CHECK(distribute({0, 0, 0, std::numeric_limits<float>::infinity(), 9}, one).empty());
  CHECK(test::has(distribute({0, 0, 9}, one), "have 5 columns"));
  CHECK(test::has(distribute({0, 0, 0, 9, 9}, ""), "asks for 5 outputs"));
  CHECK(test::has(distribute({0, 0, 0, 9, 9}, "arg { name: 'roi_max_level' i: 1 }"), "is less than roi_min_level"));
  CHECK(test::has(distribute({0, 0, 0, 9, 9}, one + "arg { name: 'roi_canonical_scale' i: 0 }"), "is not above 0"));

  auto fed = two_levels<B, float>();
  std::string const three = "type: 'CollectRpnProposals' output: 'y' ";
  CHECK(test::error_of<B>(test::table<B>(), three + collect, fed).empty());
  CHECK(test::has(test::error_of<B>(test::table<B>(), three + "input: 'r0' input: 'p0' ", fed), "asks for 10 inputs"));
  fed[2].second = test::of<B, float>({2}, {1, 2});
  CHECK(test::has(test::error_of<B>(test::table<B>(), three + collect, fed), "have 3 scores"));
}

}  // namespace
