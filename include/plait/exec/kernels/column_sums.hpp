// Two sums over each column of a matrix, in one way through memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/kernels/reduce.hpp>

namespace plait {

namespace detail {

// Width columns of a chunk of the rows.
template <class T, std::size_t Width, class Add>
struct column_sums_strip {
  Add add;
  T* first;  ///< a row for each chunk
  T* second;
  std::size_t rows;
  std::size_t width;
  std::size_t chunk_rows;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const chunk = task / strips;
    std::size_t const column = task % strips * Width;
    std::size_t const columns = width - column < Width ? width - column : Width;
    std::size_t const begin = chunk * chunk_rows;
    std::size_t const end = rows - begin < chunk_rows ? rows : begin + chunk_rows;
    T a[Width];
    T b[Width];
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

}  // namespace detail

/// Elements of T that two_column_sums needs besides.
constexpr std::size_t two_column_partials(std::size_t rows, std::size_t width) {
  std::size_t const chunks = detail::column_chunks(rows, width);
  return chunks == 1 ? 0 : 2 * chunks * width;
}

/// first[c] and second[c] = what add has added for column c over all rows: add(row, column, columns, a, b) adds what
/// `columns` columns of a row from `column` on give to a[0] and b[0], and those after them. It may write results of its
/// own for these elements, as each is visited once. Long columns are summed in parts.
template <backend B, class T, class Add>
void two_column_sums(std::size_t rows, std::size_t width, Add const& add, T* first, T* second, T* partials) {
  constexpr std::size_t strip = B::on_device ? 1 : 256;
  std::size_t const strips = (width + strip - 1) / strip;
  std::size_t const chunk_rows = detail::strip_rows(width);
  std::size_t const chunks = detail::column_chunks(rows, width);
  T* const first_parts = chunks == 1 ? first : partials;
  T* const second_parts = chunks == 1 ? second : partials + chunks * width;
  for_each_row<B>(
      chunks * strips, 2 * std::min(rows, chunk_rows) * std::min(width, strip),
      detail::column_sums_strip<T, strip, Add>{add, first_parts, second_parts, rows, width, chunk_rows, strips});
  if (chunks == 1) return;
  detail::launch_columns<B, sum_reduction>(static_cast<T const*>(first_parts), 1, chunks, width, chunks, as_it_is{},
                                           first);
  detail::launch_columns<B, sum_reduction>(static_cast<T const*>(second_parts), 1, chunks, width, chunks, as_it_is{},
                                           second);
}

}  // namespace plait
