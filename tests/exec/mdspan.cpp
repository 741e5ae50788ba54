#include <plait/exec/mdspan.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/serial.hpp>

namespace {

// The least that is asked for.
template <class T>
struct archetype {
  using element_type = T;
  T* data;
  std::array<int, 2> extents;
  std::array<int, 2> steps;
  T* data_handle() const { return data; }
  static constexpr std::size_t rank() { return 2; }
  int extent(std::size_t axis) const { return extents[axis]; }
  int stride(std::size_t axis) const { return steps[axis]; }
};
struct no_strides {
  using element_type = float;
  float* data_handle() const;
  static constexpr std::size_t rank() { return 1; }
  int extent(std::size_t) const;
};
static_assert(plait::strided_view<archetype<float>> && plait::strided_view<archetype<float const>>);
static_assert(!plait::strided_view<archetype<char>> && !plait::strided_view<no_strides> &&
              !plait::strided_view<std::vector<float>> && !plait::strided_view<int>);

TEST_CASE("mdspan: a view is read and written where it is, whatever its strides") {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  archetype<float> const columns{memory.data(), {3, 2}, {1, 3}};  // column-major
  auto t = plait::borrow_view<plait::serial>(columns);
  CHECK(t.dims() == plait::shape{3, 2});
  CHECK(t.values<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
  t.select(0, 1).select(0, 1).data<float>()[0] = 50;
  CHECK(memory[4] == 50);
}

}  // namespace
