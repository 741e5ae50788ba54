#include <plait/exec/detail/kernels/gemm_packing.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

namespace {

// Panels narrower and wider than the vectors that are copied at once, full or padded with zeros, with k that no strip
// divides, from matrices with contiguous rows and with contiguous columns.
TEST_CASE_TEMPLATE("pack_panel: panels hold the strided elements, and 0 behind the last column", T, float, double) {
  for (std::ptrdiff_t const width : {1, 2, 3, 8, 14, 16, 32})
    for (std::ptrdiff_t const count : {std::ptrdiff_t(1), width / 2, width - 1, width})
      for (std::ptrdiff_t const k : {0, 1, 5, 16, 33})
        for (bool const columns_are_contiguous : {false, true}) {
          if (count < 1) continue;
          CAPTURE(width);
          CAPTURE(count);
          CAPTURE(k);
          CAPTURE(columns_are_contiguous);
          std::ptrdiff_t const apart = 3 + (columns_are_contiguous ? k : count);
          std::ptrdiff_t const step = columns_are_contiguous ? apart : 1;
          std::ptrdiff_t const stride = columns_are_contiguous ? 1 : apart;
          std::vector<T> from(static_cast<std::size_t>(apart * (columns_are_contiguous ? count : k)));
          std::iota(from.begin(), from.end(), T(1));
          std::vector<T> wanted;
          for (std::ptrdiff_t i = 0; i != k; ++i)
            for (std::ptrdiff_t j = 0; j != width; ++j)
              wanted.push_back(j < count ? from[static_cast<std::size_t>(i * stride + j * step)] : T(0));
          wanted.push_back(T(-1));  // guard behind the panel
          std::vector<T> made(wanted.size(), T(-1));
          plait::detail::pack_panel(made.data(), width, from.data(), count, step, stride, k);
          CHECK(made == wanted);
        }
}

}  // namespace
