// Index validation: finds elements that an op must refuse, before anything is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class Holds>
struct any_loop {
  Holds holds;
  void operator()(std::size_t first, std::size_t last, bool* any) const {
    unsigned found = 0;
    for (std::size_t i = first; i < last; ++i) found |= holds(i) ? 1U : 0U;
    *any = found != 0;
  }
};

template <class I>
struct is_out_of_range {
  I const* indices;
  std::uint64_t least;
  std::uint64_t count;
  PLAIT_HOST_DEVICE bool operator()(std::size_t i) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(indices[i])) - least >= count;
  }
};

}  // namespace detail

/// Returns the first i below `count` for which holds(i); `count` if there is none. Synchronises with devices.
template <backend B, class Holds>
std::size_t find_index(std::size_t count, Holds const& holds) {
  if constexpr (B::on_device) {
    if constexpr (detail::has_search<B>) {
      return B::find_index(count, holds);
    } else {
      thrust::counting_iterator<std::size_t> const first(0);
      return static_cast<std::size_t>(
          thrust::find_if(B::policy(), first, first + static_cast<std::ptrdiff_t>(count), holds) - first);
    }
  } else {
    constexpr std::size_t stretch = 4'096;  // vectorised; searched one by one on a hit
    for (std::size_t first = 0; first < count; first += stretch) {
      std::size_t const last = std::min(count, first + stretch);
      bool any = false;
      vectorized(detail::any_loop<Holds>{holds}, first, last, &any);
      if (!any) continue;
      while (!holds(first)) ++first;
      return first;
    }
    return count;
  }
}

/// Throws shape_error, which names the first invalid index, unless all are at least `least` and below `bound`.
template <backend B, class I>
void check_indices(I const* indices, std::size_t count, std::int64_t bound, std::int64_t least = 0) {
  std::size_t const at = find_index<B>(count, detail::is_out_of_range<I>{indices, static_cast<std::uint64_t>(least),
                                                                         static_cast<std::uint64_t>(bound - least)});
  if (at == count) return;
  I index = {};
  B::copy_to_host(&index, indices + at, sizeof(I));
  throw shape_error("plait: index " + std::to_string(index) + " at place " + std::to_string(at) + " is not from " +
                    std::to_string(least) + " up to, but without, " + std::to_string(bound));
}

}  // namespace plait

PLAIT_KERNELS_END
