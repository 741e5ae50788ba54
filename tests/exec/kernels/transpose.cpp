#include <plait/exec/detail/kernels/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

using order = std::vector<std::size_t>;

// Permutes element by element, from the strides.
template <class T>
std::vector<T> permuted(std::vector<T> const& x, plait::shape const& dims, order const& axes) {
  plait::strides const steps = plait::row_major(dims);
  std::vector<T> made;
  for (std::size_t i = 0; i != x.size(); ++i) {
    std::size_t left = i;
    std::int64_t from = 0;
    for (std::size_t a = axes.size(); a-- != 0;) {
      auto const extent = static_cast<std::size_t>(dims[axes[a]]);
      from += static_cast<std::int64_t>(left % extent) * steps[axes[a]];
      left /= extent;
    }
    made.push_back(x[static_cast<std::size_t>(from)]);
  }
  return made;
}

template <class B, class T>
void check(plait::shape const& dims, order const& axes) {
  std::vector<T> x(static_cast<std::size_t>(dims.size()));
  std::iota(x.begin(), x.end(), T(0));
  std::vector<T> made(x.size());
  plait::transposition(dims, axes).run<B>(made.data(), x.data());
  CHECK(made == permuted(x, dims, axes));
}

TEST_CASE_TEMPLATE("transposition: five axes may have every order", B, plait::serial, plait::omp, plait::tbb) {
  order axes = {0, 1, 2, 3, 4};
  do check<B, std::uint16_t>({2, 3, 1, 4, 5}, axes);
  while (std::next_permutation(axes.begin(), axes.end()));
}

TEST_CASE_TEMPLATE("transposition: extents may be whole blocks, incomplete blocks, or many tiles", B, plait::serial,
                   plait::omp, plait::tbb) {
  for (std::int64_t const rows : {1, 15, 16, 17, 64, 200})
    for (std::int64_t const columns : {1, 8, 63, 64, 65, 256, 1'000}) {
      check<B, std::uint8_t>({rows, columns}, {1, 0});
      check<B, std::uint32_t>({rows, columns}, {1, 0});
      check<B, std::uint64_t>({3, rows, columns}, {2, 0, 1});
      check<B, std::uint32_t>({rows, 2, columns}, {2, 1, 0});
    }
}

TEST_CASE_TEMPLATE("transposition: tensors may be empty or a scalar", B, plait::serial, plait::omp, plait::tbb) {
  check<B, std::uint32_t>({}, {});
  check<B, std::uint32_t>({0, 4}, {1, 0});
  check<B, std::uint32_t>({1, 1}, {1, 0});
  std::uint32_t one = 0;
  std::uint32_t const seven = 7;
  plait::transposition().run<B>(&one, &seven);
  CHECK(one == 7);
}

}  // namespace
