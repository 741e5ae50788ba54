// One value for all elements.
#pragma once

#include <cstddef>

#include <plait/exec/kernels/for_each.hpp>

namespace plait {

namespace detail {

template <class T>
struct filled_element {
  T* to;
  T value;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] = value; }
};

}  // namespace detail

/// to[i] = value for all of `count` elements.
template <backend B, class T>
void fill(T* to, std::size_t count, T value) {
  for_each_index<B>(count, detail::filled_element<T>{to, value});
}

}  // namespace plait
