// Threads of a device together: sums of whole numbers, which are exact in any order, and extremes, of rows and columns
// that do and do not fill warps, teams and blocks.
#include <plait/exec/detail/kernels/thread_team.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/tensor.hpp>
#include <support/whole_numbers.hpp>

namespace {

using plait::cuda;

plait::shape list(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

/// Returns the reduction R of [outer, n, inner] on the device: over rows, where inner is 1, or over columns.
template <class R>
std::vector<float> reduced(std::vector<float> const& numbers, std::size_t outer, std::size_t n, std::size_t inner,
                           bool rows) {
  auto const x = plait::tensor<cuda>::from(numbers, list(numbers.size()));
  auto out = plait::tensor<cuda>::from(std::vector<float>(outer * inner, -100.0f), list(outer * inner));
  std::size_t const needed = rows ? plait::row_partials(outer, n) : plait::column_partials(outer, n, inner);
  auto partials = plait::tensor<cuda>::uninitialized(plait::element_type::float32, list(needed));
  float const* const from = x.data<float>();
  if (rows)
    plait::reduce_rows<cuda, R>(outer, n, plait::detail::mapped_rows<float, plait::as_it_is>{from, n, {}},
                                out.data<float>(), partials.data<float>());
  else
    plait::reduce_columns<cuda, R>(from, outer, n, inner, plait::as_it_is(), out.data<float>(), partials.data<float>());
  return out.values<float>();
}

template <class R>
std::vector<float> expected(std::vector<float> const& x, std::size_t outer, std::size_t n, std::size_t inner) {
  std::vector<float> made(outer * inner, R::template identity<float>());
  for (std::size_t i = 0; i != x.size(); ++i) {
    float& to = made[i / (n * inner) * inner + i % inner];
    to = R::combine(to, x[i]);
  }
  return made;
}

TEST_CASE("teams of a device: sums and maxima of rows and columns") {
  for (std::size_t const outer : {1U, 3U, 100U})
    for (std::size_t const n : {0U, 1U, 31U, 32U, 33U, 127U, 129U, 513U, 1025U, 8193U, 20000U})
      for (std::size_t const inner : {1U, 2U, 7U, 31U, 33U, 600U}) {
        if (outer * n * inner > 2'000'000) continue;
        CAPTURE(outer);
        CAPTURE(n);
        CAPTURE(inner);
        auto const x = test::whole_numbers(outer * n * inner);
        CHECK(reduced<plait::sum_reduction>(x, outer, n, inner, false) ==
              expected<plait::sum_reduction>(x, outer, n, inner));
        CHECK(reduced<plait::max_reduction>(x, outer, n, inner, false) ==
              expected<plait::max_reduction>(x, outer, n, inner));
        if (inner != 1) continue;
        CHECK(reduced<plait::sum_reduction>(x, outer, n, 1, true) == expected<plait::sum_reduction>(x, outer, n, 1));
        CHECK(reduced<plait::max_reduction>(x, outer, n, 1, true) == expected<plait::max_reduction>(x, outer, n, 1));
      }
}

}  // namespace
