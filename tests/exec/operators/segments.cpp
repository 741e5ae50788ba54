#include <plait/exec/detail/operators/segments.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::check_close;
using test::table;

template <class T>
std::vector<T> mixed(std::size_t count, int seed) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i)
    made[i] =
        static_cast<T>(static_cast<double>((static_cast<int>(i) * 37 + seed) % 101 - 50) / (T(0.5) > T(0) ? 8.0 : 1.0));
  return made;
}

// Reduces segments by definition, in double: `rows[i]` is the i-th row to reduce, with weight `weights[i]`.
std::vector<double> reduced(std::string const& how, std::vector<double> const& x, std::size_t width,
                            std::vector<std::size_t> const& rows, std::vector<double> const& weights,
                            std::vector<int> const& lengths) {
  std::vector<double> made;
  std::size_t first = 0;
  for (int const length : lengths) {
    std::size_t const last = first + static_cast<std::size_t>(length);
    for (std::size_t c = 0; c != width; ++c) {
      double value = how == "max" && length != 0 ? -std::numeric_limits<double>::infinity() : 0;
      for (std::size_t i = first; i != last; ++i) {
        double const at = weights[i] * x[rows[i] * width + c];
        value = how == "max" ? std::max(value, at) : value + at;
      }
      made.push_back(how == "mean" && length != 0 ? value / length : value);
    }
    first = last;
  }
  return made;
}

template <class B, class T, class I>
void check(std::vector<int> const& lengths, std::size_t width, bool real = true) {
  std::size_t rows = 0;
  for (int const length : lengths) rows += static_cast<std::size_t>(length);
  std::size_t const of = 9;  // rows of the tensor that sparse ops gather from
  auto const x = mixed<T>(rows * width, 3);
  auto const z = mixed<T>(of * width, 4);
  auto const weights = mixed<T>(rows, 5);
  std::vector<std::size_t> all(rows);
  std::vector<std::size_t> chosen(rows);
  for (std::size_t i = 0; i != rows; ++i) {
    all[i] = i;
    chosen[i] = i * 4 % of;
  }
  auto const n = static_cast<std::int64_t>(rows);
  auto const m = static_cast<std::int64_t>(width);
  test::feeds<B> const fed = {{"x", test::of<B, T>({n, m}, x)},
                              {"z", test::of<B, T>({static_cast<std::int64_t>(of), m}, z)},
                              {"w", test::of<B, T>({n}, weights)},
                              {"i", test::of<B, I>({n}, std::vector<I>(chosen.begin(), chosen.end()))},
                              {"l", test::of<B, std::int32_t>({static_cast<std::int64_t>(lengths.size())}, lengths)}};
  std::string net = R"(op { type: "LengthsSum" input: "x" input: "l" output: "sum" }
      op { type: "LengthsMax" input: "x" input: "l" output: "max" }
      op { type: "SparseLengthsSum" input: "z" input: "i" input: "l" output: "sparse_sum" })";
  if (real)
    net += R"(op { type: "LengthsMean" input: "x" input: "l" output: "mean" }
      op { type: "LengthsWeightedSum" input: "x" input: "w" input: "l" output: "weighted" }
      op { type: "SparseLengthsMean" input: "z" input: "i" input: "l" output: "sparse_mean" }
      op { type: "SparseLengthsWeightedSum" input: "z" input: "w" input: "i" input: "l" output: "sparse_weighted" })";
  auto const blobs = test::run_net<B>(table<B>(), net, fed);
  std::vector<double> const wide(x.begin(), x.end());
  std::vector<double> const wide_z(z.begin(), z.end());
  std::vector<double> const wide_w(weights.begin(), weights.end());
  std::vector<double> const ones(rows, 1);
  CHECK(blobs.view("sum").dims() == shape{static_cast<std::int64_t>(lengths.size()), m});
  auto const is = [&](char const* name, std::vector<double> const& expected) {
    check_close(blobs.template fetch<T>(name), expected, 1, 1e-3);  // eighths: all but means are exact
  };
  is("sum", reduced("sum", wide, width, all, ones, lengths));
  is("max", reduced("max", wide, width, all, ones, lengths));
  is("sparse_sum", reduced("sum", wide_z, width, chosen, ones, lengths));
  if (!real) return;
  is("mean", reduced("mean", wide, width, all, ones, lengths));
  is("weighted", reduced("sum", wide, width, all, wide_w, lengths));
  is("sparse_mean", reduced("mean", wide_z, width, chosen, ones, lengths));
  is("sparse_weighted", reduced("sum", wide_z, width, chosen, wide_w, lengths));
}

TEST_CASE_TEMPLATE("Lengths*, SparseLengths*: sums, means, maxima and weighted sums agree with the definition", B,
                   PLAIT_HOST_BACKENDS) {
  check<B, float, std::int32_t>({2, 0, 3}, 2);
  check<B, double, std::int64_t>({1, 4, 0, 0, 2}, 1);
  check<B, std::int32_t, std::int32_t>({2, 0, 3}, 5, false);
  check<B, std::int64_t, std::int64_t>({6}, 3, false);
  check<B, float, std::int32_t>({}, 3);
  check<B, float, std::int32_t>({0, 0}, 3);
  check<B, double, std::int32_t>({3, 1}, 0);
  std::vector<int> many(700);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<int>(i * 5 % 7);
  check<B, float, std::int64_t>(many, 40);
}

TEST_CASE_TEMPLATE("LengthsSum, LengthsMax: rows may be tensors or scalars", B, PLAIT_HOST_BACKENDS) {
  auto const deep =
      test::run_op<B>(table<B>(), R"(type: "LengthsSum" input: "x" input: "l" output: "y")",
                      {{"x", test::counted<B, float>({3, 2, 2})}, {"l", test::of<B, std::int64_t>({2}, {2, 1})}});
  CHECK(deep.view("y").dims() == shape{2, 2, 2});
  CHECK(deep.template fetch<float>("y") == std::vector<float>{4, 6, 8, 10, 8, 9, 10, 11});
  auto const flat = test::run_op<B>(
      table<B>(), R"(type: "LengthsMax" input: "x" input: "l" output: "y")",
      {{"x", test::of<B, float>({3}, {1, std::nanf(""), -2})}, {"l", test::of<B, std::int32_t>({2}, {2, 1})}});
  CHECK(std::isnan(flat.template fetch<float>("y")[0]));
  CHECK(flat.template fetch<float>("y")[1] == -2);
}

TEST_CASE("Lengths*, SparseLengths*: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& lengths,
                          std::vector<std::int32_t> const& indices = {0, 1, 2}) {
    return test::error_of<B>(table<B>(), op + R"( output: "y")",
                             {{"x", test::counted<B, float>({3, 2})},
                              {"w", test::counted<B, float>({3})},
                              {"short", test::counted<B, float>({2})},
                              {"i", test::of<B, std::int32_t>({static_cast<std::int64_t>(indices.size())}, indices)},
                              {"l", test::of<B, std::int32_t>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  };
  std::string const sum = R"(type: "LengthsSum" input: "x" input: "l")";
  CHECK(test::has(refusal(sum, {1, 1}), "LengthsSum: plait: op 0 (LengthsSum): the lengths add up to 2"));
  CHECK(test::has(refusal(sum, {1, 3}), "length 3 at place 1 is not within the 3 rows"));
  CHECK(test::has(refusal(sum, {4, -1}), "length 4 at place 0"));
  CHECK(test::has(refusal(sum, {2, -1, 2}), "length -1 at place 1"));
  CHECK(test::has(refusal(R"(type: "LengthsWeightedSum" input: "x" input: "short" input: "l")", {3}),
                  "a weight for each of 3 rows"));
  std::string const sparse = R"(type: "SparseLengthsWeightedSum" input: "x" input: "w" input: "i" input: "l")";
  CHECK(test::has(refusal(sparse, {3}, {0, 3, 1}), "index 3 at place 1"));
  CHECK(test::has(refusal(sparse, {3}, {0, 1, -1}), "index -1 at place 2"));
  CHECK(test::has(refusal(sparse, {2}, {0, 1, 2}), "add up to 2 where there are 3 rows"));
  CHECK(test::has(refusal(R"(type: "LengthsMean" input: "i" input: "l")", {3}), "float32 or float64"));
}

}  // namespace
