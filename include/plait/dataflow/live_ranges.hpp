// Where each blob is live, as intervals of one line of points, and how many are at once.
//
//   plait::liveness const live(f);
//   plait::live_ranges const ranges(live.snapshot().code(), live.dense());
//   for (auto [first, last] : ranges[live.snapshot().find(name)]) …
//   ranges.pressure().blobs
//
// Blocks stand one after the other by number (reverse postorder); a block of n ops has n + 1 points, one before each op
// and one at its end. Two blobs whose ranges share no point can share a place, as linear scans and memory plans need it
// (M. Poletto, V. Sarkar, "Linear Scan Register Allocation", TOPLAS 21(5), 1999, pp. 895–913), ranges with holes as in
// O. Traub, G. Holloway, M. D. Smith, "Quality and Speed in Linear-scan Register Allocation" (PLDI 1998, pp. 142–151);
// save for a blob that is written and never read: it is live nowhere, but its place is taken when it is written, which
// the pressure counts. O(operands + sizes of all live-out sets) time and space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/detail/dense_liveness.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// The ranges of all blobs of a program, by number. A value of its own; computing again keeps the memory.
class live_ranges {
 public:
  /// The points from `first` to `last`, both included.
  struct range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    friend constexpr bool operator==(range const&, range const&) = default;
  };
  /// The most blobs that hold something at once.
  struct peak {
    std::size_t blobs = 0;
    op_index op = npos;  ///< the first op during which they do; npos: at the end of a block, or nowhere
    friend constexpr bool operator==(peak const&, peak const&) = default;
  };

  constexpr live_ranges() = default;
  constexpr live_ranges(dense_program const& p, dense_liveness const& live) { compute(p, live); }
  constexpr void compute(dense_program const& p, dense_liveness const& live);

  /// Ascending; no two of them meet.
  constexpr std::span<range const> operator[](blob_index b) const { return rows_[b]; }
  /// Whether two blobs are live at one point. O(their ranges).
  constexpr bool interfere(blob_index a, blob_index b) const;

  /// An op is counted with what is live after it and all it writes, and with what is live before it.
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
  std::vector<std::pair<blob_index, range>> found_;  // back to front
  std::vector<std::uint32_t> last_;                  // by blob: where the range ends that is being found; npos: none
  std::vector<std::uint32_t> latest_;                // by blob: its entry in found_
  std::vector<blob_index> live_;                     // in no order
  std::vector<std::uint32_t> place_;                 // by blob: where it is in live_
  std::vector<op_index> written_;                    // by blob: the last op found to write it
};

constexpr void live_ranges::open_range(blob_index b, std::uint32_t point) {
  if (last_[b] != npos) return;
  last_[b] = point;
  place_[b] = static_cast<std::uint32_t>(live_.size());
  live_.push_back(b);
}

// A range that meets the one found before it is made one with it.
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
  // From the back, so that of equal peaks the first is found last.
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
