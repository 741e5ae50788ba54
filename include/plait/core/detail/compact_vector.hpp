// Pointer-sized vector: for members that are mostly empty or rarely iterated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/box.hpp>
#include <plait/core/detail/raise.hpp>

namespace plait {

/// A std::vector behind a pointer: 8 bytes, where those of Boost.Container have 24; no allocation before the first
/// item. Copies are deep.
template <class T>
class compact_vector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = T const*;

  compact_vector() = default;
  compact_vector(std::initializer_list<T> items) : compact_vector(std::vector<T>(items)) {}
  compact_vector(std::vector<T> items) {
    if (!items.empty()) items_ = std::move(items);
  }

  std::size_t size() const noexcept { return items_ ? items_->size() : 0; }
  bool empty() const noexcept { return size() == 0; }
  T* begin() noexcept { return items_ ? items_->data() : nullptr; }
  T* end() noexcept { return begin() + size(); }
  T const* begin() const noexcept { return items_ ? items_->data() : nullptr; }
  T const* end() const noexcept { return begin() + size(); }
  T& operator[](std::size_t i) {
    PLAIT_ASSERT(i < size(), "compact_vector: index out of range");
    return begin()[i];
  }
  T const& operator[](std::size_t i) const {
    PLAIT_ASSERT(i < size(), "compact_vector: index out of range");
    return begin()[i];
  }
  /// Throws std::out_of_range.
  T& at(std::size_t i) { return const_cast<T&>(std::as_const(*this).at(i)); }
  T const& at(std::size_t i) const {
    if (i >= size()) raise(std::out_of_range("plait::compact_vector::at"));
    return begin()[i];
  }
  T& front() { return (*this)[0]; }
  T const& front() const { return (*this)[0]; }
  T& back() { return (*this)[size() - 1]; }
  T const& back() const { return (*this)[size() - 1]; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    return made().emplace_back(std::forward<Args>(args)...);
  }
  void push_back(T item) { made().push_back(std::move(item)); }
  void reserve(std::size_t items) {
    if (items != 0) made().reserve(items);
  }
  void resize(std::size_t items) {
    if (items != size()) made().resize(items);
  }
  T* erase(T const* first, T const* last) {
    std::ptrdiff_t const at = first - begin();
    if (first != last) items_->erase(items_->begin() + at, items_->begin() + (last - begin()));
    return begin() + at;
  }
  T* erase(T const* at) { return erase(at, at + 1); }
  void clear() noexcept { items_.reset(); }

  friend bool operator==(compact_vector const& a, compact_vector const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  template <class Predicate>
  friend std::size_t erase_if(compact_vector& list, Predicate wanted) {
    return list.items_ ? std::erase_if(*list.items_, wanted) : 0;
  }

 private:
  std::vector<T>& made() { return items_ ? *items_ : items_.emplace(); }

  box<std::vector<T>> items_;
};

}  // namespace plait
