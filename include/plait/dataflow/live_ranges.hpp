// Live ranges of blobs, as intervals of program points, and the register pressure.
//
//   plait::liveness const live(f);
//   plait::live_ranges const ranges(live.snapshot().code(), live.dense());
//   for (auto [first, last] : ranges[live.snapshot().find(name)]) …
//   ranges.pressure().blobs
//
// For linear-scan allocation and memory plans (M. Poletto, V. Sarkar, "Linear Scan Register Allocation", TOPLAS 21(5),
// 1999, pp. 895–913), with lifetime holes as in O. Traub, G. Holloway, M. D. Smith, "Quality and Speed in Linear-scan
// Register Allocation" (PLDI 1998, pp. 142–151). O(operands + sizes of all live-out sets) time and space.
//
// Blocks are laid out by number (reverse postorder); a block of n ops has n + 1 points, one before each op and one at
// its end. Two blobs whose ranges share no point do not interfere and can share a location, except for a blob that is
// written and never read: it is live nowhere, but occupies its location when it is written, which the pressure counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/detail/dense_liveness.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// Live ranges of all blobs of a program, by number. Self-contained. compute() again reuses the memory.
class live_ranges {
 public:
  /// An interval of points, from `first` to `last` inclusive.
  struct range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    friend constexpr bool operator==(range const&, range const&) = default;
  };
  /// The maximum number of simultaneously live blobs.
  struct peak {
    std::size_t blobs = 0;
    op_index op = npos;  ///< the first op with that pressure; npos: at the end of a block, or nowhere
    friend constexpr bool operator==(peak const&, peak const&) = default;
  };

  constexpr live_ranges() = default;
  constexpr live_ranges(dense_program const& p, dense_liveness const& live) { compute(p, live); }
  constexpr void compute(dense_program const& p, dense_liveness const& live);

  /// Returns the intervals of a blob, ascending, disjoint and not adjacent.
  constexpr std::span<range const> operator[](blob_index b) const { return rows_[b]; }
  /// Returns true if two blobs are live at a common point. O(their intervals).
  constexpr bool interfere(blob_index a, blob_index b) const;

  /// Returns the peak. An op counts twice: with the blobs live before it, and with those live after it plus all it
  /// writes.
  constexpr peak pressure() const noexcept { return peak_; }

  // ---- points
  static constexpr std::uint32_t before(dense_program const& p, op_index op) { return op + p.block(op); }
  static constexpr std::uint32_t after(dense_program const& p, op_index op) { return before(p, op) + 1; }
  static constexpr std::uint32_t start(dense_program const& p, std::uint32_t block) {
    return p.first_op(block) + block;
  }
  static constexpr std::uint32_t end(dense_program const& p, std::uint32_t block) {
    return p.first_op(block + 1) + block;
  }

 private:
  constexpr void open_range(blob_index b, std::uint32_t point);
  constexpr void close_range(blob_index b, std::uint32_t point);

  csr<range> rows_;
  peak peak_;
  std::vector<std::pair<blob_index, range>> found_;  // in reverse order
  std::vector<std::uint32_t> last_;                  // by blob: the end of its open range; npos: none
  std::vector<std::uint32_t> latest_;                // by blob: its entry in found_
  std::vector<blob_index> live_;                     // unordered
  std::vector<std::uint32_t> place_;                 // by blob: its index in live_
  std::vector<op_index> written_;                    // by blob: the last op seen to write it
};

constexpr void live_ranges::open_range(blob_index b, std::uint32_t point) {
  if (last_[b] != npos) return;
  last_[b] = point;
  place_[b] = static_cast<std::uint32_t>(live_.size());
  live_.push_back(b);
}

// Closes the open range, and merges it with the adjacent one found before.
constexpr void live_ranges::close_range(blob_index b, std::uint32_t point) {
  if (last_[b] == npos) return;
  if (latest_[b] != npos && found_[latest_[b]].second.first == last_[b] + 1) {
    found_[latest_[b]].second.first = point;
  } else {
    latest_[b] = static_cast<std::uint32_t>(found_.size());
    found_.push_back({b, {point, last_[b]}});
  }
  last_[b] = npos;
  place_[live_.back()] = place_[b];
  live_[place_[b]] = live_.back();
  live_.pop_back();
}

constexpr void live_ranges::compute(dense_program const& p, dense_liveness const& live) {
  found_.clear();
  live_.clear();
  last_.assign(p.blob_count(), npos);
  latest_.assign(p.blob_count(), npos);
  place_.assign(p.blob_count(), npos);
  written_.assign(p.blob_count(), npos);
  peak_ = {};
  // The walk is backward and takes the last of equal peaks, which is the first in the program.
  auto const consider = [this](std::size_t blobs, op_index op) {
    if (blobs != 0 && blobs >= peak_.blobs) peak_ = {blobs, op};
  };
  for (auto block = static_cast<std::uint32_t>(p.block_count()); block-- != 0;) {
    for (blob_index const b : live.live_out(block)) open_range(b, end(p, block));
    consider(live_.size(), npos);
    for (op_index op = p.first_op(block + 1); op-- != p.first_op(block);) {
      std::size_t dead = 0;
      auto const writes = p.writes(op);
      for (blob_index const b : writes)
        if (std::exchange(written_[b], op) != op && last_[b] == npos) ++dead;
      consider(live_.size() + dead, op);
      for (blob_index const b : writes) close_range(b, after(p, op));
      for (blob_index const b : p.reads(op)) open_range(b, before(p, op));
      consider(live_.size(), op);
    }
    while (!live_.empty()) close_range(live_.back(), start(p, block));
  }
  rows_.start_counting(p.blob_count());
  for (auto const& [b, r] : found_) rows_.count(b);
  rows_.end_counting();
  for (auto const& [b, r] : found_) rows_.place(b, r);
}

constexpr bool live_ranges::interfere(blob_index a, blob_index b) const {
  auto const mine = (*this)[a];
  auto const other = (*this)[b];
  for (std::size_t i = 0, j = 0; i != mine.size() && j != other.size();) {
    if (mine[i].last < other[j].first)
      ++i;
    else if (other[j].last < mine[i].first)
      ++j;
    else
      return true;
  }
  return false;
}

}  // namespace plait
