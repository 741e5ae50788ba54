#include <plait/exec/detail/kernels/accumulate.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

using plait::element_type;

template <class T>
std::vector<T> counted(std::size_t count, int first) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<T>(first + static_cast<int>(i % 1'000));
  return made;
}

TEST_CASE_TEMPLATE("accumulate: exactly `count` elements are added", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, 3 * plait::tile_size + 5}) {
    auto to = counted<double>(count + 1, 3);
    auto wanted = to;
    auto const from = counted<double>(count + 1, -8);
    for (std::size_t i = 0; i != count; ++i) wanted[i] = to[i] + from[i];
    plait::accumulate<B>(to.data(), from.data(), count);
    CHECK(to == wanted);
  }
}

TEST_CASE("accumulate: a tensor may be added to itself") {
  std::vector<float> to = {1, -2, 3};
  plait::accumulate<plait::serial>(to.data(), static_cast<float const*>(to.data()), 3);
  CHECK(to == std::vector<float>{2, -4, 6});
}

TEST_CASE("accumulate: float and double are added, other types are refused") {
  std::vector<float> f = {1, 2};
  CHECK(plait::accumulate<plait::serial>(element_type::float32, f.data(), std::vector<float>{10, 20}.data(), 2));
  CHECK(f == std::vector<float>{11, 22});
  std::vector<double> d = {1, 2};
  CHECK(plait::accumulate<plait::serial>(element_type::float64, d.data(), std::vector<double>{10, 20}.data(), 2));
  CHECK(d == std::vector<double>{11, 22});
  std::vector<std::int32_t> i = {1, 2};
  CHECK_FALSE(
      plait::accumulate<plait::serial>(element_type::int32, i.data(), std::vector<std::int32_t>{3, 4}.data(), 2));
  CHECK(i == std::vector<std::int32_t>{1, 2});
}

}  // namespace
