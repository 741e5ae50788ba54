#include <plait/exec/detail/kernels/reduction_backward.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

// Weighs its arguments so that the result shows where each came from.
struct told_apart {
  static constexpr bool reads_elements = true;
  static constexpr bool reads_results = true;
  PLAIT_HOST_DEVICE double operator()(double dy, double x, double y) const { return dy + 1e5 * y + 1e10 * x; }
};
struct result_only {
  static constexpr bool reads_elements = false;
  static constexpr bool reads_results = false;
  PLAIT_HOST_DEVICE double operator()(double dy, double x, double y) const { return dy + x + y; }
};

TEST_CASE_TEMPLATE("reduction_backward: elements get their result's gradient, whatever axes were reduced", B,
                   plait::serial, plait::omp, plait::tbb) {
  for (shape const& dims :
       {shape{}, {5}, {1}, {2, 3}, {2, 1, 3}, {2, 3, 2, 3}, {3, 1, 2, 2, 3}, {2, 0, 3}, {50, 40, 30}, {2, 30'000}})
    for (unsigned bits = 0; bits != 1U << dims.rank(); ++bits) {
      CAPTURE(plait::to_string(dims));
      CAPTURE(bits);
      plait::axis_mask reduced = {};
      shape results;
      for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
        reduced[axis] = (bits >> axis & 1U) != 0;
        results.push_back(reduced[axis] ? 1 : dims[axis]);
      }
      auto x = test::numbered<double>(dims);
      auto dy = test::numbered<double>(results);
      auto const y = test::numbered<double>(results, 7);
      std::vector<double> expected;
      std::vector<double> expected_results;
      for (test::index at : test::indices(dims)) {
        std::size_t const element = test::place(dims, at);
        for (std::size_t axis = 0; axis != dims.rank(); ++axis)
          if (reduced[axis]) at[axis] = 0;
        std::size_t const result = test::place(results, at);
        expected.push_back(told_apart{}(dy[result], x[element], y[result]));
        expected_results.push_back(dy[result]);
      }
      plait::reduction_backward_layout const layout(dims, reduced);
      CHECK(layout.rows * layout.width == x.size());
      std::vector<double> dx(x.size(), -1);
      plait::reduction_backward<B>(layout, dy.data(), x.data(), y.data(), dx.data(), told_apart());
      CHECK(dx == expected);
      double const* const nothing = nullptr;
      plait::reduction_backward<B>(layout, dy.data(), nothing, nothing, dx.data(), result_only());
      CHECK(dx == expected_results);
      std::vector<double> const slopes = dy;
      if (dy.size() == x.size()) {
        plait::reduction_backward<B>(layout, dy.data(), x.data(), y.data(), dy.data(), told_apart());
        CHECK(dy == expected);
      }
      plait::reduction_backward<B>(layout, slopes.data(), x.data(), y.data(), x.data(), told_apart());
      CHECK(x == expected);
    }
}

}  // namespace
