// Blob numbering: interns each name of a net as a small dense index, for analyses and their results.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/hash_index.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Dense index of a blob in the result of one analysis.
using blob_index = std::uint32_t;

namespace detail {

// Interning table: keys to indices, in order of first appearance. Constant evaluation cannot hash; there the keys are
// searched linearly, which is right for the handful of names in a static_assert. Small numbers, of which a static cell
// has hundreds, have a table.
template <class Key>
class key_index {
 public:
  constexpr std::size_t size() const noexcept { return keys_.size(); }
  constexpr Key const& operator[](std::size_t i) const { return keys_[i]; }

  template <class K>
  constexpr std::uint32_t find(K const& key) const {
    if (std::is_constant_evaluated()) return search(key);
    return index_.empty() ? npos : look_up(key, hash(key));
  }

  template <class K>
  constexpr std::uint32_t intern(K const& key) {
    auto const next = static_cast<std::uint32_t>(keys_.size());
    if (std::is_constant_evaluated()) {
      if (std::uint32_t const found = search(key); found != npos) return found;
      if constexpr (is_small_number) {
        if (numbers_.size() <= key) numbers_.resize(key + std::size_t{1}, npos);
        numbers_[key] = next;
      }
    } else {
      std::size_t const hashed = hash(key);
      if (index_.empty()) index_.emplace_back();
      if (std::uint32_t const found = look_up(key, hashed); found != npos) return found;
      index_.front().insert(hashed, next);
    }
    keys_.push_back(Key(key));
    return next;
  }

  constexpr void reserve(std::size_t keys) {
    keys_.reserve(keys);
    if (std::is_constant_evaluated()) return;
    if (index_.empty()) index_.emplace_back();
    index_.front().reserve(keys);
  }

  constexpr void clear() noexcept {
    keys_.clear();
    numbers_.clear();
    if (!index_.empty()) index_.front().clear();
  }

 private:
  static constexpr bool is_small_number = std::unsigned_integral<Key> && sizeof(Key) <= 2;

  template <class K>
  static std::size_t hash(K const& key) {
    if constexpr (std::is_convertible_v<K const&, std::string_view>)
      return hash_text(key);
    else
      return hash_number(std::hash<Key>()(Key(key)));
  }
  template <class K>
  std::uint32_t look_up(K const& key, std::size_t hashed) const {
    return index_.front().find(hashed, [&](std::uint32_t i) { return keys_[i] == key; });
  }
  template <class K>
  constexpr std::uint32_t search(K const& key) const {
    if constexpr (is_small_number) return key < numbers_.size() ? numbers_[key] : npos;
    for (std::size_t i = 0; i != keys_.size(); ++i)
      if (keys_[i] == key) return static_cast<std::uint32_t>(i);
    return npos;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> numbers_;  // in a constant expression, by key, if that is a small number
  std::vector<hash_index> index_;       // none or one: a constant expression has none
};

}  // namespace detail

/// Table of the blobs of a net by index. For nets with numbered names this is a view of the net, which must outlive it
/// and not move; otherwise names are hashed once each, and the keys are views into the net where name_key_t says so.
/// Keys from elsewhere (intern_key) are copied where a key is a view: their owner need not outlive the table.
template <net N>
class blob_table {
 public:
  using key_type = name_key_t<N>;

  constexpr explicit blob_table(N const& n) : net_(&n) {}
  constexpr void reset(N const& n) {
    net_ = &n;
    keys_.clear();
    kept_.clear();
  }

  /// Reserves capacity for about so many blobs: growth is most of the cost of a table that starts empty.
  constexpr void reserve(std::size_t blobs) { keys_.reserve(blobs); }
  constexpr std::size_t size() const noexcept { return keys_.size(); }
  constexpr key_type name(blob_index b) const { return keys_[b]; }
  template <class Name>
  constexpr blob_index intern(Name const& name) {
    return keys_.intern(name_key(*net_, name));
  }
  template <class Key>
  constexpr blob_index intern_key(Key const& key) {
    if constexpr (std::is_same_v<key_type, std::string_view>) {
      if (!std::is_constant_evaluated()) {
        if (blob_index const known = keys_.find(key); known != npos) return known;
        return keys_.intern(std::string_view(*kept_.emplace_back(std::make_shared<std::string const>(key))));
      }
    }
    return keys_.intern(key);
  }
  template <class Key>
  constexpr blob_index find(Key const& key) const {
    return keys_.find(key);
  }

 private:
  N const* net_;
  detail::key_index<key_type> keys_;
  // Shared ownership keeps the views of a copied table valid. Empty in constant expressions.
  std::vector<std::shared_ptr<std::string const>> kept_;
};

template <net N>
  requires has_dense_names<N>
class blob_table<N> {
  using traits = net_traits<N>;

 public:
  using key_type = std::string_view;

  constexpr explicit blob_table(N const& n) : net_(&n), own_(traits::name_count(n)) {}
  constexpr void reset(N const& n) {
    net_ = &n;
    own_ = traits::name_count(n);
    foreign_.clear();
  }

  constexpr void reserve(std::size_t) const noexcept {}
  constexpr std::size_t size() const noexcept { return own_ + foreign_.size(); }
  constexpr std::string_view name(blob_index b) const {
    return b < own_ ? std::string_view(traits::text(*net_, traits::name_at(*net_, b))) : foreign_[b - own_];
  }
  constexpr blob_index intern(name_t<N> const& name) {
    return static_cast<blob_index>(traits::name_index(*net_, name));
  }
  constexpr blob_index intern_key(std::string_view key) {
    if (blob_index const own = find(key); own != npos) return own;
    return static_cast<blob_index>(own_ + foreign_.intern(std::string(key)));
  }
  constexpr blob_index find(std::string_view key) const {
    if (std::size_t const own = traits::find_name(*net_, key); own < own_) return static_cast<blob_index>(own);
    std::uint32_t const other = foreign_.find(std::string(key));
    return other == npos ? npos : static_cast<blob_index>(own_ + other);
  }

 private:
  N const* net_;
  std::size_t own_;
  // Names that the net lacks: blobs of other nets, passed in with initial versions.
  detail::key_index<std::string> foreign_;
};

}  // namespace plait
