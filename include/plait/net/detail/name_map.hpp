// Renaming map: old names of blobs to new ones.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/hash_index.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/detail/string_arena.hpp>

namespace plait {

/// Maps names to names, in the order of insertion. Look-up is O(1). A name that is not in the map maps to itself.
class name_map {
 public:
  /// Element of the map. Its text lives as long as the map or a copy of it.
  struct entry {
    std::string_view from;
    std::string_view to;
    friend bool operator==(entry const&, entry const&) = default;
  };

  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }
  auto begin() const noexcept { return entries_.begin(); }
  auto end() const noexcept { return entries_.end(); }

  name_map() = default;
  name_map(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
    for (auto const& [from, to] : pairs) set(from, to);
  }
  template <std::ranges::input_range Pairs>
    requires(!std::same_as<std::remove_cvref_t<Pairs>, name_map>)
  explicit name_map(Pairs&& pairs) {
    for (auto const& [from, to] : pairs) set(from, to);
  }

  void reserve(std::size_t names) {
    entries_.reserve(names);
    index_.reserve(names);
  }

  /// Prefetches the memory that set and find of this name need, which is worth it some names ahead.
  void prefetch(std::string_view from) const { index_.prefetch(hash_text(from)); }

  /// Maps `from` to `to`, replacing an earlier mapping.
  void set(std::string_view from, std::string_view to) {
    std::size_t const hash = hash_text(from);
    if (std::uint32_t const found = look_up(from, hash); found != npos) {
      if (entries_[found].to != to) entries_[found].to = texts_.add(to);
      return;
    }
    if (entries_.size() == npos - std::size_t{1}) raise(std::length_error("plait::name_map: 2^32 names"));
    index_.reserve(entries_.size() + 1);  // first, for the strong guarantee
    entries_.push_back({texts_.add(from), texts_.add(to)});
    index_.insert(hash, static_cast<std::uint32_t>(entries_.size() - 1));
  }

  /// Returns the new name, or nullopt if the map has none.
  std::optional<std::string_view> find(std::string_view from) const {
    std::uint32_t const found = look_up(from, hash_text(from));
    if (found == npos) return std::nullopt;
    return entries_[found].to;
  }
  bool contains(std::string_view from) const { return look_up(from, hash_text(from)) != npos; }
  /// Returns the new name, or `from` if the map has none. The result views the map, or `from`.
  std::string_view operator[](std::string_view from) const { return find(from).value_or(from); }

  /// Returns true if both have the same entries in the same order.
  friend bool operator==(name_map const& a, name_map const& b) { return a.entries_ == b.entries_; }

 private:
  std::uint32_t look_up(std::string_view from, std::size_t hash) const {
    return index_.find(hash, [&](std::uint32_t i) { return entries_[i].from == from; });
  }

  std::vector<entry> entries_;
  hash_index index_;
  string_arena texts_;
};

/// Policy for name capture: a new name that another blob has already.
enum class name_capture {
  refuse,  ///< throw net_error, changing nothing
  merge,   ///< merge the two blobs, as the reference systems do silently
};

}  // namespace plait
