// Small-buffer-optimised vector: up to N trivial items are stored inline. Holds the operands of an op.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/core/detail/raise.hpp>

namespace plait {

/// A vector of trivial T that stores up to N of them inline, with four bytes of bookkeeping: a
/// boost::container::small_vector of as many symbols is twice the size, and the size determines the speed of a loop
/// over a million ops. The size alone decides whether the items are inline, so there is no reserve(): N or fewer always
/// are. At most 2^32 - 1 items. Every change of the size invalidates iterators.
template <class T, std::uint32_t N>
class small_vector {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::uint32_t));
  static_assert(N * sizeof(T) >= sizeof(void*));

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = T const*;

  small_vector() noexcept = default;
  small_vector(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
  small_vector(small_vector const& other) { assign(other.begin(), other.end()); }
  small_vector(small_vector&& other) noexcept { steal(other); }
  small_vector& operator=(small_vector const& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  small_vector& operator=(small_vector&& other) noexcept {
    if (this != &other) {
      clear();
      steal(other);
    }
    return *this;
  }
  ~small_vector() { clear(); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return is_inline(size_) ? inline_items() : items_of(block()); }
  T const* data() const noexcept { return const_cast<small_vector*>(this)->data(); }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  T const* begin() const noexcept { return data(); }
  T const* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) {
    PLAIT_ASSERT(i < size_, "small_vector: index out of range");
    return data()[i];
  }
  T const& operator[](std::size_t i) const {
    PLAIT_ASSERT(i < size_, "small_vector: index out of range");
    return data()[i];
  }
  T& front() { return (*this)[0]; }
  T const& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - std::size_t{1}]; }
  T const& back() const { return (*this)[size_ - std::size_t{1}]; }

  void push_back(T item) { resize(size_ + std::size_t{1}, item); }
  T& emplace_back(T item = T()) {
    push_back(item);
    return back();
  }
  void resize(std::size_t items, T filler = T()) {
    std::uint32_t const before = size_;
    resize_raw(items);
    if (items > before) std::fill(data() + before, data() + items, filler);
  }
  /// Precondition: the items are not in this vector.
  template <std::forward_iterator It>
  void assign(It first, It last) {
    resize_raw(static_cast<std::size_t>(std::distance(first, last)));
    std::copy(first, last, data());
  }
  T* erase(T const* first, T const* last) {
    std::ptrdiff_t const at = first - data();
    std::copy(last, static_cast<T const*>(end()), data() + at);
    resize_raw(size_ - static_cast<std::size_t>(last - first));
    return data() + at;
  }
  T* erase(T const* at) { return erase(at, at + 1); }
  void clear() noexcept { resize_raw(0); }

  friend bool operator==(small_vector const& a, small_vector const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Items that are not inline are on the heap, behind their capacity.
  static bool is_inline(std::size_t items) noexcept { return items <= N; }
  static T* items_of(std::uint32_t* block) noexcept { return reinterpret_cast<T*>(block + 1); }
  static std::uint32_t* new_block(std::size_t capacity) {
    auto* const block = static_cast<std::uint32_t*>(::operator new(sizeof(std::uint32_t) + capacity * sizeof(T)));
    *block = static_cast<std::uint32_t>(capacity);
    return block;
  }

  T* inline_items() noexcept { return reinterpret_cast<T*>(bytes_); }
  // The pointer is copied with memcpy: it need not be aligned.
  std::uint32_t* block() const noexcept {
    std::uint32_t* at;
    std::memcpy(&at, bytes_, sizeof at);
    return at;
  }
  void set_block(std::uint32_t* at) noexcept { std::memcpy(bytes_, &at, sizeof at); }

  // Keeps the items common to both sizes; new ones are uninitialised.
  void resize_raw(std::size_t items) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (items > most) raise(std::length_error("plait::small_vector: 2^32 items"));
    if (is_inline(items)) {
      if (!is_inline(size_)) {
        std::uint32_t* const old = block();
        std::copy_n(items_of(old), items, inline_items());
        ::operator delete(old);
      }
    } else if (is_inline(size_) || items > *block()) {
      std::uint32_t* const fresh = new_block(std::min(most, std::max(items, std::size_t{2} * size_)));
      std::copy_n(data(), std::min<std::size_t>(items, size_), items_of(fresh));
      if (!is_inline(size_)) ::operator delete(block());
      set_block(fresh);
    }
    size_ = static_cast<std::uint32_t>(items);
  }
  void steal(small_vector& other) noexcept {
    size_ = other.size_;
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    other.size_ = 0;
  }

  std::uint32_t size_ = 0;
  alignas(std::uint32_t) unsigned char bytes_[N * sizeof(T)];  // the inline items, or the address of the heap block
};

}  // namespace plait
