// String arena: append-only storage of text with stable addresses. Tables of names point into it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Keeps copies of strings at stable addresses: they do not move when more are added, when the arena is moved, or when
/// it is copied. A copy shares the existing chunks and is independent otherwise, also across threads, as no text is
/// written twice. Adding is O(length); a copy is O(1) per MiB of text. A chunk is freed with the last arena that shares
/// it.
class string_arena {
 public:
  string_arena() = default;
  string_arena(string_arena&& other) noexcept { swap(other); }
  string_arena(string_arena const& other) : chunks_(other.chunks_) {}
  string_arena& operator=(string_arena other) noexcept {
    swap(other);
    return *this;
  }
  ~string_arena() = default;

  /// Returns the stored copy of `text`. Strong guarantee.
  std::string_view add(std::string_view text) {
    std::size_t const needed = text.size();
    if (needed == 0) return std::string_view("", 0);
    if (needed > left_) {
      // Doubling from 64 bytes keeps the many tiny tables of nested nets tiny; 1 MiB bounds the waste of a large one.
      std::size_t const size = std::max(needed, std::size_t{64} << std::min<std::size_t>(own_chunks_, 14));
      chunks_.push_back(std::make_shared_for_overwrite<char[]>(size));
      free_ = chunks_.back().get();
      left_ = size;
      ++own_chunks_;
    }
    std::memcpy(free_, text.data(), needed);
    std::string_view const kept(free_, needed);
    free_ += needed;
    left_ -= needed;
    return kept;
  }

  void swap(string_arena& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(free_, other.free_);
    std::swap(left_, other.left_);
    std::swap(own_chunks_, other.own_chunks_);
  }

 private:
  std::vector<std::shared_ptr<char[]>> chunks_;  // only the arena that allocated the last one appends to it
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t own_chunks_ = 0;
};

}  // namespace plait
