// Upload of a few scalars from the host to a backend's memory.
#pragma once

#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct number_list {
  static constexpr std::size_t most = 256 / sizeof(T);
  T* to;
  T numbers[most];
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] = numbers[i]; }
};

}  // namespace detail

/// Sets to[i] = from[i] for i below count. To a device they go as kernel arguments, 256 bytes per launch: the host does
/// not wait, and the launch can be captured (captured_runs.hpp).
template <backend B, class T>
void upload_scalars(T* to, T const* from, std::size_t count) {
  if constexpr (B::on_device) {
    using list = detail::number_list<T>;
    for (std::size_t first = 0; first < count; first += list::most) {
      list part{to + first, {}};
      std::size_t const size = count - first < list::most ? count - first : list::most;
      for (std::size_t i = 0; i != size; ++i) part.numbers[i] = from[first + i];
      for_each_index<B>(size, part);
    }
  } else {
    B::copy_from_host(to, from, count * sizeof(T));
  }
}

}  // namespace plait

PLAIT_KERNELS_END
