#include <plait/exec/detail/kernels/reduce.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <support/whole_numbers.hpp>

namespace {

TEST_CASE("reduce_rows, reduce_columns: sums are exact for all extents, with and without partial sums") {
  for (std::size_t const outer : {1U, 3U})
    for (std::size_t const n : {0U, 1U, 3U, 5U, 511U, 513U, 5000U, 20000U})
      for (std::size_t const inner : {1U, 2U, 7U, 255U, 600U}) {
        if (n * inner > 400'000) continue;
        CAPTURE(n);
        CAPTURE(inner);
        auto const x = test::whole_numbers(outer * n * inner);
        std::vector<float> wanted(outer * inner, 0.0f);
        for (std::size_t i = 0; i != x.size(); ++i) wanted[i / (n * inner) * inner + i % inner] += x[i];
        std::vector<float> got(outer * inner, -1.0f);
        std::vector<float> partials(plait::column_partials(outer, n, inner));
        plait::reduce_columns<plait::serial, plait::sum_reduction>(x.data(), outer, n, inner, plait::as_it_is(),
                                                                   got.data(), partials.data());
        CHECK(got == wanted);
        if (inner != 1) continue;
        got.assign(outer, -1.0f);
        partials.resize(plait::row_partials(outer, n));
        float const* const from = x.data();
        plait::reduce_rows<plait::serial, plait::sum_reduction>(
            outer, n, [=](std::size_t row, std::size_t i) { return from[row * n + i]; }, got.data(), partials.data());
        CHECK(got == wanted);
      }
}

}  // namespace
