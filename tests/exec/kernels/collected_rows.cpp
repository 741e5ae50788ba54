#include <plait/exec/detail/kernels/collected_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/serial.hpp>

namespace {

using rows = plait::collected_rows<plait::serial>;

struct receiver {
  struct part {
    void const* left;
    void const* right;
    std::int64_t rows;
  };
  std::vector<part> parts = {};
  std::vector<std::pair<float, float>> pairs = {};  // of rows of one element each

  auto take() {
    return [this](void const* left, void const* right, std::int64_t count) {
      parts.push_back({left, right, count});
      for (std::int64_t i = 0; i != count; ++i)
        pairs.emplace_back(static_cast<float const*>(left)[i], static_cast<float const*>(right)[i]);
    };
  }
};

TEST_CASE("rows that last and form a matrix, upwards or downwards, are handed over as they stand") {
  std::vector<float> const left(30, 1);
  std::vector<float> const right(30, 2);
  for (bool const upwards : {true, false}) {
    rows collected(true);
    receiver got;
    for (std::size_t i = 0; i != 10; ++i) {
      std::size_t const at = (upwards ? i : 9 - i) * 3;
      collected.add(3, &left[at], sizeof(float), &right[at], sizeof(float), got.take());
    }
    CHECK(got.parts.empty());
    collected.end(got.take());
    REQUIRE(got.parts.size() == 1);
    CHECK(got.parts[0].left == left.data());
    CHECK(got.parts[0].right == right.data());
    CHECK(got.parts[0].rows == 30);
    collected.end(got.take());
    CHECK(got.parts.size() == 1);
  }
}

TEST_CASE("rows that last but stand apart are handed over where they are") {
  std::vector<float> left(40);
  std::vector<float> right(40);
  rows collected(true);
  receiver got;
  for (std::size_t const at : {0U, 2U, 8U, 10U, 30U}) collected.add(2, &left[at], 4, &right[at], 4, got.take());
  collected.add(2, &left[32], 4, &right[0], 4, got.take());  // only one of the two goes on
  CHECK(got.parts.empty());                                  // what is told of may be made later
  collected.end(got.take());
  std::vector<std::int64_t> counts;
  for (auto const& part : got.parts) counts.push_back(part.rows);
  CHECK(counts == std::vector<std::int64_t>{4, 4, 2, 2});
}

TEST_CASE("rows that do not last are copied, each is handed over once, many at a time") {
  for (std::int64_t const step : {1, 7, 100, 255, 256, 300}) {
    CAPTURE(step);
    rows collected(false);
    receiver got;
    std::vector<std::pair<float, float>> wanted;
    float number = 0;
    for (int run = 0; run != 12; ++run) {
      std::vector<float> left;
      std::vector<float> right;
      for (std::int64_t i = 0; i != step; ++i) {
        left.push_back(++number);
        right.push_back(-number);
        wanted.emplace_back(number, -number);
      }
      collected.add(step, left.data(), 4, right.data(), 4, got.take());
      left.assign(left.size(), 0);
    }
    collected.end(got.take());
    CHECK(got.pairs == wanted);
    for (std::size_t i = 0; i + 1 < got.parts.size(); ++i)
      CHECK(got.parts[i].rows > rows::most_copies - (step < rows::most_copies ? step : 1));
  }
}

}  // namespace
