// Lets a vector grow by elements that are written right after, without writing them twice.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>  // and std::allocator and std::construct_at, in a third of the time <memory> takes

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// An allocator whose vectors leave the new elements of resize(n) as they are in memory, unspecified; all else is
/// std::allocator's. For trivially copyable types only. Constant expressions get value-initialised elements.
template <class T>
class uninitialized_allocator : public std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  constexpr uninitialized_allocator() noexcept = default;
  template <class U>
  constexpr uninitialized_allocator(uninitialized_allocator<U> const&) noexcept {}

  template <class U>
  struct rebind {
    using other = uninitialized_allocator<U>;
  };

  // Such types begin their life in memory from an allocator without being written (C++20 [intro.object], implicit
  // creation of objects).
  constexpr void construct([[maybe_unused]] T* at) noexcept {
    if (std::is_constant_evaluated()) std::construct_at(at);
  }
  template <class... Args>
    requires(sizeof...(Args) != 0)
  constexpr void construct(T* at, Args&&... args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }
};

}  // namespace plait
