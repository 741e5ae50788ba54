// Text that stays where it is: what tables of names point into.
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

/// Keeps copies of strings, which never move: not when more are added, not with the store, and not for a copy of the
/// store, which shares what is there and is independent otherwise, also in other threads, as no text is written twice.
/// Adding is O(length); a copy is O(1) for each MiB of text. Nothing is given back before the last store that shares it
/// goes.
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

  /// The text as it is kept. Strong guarantee.
  std::string_view add(std::string_view text) {
    std::size_t const needed = text.size();
    if (needed == 0) return std::string_view("", 0);
    if (needed > left_) {
      // Doubling from 64 bytes keeps the many tiny tables of nested nets tiny; 1 MiB bounds what a large one wastes.
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
  std::vector<std::shared_ptr<char[]>> chunks_;  // the last one goes on being filled by the store that made it only
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t own_chunks_ = 0;
};

}  // namespace plait
