#include <plait/exec/detail/kernels/collected_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using rows = plait::collected_rows<plait::serial>;
using pairs = std::vector<std::pair<float, float>>;  // of rows of one element each

struct receiver {
  std::vector<pairs> blocks = {};
  std::vector<void const*> left = {};

  auto take() {
    return [this](void const* l, void const* r, std::size_t count) {
      left.push_back(l);
      blocks.emplace_back();
      for (std::size_t i = 0; i != count; ++i)
        blocks.back().emplace_back(static_cast<float const*>(l)[i], static_cast<float const*>(r)[i]);
    };
  }
};

TEST_CASE("collected_rows: lasting rows that form a matrix are passed on in place") {
  std::vector<float> const left(30, 1);
  std::vector<float> const right(30, 2);
  for (bool const backward : {false, true}) {
    rows collected;
    collected.begin({3, sizeof(float), sizeof(float)}, true, backward);
    receiver got;
    for (std::size_t i = 0; i != 10; ++i) {
      std::size_t const at = (backward ? 9 - i : i) * 3;
      collected.add(&left[at], &right[at], got.take());
    }
    CHECK(got.blocks.empty());  // lasting rows may be computed after they are added
    collected.end(got.take());
    REQUIRE(got.blocks.size() == 1);
    CHECK(got.left[0] == left.data());
    CHECK(got.blocks[0] == pairs(30, {1.0f, 2.0f}));
    collected.end(got.take());
    CHECK(got.blocks.size() == 1);
  }
}

// Rows of each run have other addresses, or do not last.
TEST_CASE("collected_rows: blocks and their order do not depend on the addresses of rows, or on whether they last") {
  for (std::size_t const step : {1U, 7U, 100U, 255U, 256U, 257U, 512U, 600U})
    for (bool const backward : {false, true}) {
      CAPTURE(step);
      CAPTURE(backward);
      constexpr std::size_t runs = 12;
      std::vector<float> numbers(runs * step), negative(runs * step);  // by time step
      for (std::size_t i = 0; i != numbers.size(); ++i) negative[i] = -(numbers[i] = static_cast<float>(i + 1));
      auto const collect = [&](bool lasting, std::size_t gap) {
        rows collected;
        receiver got;
        collected.begin({step, sizeof(float), sizeof(float)}, lasting, backward);
        std::vector<float> apart(runs * (step + gap)), one(step);
        for (std::size_t run = 0; run != runs; ++run) {
          std::size_t const time = backward ? runs - 1 - run : run;
          float* const at = lasting ? apart.data() + time * (step + gap) : one.data();
          std::copy_n(numbers.data() + time * step, step, at);
          collected.add(at, negative.data() + time * step, got.take());
          if (!lasting) std::fill(one.begin(), one.end(), 0.0f);
        }
        collected.end(got.take());
        return got.blocks;
      };
      auto const blocks = collect(true, 0);
      CHECK(collect(true, 5) == blocks);
      CHECK(collect(false, 0) == blocks);
      pairs all;
      for (std::size_t k = 0; k != blocks.size(); ++k) {
        pairs const& block = blocks[backward ? blocks.size() - 1 - k : k];
        all.insert(all.end(), block.begin(), block.end());
        CHECK(block.size() <= std::max(step, rows::block_rows));
      }
      pairs wanted;
      for (std::size_t i = 0; i != numbers.size(); ++i) wanted.emplace_back(numbers[i], negative[i]);
      CHECK(all == wanted);
    }
}

}  // namespace
