// Oracle for segment reductions with segment ids, by definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace test {

/// Runs the six ops (sum, mean, weighted sum; of all rows, of gathered ones) of `order`, Sorted or Unsorted, on rows of
/// `width` with the segment ids `numbers`; for integers the sums only. Elements are multiples of 1/8, so that
/// everything except means is exact; these are within an ulp.
template <class B, class T, class I>
void check_numbered_segments(std::string const& order, std::vector<int> const& numbers, std::size_t width) {
  constexpr bool real = std::is_floating_point_v<T>;
  constexpr std::size_t of = 9;  // rows of the tensor that the sparse ops gather from
  std::size_t const rows = numbers.size();
  std::size_t segments = 0;
  for (int const number : numbers) segments = std::max(segments, static_cast<std::size_t>(number) + 1);
  auto const mixed = [](std::size_t count, std::size_t seed) {
    std::vector<T> made(count);
    for (std::size_t i = 0; i != count; ++i)
      made[i] = static_cast<T>((static_cast<double>((i * 37 + seed) % 101) - 50) / (real ? 8 : 1));
    return made;
  };
  auto const x = mixed(rows * width, 3);
  auto const z = mixed(of * width, 4);
  auto const w = mixed(rows, 5);
  std::vector<I> chosen(rows);
  for (std::size_t i = 0; i != rows; ++i) chosen[i] = static_cast<I>(i * 4 % of);

  auto const n = static_cast<std::int64_t>(rows);
  auto const m = static_cast<std::int64_t>(width);
  std::string net;
  for (std::string const how : {"Sum", "Mean", "WeightedSum"}) {
    if (!real && how != "Sum") continue;
    std::string const weights = how == "WeightedSum" ? " input: 'w'" : "";
    net += "op { type: '" + order + "Segment" + how + "' input: 'x'" + weights + " input: 's' output: '" + how + "' }";
    net += "op { type: 'Sparse" + order + "Segment" + how + "' input: 'z'" + weights +
           " input: 'i' input: 's' output: 'Sparse" + how + "' }";
  }
  auto const blobs = run_net<B>(table<B>(), net,
                                {{"x", test::of<B>({n, m}, x)},
                                 {"z", test::of<B>({static_cast<std::int64_t>(of), m}, z)},
                                 {"w", test::of<B>({n}, w)},
                                 {"i", test::of<B>({n}, chosen)},
                                 {"s", test::of<B>({n}, std::vector<I>(numbers.begin(), numbers.end()))}});
  auto const check = [&](std::string const& name, bool sparse, bool mean, bool weighted) {
    CAPTURE(name);
    std::vector<double> expected(segments * width, 0);
    std::vector<double> sizes(segments, 0);
    for (std::size_t row = 0; row != rows; ++row) {
      auto const s = static_cast<std::size_t>(numbers[row]);
      std::size_t const from = sparse ? static_cast<std::size_t>(chosen[row]) : row;
      sizes[s] += 1;
      for (std::size_t c = 0; c != width; ++c)
        expected[s * width + c] +=
            static_cast<double>((sparse ? z : x)[from * width + c]) * (weighted ? static_cast<double>(w[row]) : 1);
    }
    CHECK(blobs.view(name).dims() == plait::shape{static_cast<std::int64_t>(segments), m});
    auto const made = blobs.template fetch<T>(name);
    double worst = 0;
    for (std::size_t i = 0; i != made.size(); ++i) {
      double const exact = mean && sizes[i / width] != 0 ? expected[i] / sizes[i / width] : expected[i];
      double const ulp =
          mean ? std::max(std::abs(exact), 1e-3) * static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
      worst = larger_error(worst, std::abs(static_cast<double>(made[i]) - exact) - ulp);
    }
    CHECK(worst <= 0);
  };
  for (bool const sparse : {false, true}) {
    std::string const name = sparse ? "Sparse" : "";
    check(name + "Sum", sparse, false, false);
    if (!real) continue;
    check(name + "Mean", sparse, true, false);
    check(name + "WeightedSum", sparse, false, true);
  }
}

}  // namespace test
