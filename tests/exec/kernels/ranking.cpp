#include <plait/exec/detail/kernels/ranking.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

// Returns numbers with many ties, with infinities and, on request, NaN.
std::vector<float> ties(std::size_t count, unsigned seed, bool with_nan) {
  std::mt19937 random(seed);
  std::vector<float> made(count);
  for (float& x : made) {
    x = static_cast<float>(random() % 5);
    if (random() % 16 == 0) x = -std::numeric_limits<float>::infinity();
    if (with_nan && random() % 16 == 0) x = std::numeric_limits<float>::quiet_NaN();
  }
  return made;
}
bool more(float a, float b) { return a > b || (std::isnan(a) && !std::isnan(b)); }
bool less(float a, float b) { return a < b || (std::isnan(a) && !std::isnan(b)); }

// Returns the places of a vector of n elements, `step` apart, stably sorted by `before`.
std::vector<std::int64_t> ranked(float const* x, std::size_t n, std::size_t step, bool (*before)(float, float)) {
  std::vector<std::int64_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
    return before(x[static_cast<std::size_t>(a) * step], x[static_cast<std::size_t>(b) * step]);
  });
  return places;
}

TEST_CASE("locate, top_k: results are those of sorting, along rows and columns, with ties, infinities and NaN") {
  unsigned seed = 0;
  for (std::size_t const n : {1U, 2U, 7U, 255U, 256U, 600U})
    for (std::size_t const inner : {1U, 2U, 5U, 300U})
      for (bool const with_nan : {false, true}) {
        if (n * inner > 20'000) continue;
        CAPTURE(n);
        CAPTURE(inner);
        CAPTURE(with_nan);
        std::size_t const outer = 3;
        auto const x = ties(outer * n * inner, ++seed, with_nan);
        std::size_t const k = std::min<std::size_t>(n + 1, 4);
        std::vector<std::int64_t> greatest(outer * inner), least(outer * inner), places(outer * k * inner),
            flat(places.size());
        std::vector<float> values(places.size());
        plait::locate<plait::serial, plait::max_reduction>(x.data(), greatest.data(), outer, n, inner);
        plait::locate<plait::serial, plait::min_reduction>(x.data(), least.data(), outer, n, inner);
        plait::top_k<plait::serial>(x.data(), values.data(), places.data(), flat.data(), outer, n, inner, k);
        bool same = true;
        for (std::size_t vector = 0; vector != outer * inner; ++vector) {
          std::size_t const first = vector / inner * n * inner + vector % inner;
          auto const from = x.data() + first;
          auto const descending = ranked(from, n, inner, more);
          same = same && greatest[vector] == descending[0] && least[vector] == ranked(from, n, inner, less)[0];
          for (std::size_t i = 0; i != k; ++i) {
            std::size_t const at = vector / inner * k * inner + i * inner + vector % inner;
            if (i >= n) {
              same = same && places[at] == -1 && flat[at] == -1 && values[at] == 0;
              continue;
            }
            auto const place = static_cast<std::size_t>(descending[i]);
            float const value = from[place * inner];
            same = same && places[at] == descending[i] &&
                   flat[at] == static_cast<std::int64_t>(first + place * inner) &&
                   (values[at] == value || (std::isnan(values[at]) && std::isnan(value)));
          }
        }
        CHECK(same);
      }
}

}  // namespace
