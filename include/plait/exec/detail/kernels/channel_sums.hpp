// Reductions over each channel of a tensor, and loops over its elements with parameters of their channel.
//
// Both take an object whose `at(channel)` returns the function of an element's index, so that the parameters of a
// channel are loaded once for each stretch of contiguous elements.
#pragma once

#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/column_sums.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Layout of the channels of a tensor: [outer, channels, inner].
struct channel_places {
  std::size_t outer = 0;
  std::size_t channels = 0;
  std::size_t inner = 0;
  /// Returns the number of contiguous stretches, each of one channel.
  constexpr std::size_t rows() const noexcept { return outer * channels; }
  /// Returns the number of elements of a channel.
  constexpr std::size_t count() const noexcept { return outer * inner; }
};

namespace detail {

template <class T, class Part>
struct channel_row_sums {
  Part part;
  T* first;
  T* second;
  std::size_t channels;
  std::size_t inner;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    auto const of = part.at(row % channels);
    std::size_t const begin = row * inner;
    std::size_t const count = inner;
    T const a = reduce_team_row<sum_reduction, T>(count, [of, begin](std::size_t i) { return of(begin + i).first; });
    T const b = reduce_team_row<sum_reduction, T>(count, [of, begin](std::size_t i) { return of(begin + i).second; });
    first[row] = a;
    second[row] = b;
  }
};

template <class T, class Part>
struct channel_column_sums {
  Part part;
  std::size_t channels;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t column, std::size_t columns,
                                                        T* first, T* second) const {
    Part const own = part;
    std::size_t const begin = row * channels + column;
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < columns; ++c) {
      two_sums<T> const sums = own.at(column + c)(begin + c);
      first[c] += sums.first;
      second[c] += sums.second;
    }
  }
};

template <class F>
struct channel_element {
  F f;
  std::size_t channels;
  std::size_t inner;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { f.at(i / inner % channels)(i); }
};

// Tasks: a stretch of one channel or, with channels last, one element of each channel.
template <class F>
struct channel_row {
  F f;
  std::size_t channels;
  std::size_t inner;
  PLAIT_ALWAYS_INLINE void operator()(std::size_t row) const {
    auto const of = f.at(row % channels);
    std::size_t const begin = row * inner;
    std::size_t const end = begin + inner;
    PLAIT_INDEPENDENT
    for (std::size_t i = begin; i < end; ++i) of(i);
  }
};
template <class F>
struct channels_once {
  F f;
  std::size_t channels;
  PLAIT_ALWAYS_INLINE void operator()(std::size_t row) const {
    F const own = f;
    std::size_t const begin = row * channels;
    std::size_t const count = channels;
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < count; ++c) own.at(c)(begin + c);
  }
};

}  // namespace detail

/// Returns the number of elements of T that two_channel_sums needs as scratch.
constexpr std::size_t two_channel_partials(channel_places const& x) {
  if (x.inner == 1) return two_column_partials(x.outer, x.channels);
  return x.outer == 1 ? 0 : 2 * x.rows() + column_partials(1, x.outer, x.channels);
}

/// Computes first[c] and second[c] as the sums of part.at(c)(i), a two_sums<T>, over all indices i of channel c.
template <backend B, class T, class Part>
void two_channel_sums(channel_places const& x, Part const& part, T* first, T* second, T* partials) {
  if (x.inner == 1)
    return two_column_sums<B>(x.outer, x.channels, detail::channel_column_sums<T, Part>{part, x.channels}, first,
                              second, partials);
  T* const firsts = x.outer == 1 ? first : partials;
  T* const seconds = x.outer == 1 ? second : partials + x.rows();
  for_each_team<B>(x.rows(), x.inner, 2 * x.inner,
                   detail::channel_row_sums<T, Part>{part, firsts, seconds, x.channels, x.inner});
  if (x.outer == 1) return;
  T* const more = partials + 2 * x.rows();
  reduce_columns<B, sum_reduction, T>(firsts, 1, x.outer, x.channels, as_it_is{}, first, more);
  reduce_columns<B, sum_reduction, T>(seconds, 1, x.outer, x.channels, as_it_is{}, second, more);
}

/// Calls f.at(channel)(i) for each index i. The calls must be independent.
template <backend B, class F>
void for_each_in_channels(channel_places const& x, F const& f) {
  if constexpr (B::on_device)
    for_each_index<B>(x.rows() * x.inner, detail::channel_element<F>{f, x.channels, x.inner});
  else if (x.inner == 1)
    for_each_row<B>(x.outer, x.channels, detail::channels_once<F>{f, x.channels});
  else
    for_each_row<B>(x.rows(), x.inner, detail::channel_row<F>{f, x.channels, x.inner});
}

}  // namespace plait

PLAIT_KERNELS_END
