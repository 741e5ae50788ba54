// Segmented reduction (sum, mean, max, log-sum-exp, log-mean-exp) of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/scatter_rows.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Reduction of a segment. Sums of integers wrap around; a maximum is NaN if any element is. The logarithm of the sum
/// or the mean of exponentials is of reals.
enum class segment_reduction : std::uint8_t { sum, mean, max, log_sum_exp, log_mean_exp };

/// Returns true for the reductions of exponentials, which weights do not apply to.
constexpr bool is_of_exponentials(segment_reduction r) {
  return r == segment_reduction::log_sum_exp || r == segment_reduction::log_mean_exp;
}

/// Rows of a segment: consecutive rows, or the rows of an index list.
struct following_row {
  PLAIT_HOST_DEVICE std::size_t operator()(std::int64_t i) const { return static_cast<std::size_t>(i); }
};
template <class I>
struct named_row {
  I const* list;
  PLAIT_HOST_DEVICE std::size_t operator()(std::int64_t i) const { return static_cast<std::size_t>(list[i]); }
};

/// Row reader of stored elements. A reader's row(i) is subscripted by column.
template <class T>
struct stored_rows {
  T const* from;
  std::size_t width;
  PLAIT_HOST_DEVICE T const* row(std::size_t i) const { return from + i * width; }
};

template <class T>
struct unit_weight {
  PLAIT_HOST_DEVICE T operator()(std::int64_t) const { return T(1); }
};
template <class T>
struct listed_weight {
  T const* list;
  PLAIT_HOST_DEVICE T operator()(std::int64_t i) const { return list[i]; }
};

namespace detail {

template <segment_reduction Reduction, class T, class Reader, class Row, class Weight>
struct reduced_segment {
  T* to;
  Reader from;
  std::int64_t const* offsets;
  std::size_t width;
  Row row_of;
  Weight weight_of;

  PLAIT_HOST_DEVICE void operator()(std::size_t segment, std::size_t first, std::size_t last) const {
    std::int64_t const begin = offsets[segment];
    std::int64_t const end = offsets[segment + 1];
    T* const out = to + segment * width;
    if (begin == end) {
      for (std::size_t i = first; i < last; ++i) out[i] = T(0);
      return;
    }
    if constexpr (is_of_exponentials(Reduction)) {
      for (std::size_t i = first; i < last; ++i) out[i] = log_of_exponentials(begin, end, i);
      return;
    }
    {
      auto const in = from.row(row_of(begin));
      T const weight = weight_of(begin);
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) out[i] = weight * in[i];
    }
    for (std::int64_t at = begin + 1; at < end; ++at) {
      auto const in = from.row(row_of(at));
      T const weight = weight_of(at);
      if constexpr (Reduction == segment_reduction::max) {
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) out[i] = max_reduction::combine(out[i], in[i]);
      } else {
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i)
          out[i] = sum_reduction::combine(out[i], static_cast<T>(weight * in[i]));
      }
    }
    if constexpr (Reduction == segment_reduction::mean) {
      auto const count = static_cast<T>(end - begin);
      for (std::size_t i = first; i < last; ++i) out[i] /= count;
    }
  }

  PLAIT_HOST_DEVICE T log_of_exponentials(std::int64_t begin, std::int64_t end, std::size_t column) const {
    T highest = max_reduction::identity<T>();
    for (std::int64_t at = begin; at < end; ++at)
      highest = max_reduction::combine(highest, static_cast<T>(from.row(row_of(at))[column]));
    if (highest - highest != 0) return highest;  // infinite or NaN
    T total = 0;
    for (std::int64_t at = begin; at < end; ++at)
      total += math::exp_of_negative(static_cast<T>(from.row(row_of(at))[column]) - highest);
    if constexpr (Reduction == segment_reduction::log_mean_exp) total /= static_cast<T>(end - begin);
    return highest + math::log(total);
  }
};

template <class I>
struct counted_row {
  std::int64_t* sizes;
  I const* numbers;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t, std::size_t) const {
    ++sizes[static_cast<std::size_t>(numbers[row])];
  }
};

}  // namespace detail

/// Reduces weight_of(i) times row row_of(i) of a reader over i in [offsets[s], offsets[s + 1]), in this order, to row s
/// of `to`; an empty segment gives zeros. For maxima and exponentials, weights must be 1. O(rows times width).
template <segment_reduction Reduction, backend B, class T, class Reader, class Row, class Weight>
void reduce_segments(T* to, Reader const& from, std::int64_t const* offsets, std::size_t segments, std::size_t width,
                     std::size_t rows, Row const& row_of, Weight const& weight_of) {
  for_each_row_part<B>(
      segments, width, segments == 0 ? 1 : 1 + rows / segments,
      detail::reduced_segment<Reduction, T, Reader, Row, Weight>{to, from, offsets, width, row_of, weight_of});
}

/// Computes the offsets of segments, an exclusive scan of their lengths and then `rows`: one more than lengths, in the
/// backend's memory. Throws shape_error for negative lengths, and if the sum is not `rows`. Waits for devices.
template <backend B, class I>
void segment_offsets(std::int64_t* offsets, I const* lengths, std::size_t count, std::int64_t rows) {
  auto const scan = [count, rows](std::int64_t* to, I const* from) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i != count; ++i) {
      to[i] = sum;
      auto const length = static_cast<std::int64_t>(from[i]);
      if (length < 0 || length > rows - sum)
        throw shape_error("plait: length " + std::to_string(length) + " at place " + std::to_string(i) +
                          " is not within the " + std::to_string(rows) + " rows there are");
      sum += length;
    }
    to[count] = sum;
    if (sum != rows)
      throw shape_error("plait: the lengths add up to " + std::to_string(sum) + " where there are " +
                        std::to_string(rows) + " rows");
  };
  if constexpr (B::on_device) {
    std::vector<I> host_lengths(count);
    std::vector<std::int64_t> host_offsets(count + 1);
    B::copy_to_host(host_lengths.data(), lengths, count * sizeof(I));
    scan(host_offsets.data(), host_lengths.data());
    B::copy_from_host(offsets, host_offsets.data(), host_offsets.size() * sizeof(std::int64_t));
  } else {
    scan(offsets, lengths);
  }
}

/// Counts the rows of each of `count` segments, given the segment number of each row.
template <backend B, class I>
void segment_sizes(std::int64_t* sizes, std::size_t count, I const* numbers, std::size_t rows) {
  fill<B>(sizes, count, std::int64_t{0});
  for_each_row_in_order<B>(rows, 1, detail::counted_row<I>{sizes, numbers});
}

}  // namespace plait

PLAIT_KERNELS_END
