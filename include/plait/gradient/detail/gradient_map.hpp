// Map from blobs to their gradients: the result of a backward pass.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/hash_index.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/string_arena.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>

namespace plait {

namespace detail {

// Lazily built hash_index, thread-safe. A copy is empty and builds its own.
class lazy_index {
 public:
  lazy_index() = default;
  lazy_index(lazy_index const&) noexcept {}
  lazy_index(lazy_index&& other) noexcept : made_(other.made_.exchange(nullptr)) {}
  lazy_index& operator=(lazy_index other) noexcept {
    made_ = other.made_.exchange(made_);
    return *this;
  }
  ~lazy_index() { delete made_.load(std::memory_order_relaxed); }

  /// Returns the index, nullptr before it is built.
  hash_index* get() noexcept { return made_.load(std::memory_order_relaxed); }
  template <class Make>
  hash_index const& get_or(Make make) const {
    hash_index* there = made_.load(std::memory_order_acquire);
    if (there != nullptr) return *there;
    auto own = std::make_unique<hash_index>(make());
    if (made_.compare_exchange_strong(there, own.get(), std::memory_order_acq_rel)) return *own.release();
    return *there;  // another thread was first
  }

 private:
  mutable std::atomic<hash_index*> made_ = nullptr;
};

}  // namespace detail

/// Map from blobs to their gradients, in insertion order: that of the blobs in the net. Compact, since a large net has
/// many entries of which few are read: names are stored as contiguous text, entries are constructed on access, by
/// value, and the first look-up builds a hash index, O(all names). Later look-ups are O(length of the name). Concurrent
/// reads are safe.
class gradient_map {
 public:
  using value_type = std::pair<std::string, blob_gradient>;  ///< blob and gradient

  /// TRAP: it returns proxies, constructed at each access; `auto& [blob, gradient] = *it` does not change the map.
  class const_iterator {
   public:
    using value_type = gradient_map::value_type;
    using reference = value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;
    using pointer = value_type const*;

    const_iterator() = default;
    reference operator*() const { return map_->entry(at_); }
    /// The pointee lives until the iterator moves.
    pointer operator->() const {
      if (!shown_) shown_ = **this;
      return &*shown_;
    }
    reference operator[](difference_type by) const { return *(*this + by); }
    const_iterator& operator+=(difference_type by) {
      at_ += static_cast<std::size_t>(by);
      shown_.reset();
      return *this;
    }
    const_iterator& operator-=(difference_type by) { return *this += -by; }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this -= 1; }
    const_iterator operator++(int) {
      const_iterator was = *this;
      ++*this;
      return was;
    }
    const_iterator operator--(int) {
      const_iterator was = *this;
      --*this;
      return was;
    }
    friend const_iterator operator+(const_iterator i, difference_type by) { return i += by; }
    friend const_iterator operator+(difference_type by, const_iterator i) { return i += by; }
    friend const_iterator operator-(const_iterator i, difference_type by) { return i -= by; }
    friend difference_type operator-(const_iterator a, const_iterator b) {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    friend bool operator==(const_iterator a, const_iterator b) { return a.at_ == b.at_; }
    friend auto operator<=>(const_iterator a, const_iterator b) { return a.at_ <=> b.at_; }

   private:
    friend class gradient_map;
    const_iterator(gradient_map const* map, std::size_t at) : map_(map), at_(at) {}
    gradient_map const* map_ = nullptr;
    std::size_t at_ = 0;
    mutable std::optional<value_type> shown_ = {};
  };

  gradient_map() = default;

  const_iterator begin() const noexcept { return {this, 0}; }
  const_iterator end() const noexcept { return {this, size()}; }
  std::size_t size() const noexcept { return places_.size(); }
  bool empty() const noexcept { return places_.empty(); }
  void reserve(std::size_t blobs) { places_.reserve(blobs); }

  const_iterator find(std::string_view blob) const {
    std::uint32_t const at = index().find(hash_text(blob), [&](std::uint32_t i) { return places_[i].blob() == blob; });
    return at == npos ? end() : begin() + static_cast<std::ptrdiff_t>(at);
  }
  bool contains(std::string_view blob) const { return find(blob) != end(); }
  /// Throws std::out_of_range if the blob has no gradient.
  blob_gradient at(std::string_view blob) const {
    auto const found = find(blob);
    if (found == end()) throw std::out_of_range("plait::gradient_map: no gradient of '" + std::string(blob) + "'");
    return found->second;
  }

  /// Adds the gradient of a blob unless it has one. Returns an iterator to the entry, and true if it was added.
  std::pair<const_iterator, bool> emplace(std::string_view blob, blob_gradient const& gradient) {
    if (auto const found = find(blob); found != end()) return {found, false};
    append(blob, gradient.values, gradient.indices);
    return {end() - 1, true};
  }
  /// Adds or replaces the gradient of a blob. The text of a replaced one is freed only with the map.
  std::pair<const_iterator, bool> insert_or_assign(std::string_view blob, blob_gradient const& gradient) {
    auto made = emplace(blob, gradient);
    if (!made.second)
      places_[static_cast<std::size_t>(made.first - begin())] = keep(blob, gradient.values, gradient.indices);
    return made;
  }
  /// Adds the gradient of a blob without a look-up. Precondition: the blob has none. `indices`: empty if dense.
  void append(std::string_view blob, std::string_view values, std::string_view indices = {}) {
    if (size() == npos) throw std::length_error("plait::gradient_map: 2^32 blobs");
    hash_index* const index = index_.get();
    if (index != nullptr) index->reserve(size() + 1);  // may throw: before any change
    places_.push_back(keep(blob, values, indices));
    if (index != nullptr) index->insert(hash_text(blob), static_cast<std::uint32_t>(size() - 1));
  }

  /// Compares as maps: the order does not matter.
  friend bool operator==(gradient_map const& a, gradient_map const& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](value_type const& entry) {
             auto const found = b.find(entry.first);
             return found != b.end() && found->second == entry.second;
           });
  }

 private:
  // Names are concatenated; the gradient's name shares the blob's as a prefix if it begins with it, as x_grad with x.
  struct place {
    char const* text;
    std::uint32_t blob_size;
    std::uint32_t values_at;
    std::uint32_t values_size;
    std::uint32_t indices_size;
    std::string_view blob() const { return {text, blob_size}; }
    std::string_view values() const { return {text + values_at, values_size}; }
    std::string_view indices() const { return {text + values_at + values_size, indices_size}; }
  };

  place keep(std::string_view blob, std::string_view values, std::string_view indices) {
    bool const goes_on = values.starts_with(blob);
    text_.assign(goes_on ? std::string_view() : blob).append(values).append(indices);
    if (text_.size() > npos) throw std::length_error("plait::gradient_map: a name of 4 GiB");
    auto const size = [](std::string_view name) { return static_cast<std::uint32_t>(name.size()); };
    return {store_.add(text_).data(), size(blob), goes_on ? 0 : size(blob), size(values), size(indices)};
  }
  value_type entry(std::size_t i) const {
    PLAIT_ASSERT(i < size(), "gradient_map: read at or behind its end");
    place const& p = places_[i];
    return {std::string(p.blob()), {std::string(p.values()), std::string(p.indices())}};
  }

  hash_index const& index() const {
    return index_.get_or([this] {
      constexpr std::size_t ahead = 16;  // prefetch distance
      std::array<std::size_t, ahead> hashes;
      hash_index made;
      made.reserve(size());
      for (std::size_t i = 0; i != size() + ahead; ++i) {
        std::size_t& hash = hashes[i % ahead];
        if (i >= ahead) made.insert(hash, static_cast<std::uint32_t>(i - ahead));
        if (i < size()) made.prefetch(hash = hash_text(places_[i].blob()));
      }
      return made;
    });
  }

  std::vector<place> places_;
  string_arena store_;
  std::string text_;  // scratch
  detail::lazy_index index_;
};

}  // namespace plait
