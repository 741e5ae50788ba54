// Adding the elements of one tensor to those of another, where they stand.
#pragma once

#include <cstddef>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct accumulated_element {
  T* to;
  T const* from;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] += from[i]; }
};

}  // namespace detail

/// to[i] += from[i] for all of `count` elements. The two are the same memory or stand apart.
template <backend B, class T>
void accumulate(T* to, T const* from, std::size_t count) {
  for_each_index<B>(count, detail::accumulated_element<T>{to, from});
}

/// The same of elements of a type; false if that is neither float nor double, and nothing is done.
template <backend B>
bool accumulate(element_type type, void* to, void const* from, std::size_t count) {
  return visit_type<float, double>(
      type, [&]<class T>(T) { accumulate<B>(static_cast<T*>(to), static_cast<T const*>(from), count); });
}

}  // namespace plait

PLAIT_KERNELS_END
