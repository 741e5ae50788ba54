// Fill: sets all elements to one value.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct filled_element {
  T* to;
  T value;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] = value; }
};

// Byte stores may alias anything, even the loop's own bounds, which are then reloaded for each: no compiler vectorises
// such a loop.
struct fill_of_bytes {
  void* to;
  unsigned char value;
  void operator()(std::size_t first, std::size_t last) const {
    std::memset(static_cast<unsigned char*>(to) + first, value, last - first);
  }
};

}  // namespace detail

/// Sets to[i] = value for i below `count`.
template <backend B, class T>
void fill(T* to, std::size_t count, T value) {
  if constexpr (!B::on_device && sizeof(T) == 1)
    for_each_tile<B>(count, tile_size, detail::fill_of_bytes{to, std::bit_cast<unsigned char>(value)});
  else
    for_each_index<B>(count, detail::filled_element<T>{to, value});
}

}  // namespace plait

PLAIT_KERNELS_END
