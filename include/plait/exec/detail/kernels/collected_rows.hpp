// Deferred product over a loop: collects the rows of two matrices from many runs, to multiply them as one block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

struct bytes_to {
  std::byte const* from;
  std::byte* to;
  std::size_t count;  // bytes, a multiple of four
};
struct copy_two {
  bytes_to a;
  bytes_to b;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const in_a = a.count / sizeof(std::uint32_t);
    bytes_to const& each = i < in_a ? a : b;
    std::size_t const at = (i < in_a ? i : i - in_a) * sizeof(std::uint32_t);
    *reinterpret_cast<std::uint32_t*>(each.to + at) = *reinterpret_cast<std::uint32_t const*>(each.from + at);
  }
};

}  // namespace detail

/// Collects the rows of two matrices, equally many in each run, for their product A'B accumulated over all runs. One
/// product of the rows of many runs is bound by arithmetic; a product of a run's few rows is bound by loads and stores
/// of the sums. Blocks of runs, and the order of rows in a block, depend on the number of rows and the direction only,
/// so the bits of sums do not depend on the addresses of operands.
template <backend B>
class collected_rows {
 public:
  /// Rows of a block, unless one run has more: the depth that GEMM multiplies at once, so that blocking costs nothing.
  static constexpr std::size_t block_rows = 512;

  struct run_rows {
    std::size_t rows;  ///< rows of a run
    std::size_t left_bytes;
    std::size_t right_bytes;  ///< bytes per row, as left_bytes; multiples of four on devices
  };

  /// Begins a series of runs. `lasting`: rows persist until end(), so they are copied only where they do not form a
  /// matrix, and may be computed after they are added. `backward`: rows of later runs precede in memory, as in a
  /// sequence processed in reverse.
  void begin(run_rows const& of, bool lasting, bool backward) {
    drop();
    of_ = of;
    lasting_ = lasting;
    backward_ = backward;
    begun_ = true;
    block_ = of.rows == 0 ? 0 : std::max<std::size_t>(1, block_rows / of.rows);
  }
  /// Ends a series and discards the remaining rows. Keeps memory for the next series.
  void drop() noexcept {
    begun_ = false;
    places_.clear();
    copied_ = 0;
  }
  bool begun() const noexcept { return begun_; }

  /// Adds the rows of a run. Calls consume(left, right, rows) for each complete block, unless rows are lasting.
  template <class Consume>
  void add(void const* left, void const* right, Consume&& consume) {
    if (of_.rows == 0) return;
    place const run{static_cast<std::byte const*>(left), static_cast<std::byte const*>(right)};
    if (lasting_) return places_.push_back(run);
    if (block_ == 1) return consume(left, right, of_.rows);
    copy(run, backward_ ? block_ - 1 - copied_ : copied_);
    if (++copied_ == block_) pass_copies(consume);
  }
  /// Calls consume for the remaining rows, and releases memory.
  template <class Consume>
  void end(Consume&& consume) {
    for (std::size_t first = 0; first < places_.size(); first += block_) {
      std::span<place const> const runs = std::span(places_).subspan(first, std::min(block_, places_.size() - first));
      if (is_matrix(runs)) {
        place const& front = backward_ ? runs.back() : runs.front();
        consume(static_cast<void const*>(front.left), static_cast<void const*>(front.right), runs.size() * of_.rows);
        continue;
      }
      for (place const& run : runs) {
        copy(run, backward_ ? block_ - 1 - copied_ : copied_);
        ++copied_;
      }
      pass_copies(consume);
    }
    if (copied_ != 0) pass_copies(consume);
    places_.clear();
    memory_ = nullptr;
  }

 private:
  struct place {
    std::byte const* left;
    std::byte const* right;
  };

  bool is_matrix(std::span<place const> runs) const {
    for (std::size_t i = 1; i != runs.size(); ++i) {
      place const& low = runs[backward_ ? i : i - 1];
      place const& high = runs[backward_ ? i - 1 : i];
      if (low.left + of_.rows * of_.left_bytes != high.left || low.right + of_.rows * of_.right_bytes != high.right)
        return false;
    }
    return true;
  }
  std::byte* right_copies() const {
    return static_cast<std::byte*>(memory_.get()) + block_ * of_.rows * of_.left_bytes;
  }
  void copy(place const& run, std::size_t to) {
    std::size_t const left = of_.rows * of_.left_bytes, right = of_.rows * of_.right_bytes;
    if (memory_ == nullptr) memory_ = pooled_memory<B>(block_ * (left + right));
    // The type is named because nvcc's host pass rejects braced lists as arguments here.
    copy_both(detail::bytes_to{run.left, static_cast<std::byte*>(memory_.get()) + to * left, left},
              detail::bytes_to{run.right, right_copies() + to * right, right});
  }
  template <class Consume>
  void pass_copies(Consume&& consume) {
    std::size_t const first = backward_ ? (block_ - copied_) * of_.rows : 0;
    std::size_t const rows = std::exchange(copied_, 0) * of_.rows;
    consume(static_cast<void const*>(static_cast<std::byte const*>(memory_.get()) + first * of_.left_bytes),
            static_cast<void const*>(right_copies() + first * of_.right_bytes), rows);
  }

  // Launches one kernel for both copies on a device, where two small copies at once take no longer than one.
  static void copy_both(detail::bytes_to const& left, detail::bytes_to const& right) {
    if constexpr (B::on_device) {
      PLAIT_ASSERT((left.count | right.count) % sizeof(std::uint32_t) == 0, "collected_rows: half a word");
      for_each_index<B>((left.count + right.count) / sizeof(std::uint32_t), detail::copy_two{left, right});
    } else {
      B::copy(left.to, left.from, left.count);
      B::copy(right.to, right.from, right.count);
    }
  }

  run_rows of_ = {};
  bool begun_ = false;
  bool lasting_ = false;
  bool backward_ = false;
  std::size_t block_ = 0;      // runs
  std::vector<place> places_;  // of lasting runs
  std::size_t copied_ = 0;     // runs
  std::shared_ptr<void> memory_;
};

}  // namespace plait

PLAIT_KERNELS_END
