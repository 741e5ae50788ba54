// Old names of blobs and their new ones.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace plait {

/// From names to names, in the order of insertion. Look-up is O(1). A name that is not in the map stays as it is.
class name_map {
 public:
  /// What walking the map yields.
  struct entry {
    std::string from;
    std::string to;
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
  name_map(name_map&&) = default;
  name_map(name_map const& other) { *this = other; }
  name_map& operator=(name_map&&) = default;
  name_map& operator=(name_map const& other) {
    if (this == &other) return *this;
    name_map copy;
    for (entry const& e : other) copy.set(e.from, e.to);
    return *this = std::move(copy);
  }
  ~name_map() = default;

  /// Maps `from` to `to`, instead of what it was mapped to before.
  void set(std::string_view from, std::string_view to) {
    if (auto const found = index_.find(from); found != index_.end()) {
      entries_[found->second].to = to;
      return;
    }
    entries_.push_back({std::string(from), std::string(to)});
    index_.emplace(entries_.back().from, entries_.size() - 1);
  }

  /// The new name, nothing if the map does not have one.
  std::optional<std::string_view> find(std::string_view from) const {
    auto const found = index_.find(from);
    if (found == index_.end()) return std::nullopt;
    return entries_[found->second].to;
  }
  bool contains(std::string_view from) const { return index_.contains(from); }
  /// The name as it is afterwards. Views the map, or `from`.
  std::string_view operator[](std::string_view from) const { return find(from).value_or(from); }

  /// Same entries in the same order.
  friend bool operator==(name_map const& a, name_map const& b) { return a.entries_ == b.entries_; }

 private:
  std::deque<entry> entries_;  // does not move its elements: the index views them
  boost::unordered_flat_map<std::string_view, std::size_t> index_;
};

/// What to do where a new name would be the name of two blobs.
enum class name_capture {
  refuse,  ///< throw net_error, changing nothing
  merge,   ///< let the two become one, as the reference systems do without saying so
};

}  // namespace plait
