// Vector of the states of a dataflow problem, contiguous for bool, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Contiguous bool objects, which, unlike those of std::vector<bool>, references and spans can refer to.
class bool_vector {
 public:
  using value_type = bool;

  constexpr bool_vector() = default;
  constexpr bool_vector(bool_vector const& other) { append(other.data(), other.size_); }
  constexpr bool_vector(bool_vector&& other) noexcept { swap(other); }
  constexpr bool_vector& operator=(bool_vector other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~bool_vector() { delete[] items_; }

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool* data() noexcept { return items_; }
  constexpr bool const* data() const noexcept { return items_; }
  constexpr bool* begin() noexcept { return items_; }
  constexpr bool* end() noexcept { return items_ + size_; }
  constexpr bool const* begin() const noexcept { return items_; }
  constexpr bool const* end() const noexcept { return items_ + size_; }
  constexpr bool& operator[](std::size_t i) { return items_[i]; }
  constexpr bool const& operator[](std::size_t i) const { return items_[i]; }

  constexpr void clear() noexcept { size_ = 0; }
  constexpr void push_back(bool item) { append(&item, 1); }
  constexpr void assign(std::size_t items, bool item) {
    make_room(items);
    std::fill_n(items_, items, item);
    size_ = items;
  }

 private:
  constexpr void append(bool const* from, std::size_t items) {
    make_room(size_ + items);
    std::copy_n(from, items, items_ + size_);
    size_ += items;
  }
  constexpr void make_room(std::size_t items) {
    if (items <= room_) return;
    std::size_t const room = std::max(items, 2 * room_);
    bool* const fresh = new bool[room]{};
    std::copy_n(items_, size_, fresh);
    delete[] std::exchange(items_, fresh);
    room_ = room;
  }
  constexpr void swap(bool_vector& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  bool* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

template <class State>
using state_vector = std::conditional_t<std::is_same_v<State, bool>, bool_vector, std::vector<State>>;

}  // namespace plait::detail
