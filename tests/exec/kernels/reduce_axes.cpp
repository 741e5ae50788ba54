#include <plait/exec/detail/kernels/reduce_axes.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using plait::axis_mask;
using plait::shape;

struct reduced {
  std::vector<float> sums;
  std::vector<float> least;
};

// Reduces by definition: an element's result has the index of the element without the reduced axes.
reduced by_definition(shape const& dims, axis_mask const& mask, std::vector<float> const& x) {
  std::int64_t results = 1;
  for (std::size_t axis = 0; axis != dims.rank(); ++axis) results *= mask[axis] ? 1 : dims[axis];
  reduced made{std::vector<float>(static_cast<std::size_t>(results), 0.0f),
               std::vector<float>(static_cast<std::size_t>(results), plait::min_reduction::identity<float>())};
  for (std::size_t i = 0; i != x.size(); ++i) {
    std::size_t rest = i;
    std::size_t to = 0;
    std::size_t step = 1;
    for (std::size_t axis = dims.rank(); axis-- != 0;) {
      auto const extent = static_cast<std::size_t>(dims[axis]);
      if (!mask[axis]) {
        to += rest % extent * step;
        step *= extent;
      }
      rest /= extent;
    }
    made.sums[to] += x[i];
    made.least[to] = x[i] < made.least[to] ? x[i] : made.least[to];
  }
  return made;
}

template <class R>
std::vector<float> by_steps(shape const& dims, axis_mask const& mask, std::vector<float> const& x, std::size_t results,
                            std::size_t& count) {
  plait::reduction_axes const axes(dims, mask, sizeof(float));
  count = axes.count();
  std::vector<float> scratch(axes.scratch(), -99.0f);
  std::vector<float> made(results, -99.0f);
  plait::reduce_axes<plait::serial, R>(axes, x.data(), plait::as_it_is(), made.data(), scratch.data());
  return made;
}

TEST_CASE("reduce_axes: any choice of axes, or none, is reduced, whether or not vectors divide the extents") {
  std::mt19937 random(5);
  for (shape const& dims : {shape{}, shape{7}, shape{0}, shape{3, 5}, shape{40, 70}, shape{1, 6, 1}, shape{4, 0, 3},
                            shape{5, 3, 17}, shape{2, 3, 4, 5}, shape{3, 1, 300, 2}, shape{2, 2, 3, 2, 5}}) {
    std::vector<float> x(static_cast<std::size_t>(dims.size()));
    for (float& each : x) each = static_cast<float>(static_cast<int>(random() % 17) - 8);  // sums are exact
    for (unsigned bits = 0; bits != 1u << dims.rank(); ++bits) {
      CAPTURE(plait::to_string(dims));
      CAPTURE(bits);
      axis_mask mask = {};
      std::size_t count = 1;
      for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
        mask[axis] = (bits >> axis & 1) != 0;
        if (mask[axis]) count *= static_cast<std::size_t>(dims[axis]);
      }
      reduced const wanted = by_definition(dims, mask, x);
      std::size_t told = 0;
      CHECK(by_steps<plait::sum_reduction>(dims, mask, x, wanted.sums.size(), told) == wanted.sums);
      CHECK(told == count);
      CHECK(by_steps<plait::min_reduction>(dims, mask, x, wanted.least.size(), told) == wanted.least);
    }
  }
}

TEST_CASE("repeated_axes: returns the axes that a broadcast made longer or added") {
  CHECK(plait::repeated_axes({2, 3, 4}, {2, 3, 4}) == axis_mask{});
  CHECK(plait::repeated_axes({2, 3, 4}, {4}) == axis_mask{true, true});
  CHECK(plait::repeated_axes({2, 3, 4}, {3, 1}) == axis_mask{true, false, true});
  CHECK(plait::repeated_axes({2, 3, 4}, {}) == axis_mask{true, true, true});
  CHECK(plait::repeated_axes({2, 1, 4}, {1, 1, 4}) == axis_mask{true});
}

}  // namespace
