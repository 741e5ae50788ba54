// Accumulation: adds the elements of one tensor to those of another, in place.
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

/// Computes to[i] += from[i] for i below `count`. The two are the same memory or do not overlap.
template <backend B, class T>
void accumulate(T* to, T const* from, std::size_t count) {
  for_each_index<B>(count, detail::accumulated_element<T>{to, from});
}

/// Dispatches on the element type. Returns false, and does nothing, unless it is float or double.
template <backend B>
bool accumulate(element_type type, void* to, void const* from, std::size_t count) {
  return visit_type<float, double>(
      type, [&]<class T>(T) { accumulate<B>(static_cast<T*>(to), static_cast<T const*>(from), count); });
}

}  // namespace plait

PLAIT_KERNELS_END
