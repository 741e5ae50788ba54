// Rows of two matrices that come a few at a time, to be multiplied many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  std::size_t count;  // of whole words of four
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

/// The sum over many runs of A'B, A and B having the same rows, is one product of all their rows: as fast as the
/// processor multiplies, while a run's few rows are as slow as the sums are read and written. What stays where it is
/// until the last is not copied, nor looked at before: it may be made later than it is told of.
template <backend B>
class collected_rows {
 public:
  /// Copies are handed over when there are so many rows.
  static constexpr std::int64_t most_copies = 256;

  collected_rows() = default;
  explicit collected_rows(bool lasting) { begin(lasting); }

  /// Rows of another sum, with none yet.
  void begin(bool lasting) {
    drop();
    begun_ = true;
    lasting_ = lasting;
  }
  /// Lets go of rows that were not handed over, and of copies. Places that were noted have room next time.
  void drop() {
    begun_ = false;
    complete_.clear();
    rows_ = 0;
    memory_ = nullptr;
  }
  bool begun() const noexcept { return begun_; }
  /// Whether nothing is copied: only where rows are is noted.
  bool lasting() const noexcept { return lasting_; }

  /// More rows, of so many bytes, which are whole words of four, as many of them in all calls.
  /// hand_over(left, right, rows) is called for copies that are complete.
  template <class HandOver>
  void add(std::int64_t rows, void const* left, std::size_t left_bytes, void const* right, std::size_t right_bytes,
           HandOver&& hand_over) {
    auto const* const l = static_cast<std::byte const*>(left);
    auto const* const r = static_cast<std::byte const*>(right);
    auto const size = static_cast<std::size_t>(rows);
    auto const have = static_cast<std::size_t>(rows_);
    if (rows >= most_copies && !lasting_) return hand_over(left, right, rows);
    if (lasting_) {
      bool const before = l + size * left_bytes == left_ && r + size * right_bytes == right_;
      bool const behind = left_ + have * left_bytes == l && right_ + have * right_bytes == r;
      if (rows_ != 0 && !before && !behind) {
        complete_.push_back({left_, right_, rows_});
        rows_ = 0;
      }
      if (rows_ == 0 || before) {
        left_ = l;
        right_ = r;
      }
      rows_ += rows;
      return;
    }
    if (rows_ + rows > most_copies) end(hand_over);
    if (memory_ == nullptr)
      memory_ = pooled_memory<B>(static_cast<std::size_t>(most_copies) * (left_bytes + right_bytes));
    auto* const to = static_cast<std::byte*>(memory_.get());
    left_ = to;
    right_ = to + static_cast<std::size_t>(most_copies) * left_bytes;
    auto const at = static_cast<std::size_t>(rows_);
    copy_both({l, to + at * left_bytes, size * left_bytes},
              {r, to + static_cast<std::size_t>(most_copies) * left_bytes + at * right_bytes, size * right_bytes});
    rows_ += rows;
  }
  /// Hands over what is left.
  template <class HandOver>
  void end(HandOver&& hand_over) {
    for (matrices const& m : complete_)
      hand_over(static_cast<void const*>(m.left), static_cast<void const*>(m.right), m.rows);
    complete_.clear();
    if (rows_ != 0) hand_over(static_cast<void const*>(left_), static_cast<void const*>(right_), rows_);
    rows_ = 0;
  }

 private:
  struct matrices {
    std::byte const* left;
    std::byte const* right;
    std::int64_t rows;
  };

  // On a device, where a small copy takes no longer than two at once, by one kernel.
  static void copy_both(detail::bytes_to const& left, detail::bytes_to const& right) {
    if constexpr (B::on_device) {
      PLAIT_ASSERT((left.count | right.count) % sizeof(std::uint32_t) == 0, "collected_rows: half a word");
      for_each_index<B>((left.count + right.count) / sizeof(std::uint32_t), detail::copy_two{left, right});
    } else {
      B::copy(left.to, left.from, left.count);
      B::copy(right.to, right.from, right.count);
    }
  }

  bool begun_ = false;
  bool lasting_ = false;
  std::vector<matrices> complete_;  // of rows that last
  std::int64_t rows_ = 0;
  std::byte const* left_ = nullptr;
  std::byte const* right_ = nullptr;
  std::shared_ptr<void> memory_;
};

}  // namespace plait

PLAIT_KERNELS_END
