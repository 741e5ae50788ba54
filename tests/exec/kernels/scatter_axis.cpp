#include <plait/exec/detail/kernels/scatter_axis.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

TEST_CASE_TEMPLATE("scatter_axis: sums run in order of the list, and other elements are zero", B, plait::serial,
                   plait::omp, plait::tbb) {
  struct sizes {
    std::size_t outer, n, count, inner;
  };
  for (sizes const s : {sizes{1, 4, 6, 1}, {3, 5, 4, 7}, {2, 3, 0, 4}, {0, 3, 2, 4}, {2, 3, 2, 0}, {40, 30, 20, 600}}) {
    CAPTURE(s.inner);
    std::vector<std::int32_t> common(s.count);
    for (std::size_t i = 0; i != s.count; ++i) common[i] = static_cast<std::int32_t>(i * 7 % s.n);
    std::vector<std::int64_t> own(s.outer * s.count * s.inner);
    std::vector<float> from(own.size());
    for (std::size_t i = 0; i != own.size(); ++i) {
      own[i] = static_cast<std::int64_t>(i * 11 % (s.n + 1)) - 1;
      from[i] = std::sin(static_cast<float>(i));
    }
    std::vector<std::int32_t> outer(s.outer * s.count);  // every other one counted from the end
    for (std::size_t i = 0; i != outer.size(); ++i)
      outer[i] = static_cast<std::int32_t>(i * 5 % s.n) - static_cast<std::int32_t>(i % 2 * s.n);
    // Sums run in the order of the list, and so have the same bits.
    std::vector<float> by_list(s.outer * s.n * s.inner, 0);
    std::vector<float> by_own = by_list;
    std::vector<float> by_outer = by_list;
    for (std::size_t o = 0; o != s.outer; ++o)
      for (std::size_t i = 0; i != s.count; ++i)
        for (std::size_t c = 0; c != s.inner; ++c) {
          std::size_t const at = (o * s.count + i) * s.inner + c;
          by_list[(o * s.n + static_cast<std::size_t>(common[i])) * s.inner + c] += from[at];
          std::size_t const place = o * s.count + i;
          auto const row = static_cast<std::size_t>(outer[place]) + place % 2 * s.n;
          by_outer[(o * s.n + row) * s.inner + c] += from[at];
          if (own[at] >= 0) by_own[(o * s.n + static_cast<std::size_t>(own[at])) * s.inner + c] += from[at];
        }
    auto const n = static_cast<std::int64_t>(s.n);
    std::vector<float> made(by_list.size(), 7);
    plait::scatter_axis<B>(made.data(), from.data(), plait::listed_place<std::int32_t>{common.data(), 0, n}, s.outer,
                           s.n, s.count, s.inner);
    CHECK(made == by_list);
    made.assign(made.size(), 7);
    plait::scatter_axis<B>(made.data(), from.data(), plait::listed_place<std::int32_t>{outer.data(), s.count, n},
                           s.outer, s.n, s.count, s.inner);
    CHECK(made == by_outer);
    made.assign(made.size(), 7);
    plait::scatter_axis<B>(made.data(), from.data(), plait::own_place<std::int64_t>{own.data(), s.count, s.inner},
                           s.outer, s.n, s.count, s.inner);
    CHECK(made == by_own);
  }
}

}  // namespace
