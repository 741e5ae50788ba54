// Rows of two matrices that come a few at a time, to be multiplied many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/memory_pool.hpp>

namespace plait {

/// The sum over many runs of A'B, A and B having the same rows, is one product of all their rows: as fast as the
/// processor multiplies, while a run's few rows are as slow as the sums are read and written. What stays where it is
/// until the last is not copied, nor looked at before: it may be made later than it is told of.
template <backend B>
class collected_rows {
 public:
  /// Copies are handed over when there are so many rows.
  static constexpr std::int64_t most_copies = 256;

  explicit collected_rows(bool lasting) : lasting_(lasting) {}

  /// Whether nothing is copied: only where rows are is noted.
  bool lasting() const noexcept { return lasting_; }

  /// More rows, of so many bytes, as many of them in all calls. hand_over(left, right, rows) is called for copies that
  /// are complete.
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
    B::copy(to + at * left_bytes, l, size * left_bytes);
    B::copy(to + static_cast<std::size_t>(most_copies) * left_bytes + at * right_bytes, r, size * right_bytes);
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

  bool lasting_;
  std::vector<matrices> complete_;  // of rows that last
  std::int64_t rows_ = 0;
  std::byte const* left_ = nullptr;
  std::byte const* right_ = nullptr;
  std::shared_ptr<void> memory_;
};

}  // namespace plait
