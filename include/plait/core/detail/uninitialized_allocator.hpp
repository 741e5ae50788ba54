// Default-initialising allocator: a vector grows without zeroing elements that are overwritten right after.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>  // and std::allocator and std::construct_at, in a third of the time <memory> takes

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// An allocator whose vectors leave the new elements of resize(n) uninitialised, that is, unspecified; otherwise like
/// std::allocator. For trivially copyable types only. In place of boost::container::default_init, which is not
/// constexpr. In constant expressions elements are value-initialised.
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

  // Implicit-lifetime types: their lifetime begins in allocated memory without a write (C++20 [intro.object], implicit
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
