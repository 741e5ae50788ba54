// String interning: every distinct string is stored once and identified by a small dense number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/hash_index.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/detail/string_arena.hpp>

namespace plait {

/// An interned string: its number in a symbol_table. Only meaningful together with its table; symbols of different
/// tables must not be compared. The default is "no string", which differs from the empty string.
struct symbol {
  std::uint32_t id = 0;

  constexpr explicit operator bool() const noexcept { return id != 0; }
  friend constexpr bool operator==(symbol, symbol) = default;
  friend constexpr auto operator<=>(symbol, symbol) = default;
};

/// Maps strings to symbols 1, 2, 3, … in order of first appearance, and back. Text never moves during the life of the
/// table and of its copies. intern and find are O(length) amortised. A copy keeps the numbers and is independent of its
/// origin, also across threads: they share only text, which is never written twice.
class symbol_table {
 public:
  symbol_table() = default;
  symbol_table(symbol_table&& other) noexcept { swap(other); }
  symbol_table(symbol_table const&) = default;
  /// Copies `other` and reserves room for `symbols` symbols in one step, which is cheaper than growing a copy.
  symbol_table(symbol_table const& other, std::size_t symbols) : index_(other.index_, symbols), store_(other.store_) {
    texts_.reserve(symbols);
    texts_ = other.texts_;
  }
  symbol_table& operator=(symbol_table other) noexcept {
    swap(other);
    return *this;
  }
  ~symbol_table() = default;

  /// Returns one more than the largest id: the size of a side table indexed by symbol id.
  std::size_t size() const noexcept { return texts_.size() + 1; }

  /// Returns the text of a symbol; empty for "no string".
  std::string_view operator[](symbol s) const {
    PLAIT_ASSERT(s.id <= texts_.size(), "symbol_table: symbol of another table");
    return s ? texts_[s.id - 1] : std::string_view();
  }

  /// Returns the symbol of `text`, or "no string" if the table does not hold it.
  symbol find(std::string_view text) const {
    std::uint32_t const found = look_up(text, hash_text(text));
    return found == npos ? symbol{} : symbol{found + 1};
  }

  /// Prefetches the memory that find and intern of this text access; pays off when issued some texts ahead.
  void prefetch(std::string_view text) const { index_.prefetch(hash_text(text)); }

  symbol intern(std::string_view text) {
    std::size_t const hash = hash_text(text);
    if (std::uint32_t const found = look_up(text, hash); found != npos) return symbol{found + 1};
    if (texts_.size() == npos - std::size_t{1}) raise(std::length_error("plait::symbol_table: 2^32 symbols"));
    auto const number = static_cast<std::uint32_t>(texts_.size());
    index_.reserve(texts_.size() + 1);  // before any change: strong guarantee
    texts_.push_back(store_.add(text));
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
    store_.swap(other.store_);
  }

 private:
  std::uint32_t look_up(std::string_view text, std::size_t hash) const {
    return index_.find(hash, [&](std::uint32_t i) { return texts_[i] == text; });
  }

  std::vector<std::string_view> texts_;
  hash_index index_;
  string_arena store_;
};

}  // namespace plait

template <>
struct std::hash<plait::symbol> {
  std::size_t operator()(plait::symbol s) const noexcept { return std::hash<std::uint32_t>{}(s.id); }
};
