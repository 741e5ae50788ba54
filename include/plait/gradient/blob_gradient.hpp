// Where the gradients of blobs stand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/hash.hpp>
#include <plait/core/hash_index.hpp>
#include <plait/core/npos.hpp>

namespace plait {

/// The gradient of a blob, by the names of the blobs that hold it: one tensor of its shape, or, for a table of which
/// only some rows were used, these rows and their indices (a row may occur more than once; they add up).
struct blob_gradient {
  std::string values;
  std::string indices = {};  ///< empty: dense

  static blob_gradient dense(std::string_view name) { return {std::string(name), {}}; }
  static blob_gradient sparse(std::string_view indices, std::string_view values) {
    return {std::string(values), std::string(indices)};
  }
  bool is_sparse() const noexcept { return !indices.empty(); }
  friend bool operator==(blob_gradient const&, blob_gradient const&) = default;
};

/// From blobs to their gradients, in the order they were added: that of the blobs in the net. Look-ups are O(length of
/// the name).
class gradient_map {
 public:
  using value_type = std::pair<std::string, blob_gradient>;
  using const_iterator = std::vector<value_type>::const_iterator;

  gradient_map() = default;
  /// Of entries for different blobs.
  explicit gradient_map(std::vector<value_type> entries) : entries_(std::move(entries)) {
    constexpr std::size_t ahead = 16;  // memory takes that long to deliver the place of a name
    std::array<std::size_t, ahead> hashes;
    index_.reserve(size());
    for (std::size_t i = 0; i != size() + ahead; ++i) {
      std::size_t& hash = hashes[i % ahead];
      if (i >= ahead && i - ahead < size()) index_.insert(hash, static_cast<std::uint32_t>(i - ahead));
      if (i < size()) index_.prefetch(hash = hash_text(entries_[i].first));
    }
  }

  const_iterator begin() const noexcept { return entries_.begin(); }
  const_iterator end() const noexcept { return entries_.end(); }
  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }

  const_iterator find(std::string_view blob) const {
    std::uint32_t const at = index_.find(hash_text(blob), [&](std::uint32_t i) { return entries_[i].first == blob; });
    return at == npos ? end() : begin() + static_cast<std::ptrdiff_t>(at);
  }
  bool contains(std::string_view blob) const { return find(blob) != end(); }
  /// Throws std::out_of_range if the blob has no gradient.
  blob_gradient const& at(std::string_view blob) const {
    auto const found = find(blob);
    if (found == end()) throw std::out_of_range("plait::gradient_map: no gradient of '" + std::string(blob) + "'");
    return found->second;
  }

  /// Adds the gradient of a blob; what is there stays. Where it is, and whether it was added.
  std::pair<const_iterator, bool> emplace(std::string blob, blob_gradient gradient) {
    if (auto const found = find(blob); found != end()) return {found, false};
    index_.insert(hash_text(blob), static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back(std::move(blob), std::move(gradient));
    return {end() - 1, true};
  }
  /// The gradient of a blob, an empty one that is added if it has none.
  blob_gradient& operator[](std::string_view blob) {
    const_iterator const at = emplace(std::string(blob), {}).first;
    return entries_[static_cast<std::size_t>(at - begin())].second;
  }

  /// The same gradients, in whatever order.
  friend bool operator==(gradient_map const& a, gradient_map const& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](value_type const& entry) {
             auto const found = b.find(entry.first);
             return found != b.end() && found->second == entry.second;
           });
  }

 private:
  std::vector<value_type> entries_;
  hash_index index_;
};

}  // namespace plait
