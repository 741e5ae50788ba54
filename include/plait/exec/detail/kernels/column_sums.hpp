// Column-wise reduction: two sums over each column of a matrix, in one pass over memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Host task: sums a strip of the columns over a chunk of the rows.
template <class T, class Add>
struct column_sums_strip {
  static constexpr std::size_t most = 256;  ///< columns
  Add add;
  T* first;  ///< a row for each chunk
  T* second;
  std::size_t rows;
  std::size_t width;
  std::size_t chunk_rows;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const chunk = task / strips;
    std::size_t const column = task % strips * most;
    std::size_t const columns = width - column < most ? width - column : most;
    std::size_t const begin = chunk * chunk_rows;
    std::size_t const end = rows - begin < chunk_rows ? rows : begin + chunk_rows;
    T a[most];
    T b[most];
    for (std::size_t c = 0; c < columns; ++c) a[c] = b[c] = T(0);
    for (std::size_t row = begin; row < end; ++row) add(row, column, columns, a, b);
    T* const to_first = first + chunk * width + column;
    T* const to_second = second + chunk * width + column;
    for (std::size_t c = 0; c < columns; ++c) {
      to_first[c] = a[c];
      to_second[c] = b[c];
    }
  }
};

// Pair of sums that a device team reduces at once, for a few columns.
template <class T>
struct two_sums {
  T first;
  T second;
  template <class>
  PLAIT_HOST_DEVICE static constexpr two_sums identity() {
    return {T(0), T(0)};
  }
  PLAIT_HOST_DEVICE static constexpr two_sums combine(two_sums a, two_sums b) {
    return {a.first + b.first, a.second + b.second};
  }
};

template <class T, class Add>
struct device_column_sums {
  Add add;
  T* first;
  T* second;
  std::size_t rows;
  std::size_t width;
  std::size_t chunk_rows;
  std::size_t together;  ///< columns of a team
  std::size_t teams;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const chunk = task / teams;
    std::size_t const column = task % teams * together;
    std::size_t const begin = chunk * chunk_rows;
    std::size_t const count = rows - begin < chunk_rows ? rows - begin : chunk_rows;
    T* const to_first = first + chunk * width + column;
    T* const to_second = second + chunk * width + column;
    Add const part = add;
    reduce_team_columns<two_sums<T>, two_sums<T>>(
        together < width - column ? together : width - column, count,
        [=](std::size_t row, std::size_t c) {
          two_sums<T> sums = {T(0), T(0)};
          part(begin + row, column + c, 1, &sums.first, &sums.second);
          return sums;
        },
        [=](std::size_t c, two_sums<T> const& total) {
          to_first[c] = total.first;
          to_second[c] = total.second;
        });
  }
};

}  // namespace detail

/// Returns the number of elements of T that two_column_sums needs as scratch.
constexpr std::size_t two_column_partials(std::size_t rows, std::size_t width) {
  std::size_t const chunks = detail::column_chunks(rows, width);
  return chunks == 1 ? 0 : 2 * chunks * width;
}

/// Computes two sums, first[c] and second[c], over each column c. add(row, column, columns, a, b) adds the terms of the
/// elements at columns `column` + j of a row to a[j] and b[j], for j below `columns`. It may also write results for
/// these elements, as it visits each once. Long columns are summed in chunks.
template <backend B, class T, class Add>
void two_column_sums(std::size_t rows, std::size_t width, Add const& add, T* first, T* second, T* partials) {
  std::size_t const chunk_rows = detail::strip_rows(width);
  std::size_t const chunks = detail::column_chunks(rows, width);
  T* const first_parts = chunks == 1 ? first : partials;
  T* const second_parts = chunks == 1 ? second : partials + chunks * width;
  if constexpr (B::on_device) {
    std::size_t const together = team_columns(width);
    std::size_t const teams = (width + together - 1) / together;
    std::size_t const elements = std::min(rows, chunk_rows) * together;
    for_each_team<B>(
        chunks * teams, elements, 2 * elements,
        detail::device_column_sums<T, Add>{add, first_parts, second_parts, rows, width, chunk_rows, together, teams});
  } else {
    using strip = detail::column_sums_strip<T, Add>;
    std::size_t const strips = (width + strip::most - 1) / strip::most;
    for_each_row<B>(chunks * strips, 2 * std::min(rows, chunk_rows) * std::min(width, strip::most),
                    strip{add, first_parts, second_parts, rows, width, chunk_rows, strips});
  }
  if (chunks == 1) return;
  detail::launch_columns<B, sum_reduction>(static_cast<T const*>(first_parts), 1, chunks, width, chunks, as_it_is{},
                                           first);
  detail::launch_columns<B, sum_reduction>(static_cast<T const*>(second_parts), 1, chunks, width, chunks, as_it_is{},
                                           second);
}

}  // namespace plait

PLAIT_KERNELS_END
