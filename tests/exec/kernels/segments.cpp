#include <plait/exec/detail/kernels/segments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

template <class B, class I>
std::string offsets(std::vector<I> const& lengths, std::int64_t rows, std::vector<std::int64_t>& made) {
  made.assign(lengths.size() + 1, -7);
  try {
    plait::segment_offsets<B>(made.data(), lengths.data(), lengths.size(), rows);
  } catch (plait::shape_error const& e) {
    return e.what();
  }
  return {};
}

TEST_CASE_TEMPLATE("segment_offsets: offsets add up checked lengths", B, plait::serial, plait::omp, plait::tbb) {
  std::vector<std::int64_t> made;
  CHECK(offsets<B, std::int32_t>({2, 0, 3}, 5, made).empty());
  CHECK(made == std::vector<std::int64_t>{0, 2, 2, 5});
  CHECK(offsets<B, std::int64_t>({}, 0, made).empty());
  CHECK(made == std::vector<std::int64_t>{0});
  CHECK(offsets<B, std::int64_t>({2, -1}, 1, made) == "plait: length 2 at place 0 is not within the 1 rows there are");
  CHECK(offsets<B, std::int64_t>({1, -1, 1}, 1, made) ==
        "plait: length -1 at place 1 is not within the 1 rows there are");
  CHECK(offsets<B, std::int32_t>({1}, 2, made) == "plait: the lengths add up to 1 where there are 2 rows");
}

// Sums in float, in the order of the rows, have the same bits on every backend.
TEST_CASE("reduce_segments: means have the same bits on every backend") {
  std::size_t const segments = 90;
  std::size_t const width = 300;
  std::vector<std::int64_t> starts(1, 0);
  for (std::size_t s = 0; s != segments; ++s) starts.push_back(starts.back() + static_cast<std::int64_t>(s * 5 % 7));
  auto const rows = static_cast<std::size_t>(starts.back());
  std::vector<float> x(rows * width);
  for (std::size_t i = 0; i != x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  std::vector<std::int32_t> list(rows);
  for (std::size_t r = 0; r != rows; ++r) list[r] = static_cast<std::int32_t>(r * 31 % rows);
  auto const made = [&]<class B>(B) {
    std::vector<float> y(segments * width);
    plait::reduce_segments<plait::segment_reduction::mean, B>(
        y.data(), plait::stored_rows<float>{x.data(), width}, starts.data(), segments, width, rows,
        plait::named_row<std::int32_t>{list.data()}, plait::unit_weight<float>());
    return y;
  };
  auto const serial = made(plait::serial());
  CHECK(serial == made(plait::omp()));
  CHECK(serial == made(plait::tbb()));
  double worst = 0;
  for (std::size_t s = 0; s != segments; ++s)
    for (std::size_t c = 0; c != width; ++c) {
      double sum = 0;
      for (auto i = starts[s]; i != starts[s + 1]; ++i)
        sum += static_cast<double>(x[static_cast<std::size_t>(list[static_cast<std::size_t>(i)]) * width + c]);
      auto const length = static_cast<double>(starts[s + 1] - starts[s]);
      worst = test::larger_error(
          worst, std::abs(static_cast<double>(serial[s * width + c]) - (length == 0 ? 0 : sum / length)));
    }
  CHECK(worst < 1e-6);
}

TEST_CASE_TEMPLATE("segment_sizes: the rows of each segment are counted", B, plait::serial, plait::omp, plait::tbb) {
  std::vector<std::int32_t> const numbers = {3, 0, 3, 1, 3};
  std::vector<std::int64_t> made(5, -7);
  plait::segment_sizes<B>(made.data(), made.size(), numbers.data(), numbers.size());
  CHECK(made == std::vector<std::int64_t>{1, 1, 0, 3, 0});
}

TEST_CASE("segment_sizes: a segment may have more rows than float can count") {
  std::vector<std::uint8_t> const numbers((1 << 24) + 3, 1);
  std::vector<std::int64_t> made(2);
  plait::segment_sizes<plait::serial>(made.data(), made.size(), numbers.data(), numbers.size());
  CHECK(made == std::vector<std::int64_t>{0, (1 << 24) + 3});
}

}  // namespace
