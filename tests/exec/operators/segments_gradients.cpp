#include <plait/exec/detail/operators/segments_gradients.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/scatter.hpp>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

// Returns distinct numbers in scrambled order.
plait::tensor<plait::serial> distinct(shape const& dims) {
  std::vector<double> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<double>(i * 7'919 % 100'003) / 1'000 - 30;
  return test::of<plait::serial>(dims, made);
}

struct pair {
  std::string forward;
  std::string gradient;
};

TEST_CASE_TEMPLATE("segments_gradients: reductions by lengths match finite differences", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  std::vector<int> many(300);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<int>(i * 5 % 7);
  for (std::vector<int> const& lengths : {std::vector<int>{2, 0, 3}, {1, 4, 0, 0, 2}, {6}, {}, {0, 0}, many})
    for (shape const& row : {shape{2}, {}, {2, 3}, {0}, {40}}) {
      if (lengths.size() == many.size() && row != shape{40}) continue;
      auto const rows = static_cast<std::int64_t>(std::accumulate(lengths.begin(), lengths.end(), 0));
      CAPTURE(rows);
      shape dims = row;
      dims.insert(0, rows);
      shape all = row;
      all.insert(0, 9);
      std::vector<std::int64_t> chosen(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i != chosen.size(); ++i) chosen[i] = static_cast<std::int64_t>(i * 4 % 9);
      auto const x = distinct(dims);
      auto const z = distinct(all);
      auto const w = test::random_tensor({rows}, 2);
      auto const count = static_cast<std::int64_t>(lengths.size());
      auto const i = test::of<plait::serial>({rows}, chosen);
      auto const l = test::of<plait::serial, std::int32_t>({count}, {lengths.begin(), lengths.end()});
      auto const check = [&](std::string const& forward, std::string const& gradient,
                             test::feeds<plait::serial> const& fed, bool sparse = false) {
        test::check_gradient_of_op(operators, reference,
                                   {.forward = "output: 'y' " + forward,
                                    .gradient = gradient,
                                    .fed = fed,
                                    .sparse = sparse ? std::vector<std::pair<std::string, std::string>>{{"x", "i"}}
                                                     : std::vector<std::pair<std::string, std::string>>{},
                                    .most_differences = 40});
      };
      test::feeds<plait::serial> const dense = {{"x", x}, {"l", l}};
      std::string const from = " input: 'y_grad' input: 'l' ";
      for (std::string const kind : {"Sum", "Mean"}) {
        std::string const forward = "type: 'Lengths" + kind + "' input: 'x' input: 'l'";
        check(forward, "type: 'Lengths" + kind + "Gradient' output: 'x_grad'" + from, dense);
        check(forward,
              "type: 'LengthsIndicesInGradient" + kind +
                  "Gradient' output: 'x_grad' input: 'y_grad' "
                  "input: 'l' input: 'x'",
              dense);
      }
      check("type: 'LengthsMax' input: 'x' input: 'l'",
            "type: 'LengthsMaxWithMainInputAndForwardOutputGradient' output: 'x_grad' input: 'y' input: 'y_grad' "
            "input: 'l' input: 'x'",
            dense);
      test::feeds<plait::serial> const weighted = {{"x", x}, {"w", w}, {"l", l}};
      std::string const forward = "type: 'LengthsWeightedSum' input: 'x' input: 'w' input: 'l'";
      check(forward, "type: 'LengthsWeightedSumGradient' output: 'x_grad' input: 'w'" + from, weighted);
      check(forward,
            "type: 'LengthsWeightedSumWithMainInputGradient' output: 'x_grad' output: 'w_grad' input: 'w'" + from +
                "input: 'x'",
            weighted);

      test::feeds<plait::serial> const sparse = {{"x", z}, {"i", i}, {"l", l}};
      for (std::string const kind : {"Sum", "Mean"}) {
        std::string const sparse_forward = "type: 'SparseLengths" + kind + "' input: 'x' input: 'i' input: 'l'";
        check(sparse_forward, "type: 'SparseLengths" + kind + "Gradient' output: 'x_grad'" + from, sparse, true);
        check(sparse_forward,
              "type: 'SparseLengthsIndicesInGradient" + kind + "Gradient' output: 'x_grad'" + from + "input: 'i'",
              sparse, true);
      }
      test::feeds<plait::serial> const both = {{"x", z}, {"w", w}, {"i", i}, {"l", l}};
      std::string const last = "type: 'SparseLengthsWeightedSum' input: 'x' input: 'w' input: 'i' input: 'l'";
      check(
          last,
          "type: 'SparseLengthsIndicesInGradientWeightedSumGradient' output: 'x_grad' input: 'w'" + from + "input: 'i'",
          both, true);
      check(last,
            "type: 'SparseLengthsIndicesInGradientWeightedSumWithMainInputGradient' output: 'x_grad' output: 'w_grad' "
            "input: 'w'" +
                from + "input: 'x' input: 'i'",
            both, true);
    }
}

TEST_CASE_TEMPLATE("segments_gradients: sums, means, weighted sums by id match differences", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  auto const check = [&]<class I>(std::vector<I> const& segments, shape const& row) {
    auto const rows = static_cast<std::int64_t>(segments.size());
    shape dims = row;
    dims.insert(0, rows);
    CAPTURE(plait::to_string(dims));
    auto const s = test::of<plait::serial>({rows}, segments);
    auto const w = test::random_tensor({rows}, 7);
    std::vector<std::int32_t> chosen(segments.size());
    for (std::size_t i = 0; i != chosen.size(); ++i) chosen[i] = static_cast<std::int32_t>(i * 4 % 9);
    auto const i = test::of<plait::serial>({rows}, chosen);
    shape nine = dims;
    nine.set(0, 9);
    for (std::string const order : {"Unsorted", "Sorted"}) {
      if (order == "Sorted" && !std::ranges::is_sorted(segments)) continue;
      for (std::string const how : {"Sum", "Mean", "WeightedSum"}) {
        bool const weighted = how == "WeightedSum";
        std::string const type = order + "Segment" + how;
        std::string const weights = weighted ? "input: 'w' " : "";
        std::string const gradient =
            "type: '" + type + "Gradient' " + weights + "input: 'y_grad' input: 's' output: 'x_grad'";
        test::feeds<plait::serial> fed = {{"x", test::random_tensor(dims, 6)}, {"s", s}};
        if (weighted) fed.emplace_back("w", w);
        test::gradient_case of_all{.forward = "type: '" + type + "' input: 'x' " + weights + "input: 's' output: 'y'",
                                   .gradient = gradient,
                                   .fed = fed,
                                   .most_differences = 40};
        test::check_gradient_of_op(operators, reference, of_all);
        fed[0].second = test::random_tensor(nine, 6);
        fed.emplace_back("i", i);
        test::gradient_case of_some{
            .forward = "type: 'Sparse" + type + "' input: 'x' " + weights + "input: 'i' input: 's' output: 'y'",
            .gradient = gradient,
            .fed = fed,
            .sparse = {{"x", "i"}},
            .most_differences = 40};
        test::check_gradient_of_op(operators, reference, of_some);
      }
    }
  };
  check(std::vector<std::int32_t>{0, 0, 1, 2}, {2});
  check(std::vector<std::int64_t>{0, 1, 1, 1}, {});
  check(std::vector<std::int64_t>{3, 0, 3, 1, 0}, {2, 3});
  check(std::vector<std::int32_t>{}, {2});
  check(std::vector<std::int32_t>{0, 1}, {0});
  std::vector<std::int32_t> many(900);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i / 3);
  check(many, {30});
}

TEST_CASE("segments_gradients: wrong lengths are refused, and lengths may change") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& lengths) {
    return test::error_of<B>(table<B>(), op + " output: 'dx'",
                             {{"x", test::counted<B, float>({3, 2})},
                              {"w", test::counted<B, float>({3})},
                              {"y", test::counted<B, float>({2, 2})},
                              {"i", test::of<B, std::int32_t>({3}, {0, 1, 3})},
                              {"l", test::of<B, std::int32_t>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  };
  std::string const sum = "type: 'LengthsIndicesInGradientSumGradient' input: 'y' input: 'l' input: 'x'";
  CHECK(refusal(sum, {2, 1}).empty());
  CHECK(test::has(refusal(sum, {2, 2}), "length 2 at place 1 is not within the 3 rows"));
  CHECK(test::has(refusal(sum, {2, 0}), "add up to 2 where there are 3 rows"));
  CHECK(test::has(refusal(sum, {3}), "have a row for each of 1 segments"));
  std::string const mean = "type: 'LengthsMeanGradient' input: 'y' input: 'l'";
  CHECK(refusal(mean, {5, 0}).empty());
  CHECK(test::has(refusal(mean, {2, -1}), "length -1 is negative"));
  std::string const weighted = "type: 'LengthsWeightedSumGradient' input: 'w' input: 'y' input: 'l'";
  CHECK(test::has(refusal(weighted, {2, 2}), "length 2 at place 1"));
  CHECK(
      test::has(refusal("type: 'SparseLengthsIndicesInGradientWeightedSumWithMainInputGradient' input: 'w' input: 'y' "
                        "input: 'l' input: 'x' input: 'i' output: 'dw'",
                        {2, 1}),
                "index 3 at place 2"));
  CHECK(test::has(refusal("type: 'LengthsMaxWithMainInputAndForwardOutputGradient' input: 'w' input: 'y' input: 'l' "
                          "input: 'x'",
                          {2, 1}),
                  "of different shapes"));
  CHECK(test::has(refusal("type: 'SortedSegmentSumGradient' input: 'y' input: 'i'", {}), "index 3 at place 2"));
  CHECK(test::has(refusal("type: 'LengthsSumGradient' input: 'l' input: 'l'", {1}), "float32 or float64"));

  plait::workspace<B> blobs;
  blobs.feed("y", test::counted<B, float>({2, 1}, 1));
  blobs.feed("l", test::of<B, std::int32_t>({2}, {1, 2}));
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'LengthsSumGradient' input: 'y' input: 'l' "
                                                     "output: 'dx' }"),
                             table<B>(), blobs);
  plan.run();
  CHECK(blobs.fetch<float>("dx") == std::vector<float>{1, 2, 2});
  blobs.feed("l", test::of<B, std::int32_t>({2}, {2, 3}));
  plan.run();
  CHECK(blobs.view("dx").dims() == shape{5, 1});
  CHECK(blobs.fetch<float>("dx") == std::vector<float>{1, 1, 2, 2, 2});
}

}  // namespace
