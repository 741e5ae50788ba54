// Interned names: every distinct string once, known by a small dense number.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/hash.hpp>
#include <plait/core/hash_index.hpp>

namespace plait {

/// A string in a symbol_table. Only meaningful together with its table; symbols of different tables must not be
/// compared. The default is "no string", which differs from the empty string.
struct symbol {
  std::uint32_t id = 0;

  constexpr explicit operator bool() const noexcept { return id != 0; }
  friend constexpr auto operator<=>(symbol, symbol) = default;
};

/// Maps strings to symbols 1, 2, 3, … in order of first appearance, and back. Text stays where it is for the life of
/// the table. intern and find are O(length) amortised; a copy is independent of its origin and keeps the numbers.
class symbol_table {
 public:
  symbol_table() = default;
  symbol_table(symbol_table&& other) noexcept { swap(other); }
  symbol_table(symbol_table const& other) : index_(other.index_), bytes_(other.bytes_) {
    texts_.reserve(other.texts_.size());
    if (bytes_ != 0) add_chunk(bytes_);
    char const* from = nullptr;  // texts made one after the other stand so: they are copied together
    char* to = free_;
    for (std::string_view text : other.texts_) {
      if (!text.empty() && text.data() != from + (free_ - to)) {
        if (from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(free_ - to));
        from = text.data();
        to = free_;
      }
      texts_.emplace_back(text.empty() ? "" : free_, text.size());
      free_ += text.size();
    }
    if (from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(free_ - to));
    left_ = 0;
  }
  symbol_table& operator=(symbol_table other) noexcept {
    swap(other);
    return *this;
  }
  ~symbol_table() = default;

  /// One more than the largest id: the size of a side table indexed by symbol id.
  std::size_t size() const noexcept { return texts_.size() + 1; }

  /// Text of a symbol; empty for "no string".
  std::string_view operator[](symbol s) const {
    PLAIT_ASSERT(s.id <= texts_.size(), "symbol_table: symbol of another table");
    return s ? texts_[s.id - 1] : std::string_view();
  }

  /// The symbol of `text`, or "no string" when the table does not hold it.
  symbol find(std::string_view text) const {
    std::uint32_t const found = look_up(text, hash_text(text));
    return found == npos ? symbol{} : symbol{found + 1};
  }

  /// Asks for the memory that find and intern of this text need, which is worth it some texts ahead.
  void prefetch(std::string_view text) const { index_.prefetch(hash_text(text)); }

  symbol intern(std::string_view text) {
    std::size_t const hash = hash_text(text);
    if (std::uint32_t const found = look_up(text, hash); found != npos) return symbol{found + 1};
    if (texts_.size() == npos - std::size_t{1}) throw std::length_error("plait::symbol_table: 2^32 symbols");
    auto const number = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(store(text));
    index_.insert(hash, number);
    return symbol{number + 1};
  }

  void reserve(std::size_t symbols) {
    texts_.reserve(symbols);
    index_.reserve(symbols);
  }

  void swap(symbol_table& other) noexcept {
    texts_.swap(other.texts_);
    std::swap(index_, other.index_);
    chunks_.swap(other.chunks_);
    std::swap(free_, other.free_);
    std::swap(left_, other.left_);
    std::swap(bytes_, other.bytes_);
  }

 private:
  std::uint32_t look_up(std::string_view text, std::size_t hash) const {
    return index_.find(hash, [&](std::uint32_t i) { return texts_[i] == text; });
  }

  void add_chunk(std::size_t size) {
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = chunks_.back().get();
    left_ = size;
  }

  std::string_view store(std::string_view text) {
    if (text.empty()) return std::string_view("", 0);
    if (text.size() > left_) {
      // Doubling from 64 bytes keeps the many tiny tables of nested nets tiny; 1 MiB bounds what a large one wastes.
      add_chunk(std::max(text.size(), std::size_t{64} << std::min<std::size_t>(chunks_.size(), 14)));
    }
    std::memcpy(free_, text.data(), text.size());
    std::string_view const stored(free_, text.size());
    free_ += text.size();
    left_ -= text.size();
    bytes_ += text.size();
    return stored;
  }

  std::vector<std::string_view> texts_;
  hash_index index_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;  // of all texts
};

}  // namespace plait

template <>
struct std::hash<plait::symbol> {
  std::size_t operator()(plait::symbol s) const noexcept { return std::hash<std::uint32_t>{}(s.id); }
};
