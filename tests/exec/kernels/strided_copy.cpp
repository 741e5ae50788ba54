#include <plait/exec/detail/kernels/strided_copy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

// Returns the elements in row-major order, by their places along each axis.
template <class T>
std::vector<T> copied_by_places(T const* from, plait::shape const& dims, plait::strides const& source) {
  std::vector<T> made;
  std::vector<std::int64_t> place(dims.rank());
  for (std::int64_t i = 0; i != dims.size(); ++i) {
    T const* at = from;
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) at += place[axis] * source[axis];
    made.push_back(*at);
    for (std::size_t axis = dims.rank(); axis-- != 0;) {
      if (++place[axis] != dims[axis]) break;
      place[axis] = 0;
    }
  }
  return made;
}

static_assert([] {
  plait::strides const made = plait::row_major({2, 3, 4});
  return made[0] == 12 && made[1] == 4 && made[2] == 1 && plait::row_major({})[0] == 0;
}());
// Adjacent axes are merged if the next row begins at the end of the last; axes of one element are dropped.
static_assert(plait::detail::strided_layout({2, 3, 4}, plait::row_major({2, 3, 4})).rank == 1);
static_assert(plait::detail::strided_layout({2, 1, 4}, {100, 7, 2}).rank == 2);
static_assert(plait::detail::strided_layout({5, 6, 7}, {0, 7, 1}).rank == 2);
static_assert(plait::detail::strided_layout({1, 1}, {3, 3}).rank == 0);

TEST_CASE_TEMPLATE("copy_strided: axes may have any order, and be repeated or reversed", B, plait::serial, plait::omp,
                   plait::tbb) {
  std::mt19937 random(3);
  for (int turn = 0; turn != 500; ++turn) {
    CAPTURE(turn);
    // Each axis of the copy is an axis of memory, in another order, or repeats an element.
    plait::shape dims;
    plait::strides source = {};
    std::size_t const rank = random() % 6;
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t axis = 0; axis != rank; ++axis) dims.push_back(static_cast<std::int64_t>(1 + random() % 5));
    std::ranges::shuffle(order, random);
    std::int64_t size = 1;
    std::int64_t first = 0;
    for (std::size_t const axis : order) {
      switch (random() % 6) {
        case 0:
          source[axis] = 0;
          break;
        case 1:
          source[axis] = -size;
          first += size * (dims[axis] - 1);
          size *= dims[axis];
          break;
        case 2:  // every other element
          source[axis] = 2 * size;
          size *= 2 * dims[axis];
          break;
        default:
          source[axis] = size;
          size *= dims[axis];
      }
    }
    std::vector<std::int32_t> memory(static_cast<std::size_t>(size));
    std::iota(memory.begin(), memory.end(), 1);
    std::vector<std::int32_t> out(static_cast<std::size_t>(dims.size()));
    plait::copy_strided<B>(out.data(), memory.data() + first, dims, source);
    REQUIRE(out == copied_by_places(memory.data() + first, dims, source));
  }
}

TEST_CASE_TEMPLATE("copy_strided: large transposes take any element size", T, std::uint8_t, std::int32_t, double) {
  std::int64_t const rows = 301;
  std::int64_t const columns = 203;
  std::vector<T> memory(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i != memory.size(); ++i) memory[i] = static_cast<T>(i % 251);
  std::vector<T> out(memory.size());
  plait::shape const dims{columns, rows};
  plait::strides const source{1, columns};
  plait::copy_strided<plait::tbb>(static_cast<void*>(out.data()), memory.data(), plait::element_type_of<T>, dims,
                                  source);
  CHECK(out == copied_by_places(memory.data(), dims, source));
}

TEST_CASE("copy_strided: an empty copy reads and writes nothing") {
  int out = 7;
  plait::copy_strided<plait::serial, int>(&out, nullptr, {3, 0, 2}, {2, 2, 1});
  CHECK(out == 7);
}

}  // namespace
