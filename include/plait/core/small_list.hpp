// A short list that lives inside its owner: the operands of an op.
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

namespace plait {

/// A vector of trivial T that holds up to N of them without allocating, like boost::container::small_vector but with
/// eight bytes of bookkeeping for its twenty-four: with it the operands of an op fit one cache line together, and
/// walking a million ops takes half as long. At most 2^32 - 1 items. Growing invalidates iterators.
template <class T, std::uint32_t N>
class small_list {
  static_assert(std::is_trivially_copyable_v<T> && N * sizeof(T) >= sizeof(T*));

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = T const*;

  small_list() noexcept {}
  small_list(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
  small_list(small_list const& other) { assign(other.begin(), other.end()); }
  small_list(small_list&& other) noexcept { steal(other); }
  small_list& operator=(small_list const& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  small_list& operator=(small_list&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~small_list() { release(); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return capacity_ == N ? here_ : elsewhere_; }
  T const* data() const noexcept { return capacity_ == N ? here_ : elsewhere_; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  T const* begin() const noexcept { return data(); }
  T const* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) {
    PLAIT_ASSERT(i < size_, "small_list: index out of range");
    return data()[i];
  }
  T const& operator[](std::size_t i) const {
    PLAIT_ASSERT(i < size_, "small_list: index out of range");
    return data()[i];
  }
  T& front() { return (*this)[0]; }
  T const& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - std::size_t{1}]; }
  T const& back() const { return (*this)[size_ - std::size_t{1}]; }

  void push_back(T item) {
    if (size_ == capacity_) grow(size_ + std::size_t{1});
    data()[size_++] = item;
  }
  T& emplace_back(T item = T()) {
    push_back(item);
    return back();
  }
  void reserve(std::size_t items) {
    if (items > capacity_) grow(items);
  }
  void resize(std::size_t items, T filler = T()) {
    reserve(items);
    if (items > size_) std::fill(data() + size_, data() + items, filler);
    size_ = static_cast<std::uint32_t>(items);
  }
  template <std::forward_iterator It>
  void assign(It first, It last) {
    auto const items = static_cast<std::size_t>(std::distance(first, last));
    size_ = 0;
    reserve(items);
    std::copy(first, last, data());
    size_ = static_cast<std::uint32_t>(items);
  }
  T* erase(T const* first, T const* last) {
    T* const at = data() + (first - data());
    std::copy(last, static_cast<T const*>(end()), at);
    size_ -= static_cast<std::uint32_t>(last - first);
    return at;
  }
  T* erase(T const* at) { return erase(at, at + 1); }
  void clear() noexcept { size_ = 0; }

  friend bool operator==(small_list const& a, small_list const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void grow(std::size_t wanted) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (wanted > most) throw std::length_error("plait::small_list: 2^32 items");
    std::size_t const room = std::min(most, std::max(wanted, std::size_t{2} * capacity_));
    T* const fresh = static_cast<T*>(::operator new(room * sizeof(T)));
    std::copy(begin(), end(), fresh);
    std::uint32_t const kept = size_;
    release();
    elsewhere_ = fresh;
    size_ = kept;
    capacity_ = static_cast<std::uint32_t>(room);
  }
  void release() noexcept {
    if (capacity_ != N) ::operator delete(elsewhere_);
    size_ = 0;
    capacity_ = N;
  }
  void steal(small_list& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    if (capacity_ == N)
      std::copy(other.here_, other.here_ + size_, here_);
    else
      elsewhere_ = other.elsewhere_;
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;  // N: the items are here
  union {
    T here_[N];
    T* elsewhere_;
  };
};

}  // namespace plait
