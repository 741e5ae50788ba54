// Index of the extreme (argmax, argmin) and top-k along an axis.
//
// NaN is greater than every number for a maximum, and less for a minimum. Of equal elements the first is found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Reduces the row to its extreme, with vectors, then searches for it.
template <class R, class T>
struct locate_in_rows {
  T const* x;
  std::int64_t* y;
  std::size_t n;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * n;
    T const extreme = reduce_row<R, T>(n, [from](std::size_t i) { return from[i]; });
    constexpr std::size_t stretch = 256;
    std::size_t i = 0;
    for (; i + stretch <= n; i += stretch) {
      unsigned found = 0;
      for (std::size_t k = 0; k < stretch; ++k) found |= is_it(from[i + k], extreme);
      if (found != 0) break;
    }
    while (i + 1 < n && is_it(from[i], extreme) == 0) ++i;
    y[row] = static_cast<std::int64_t>(i);
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static unsigned is_it(T x, T extreme) {
    return static_cast<unsigned>((x == extreme) | ((x != x) & (extreme != extreme)));
  }
};

// Processes Width columns at a time; one per thread on devices.
template <class R, class T, std::size_t Width>
struct locate_in_columns {
  T const* x;
  std::int64_t* y;
  std::size_t n;
  std::size_t inner;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const left = inner - task % strips * Width;
    std::size_t const columns = left < Width ? left : Width;
    std::size_t const outer = task / strips;
    T const* const from = x + outer * n * inner + task % strips * Width;
    std::int64_t* const to = y + outer * inner + task % strips * Width;
    T best[Width];
    std::int64_t place[Width];
    for (std::size_t c = 0; c < columns; ++c) {
      best[c] = from[c];
      place[c] = 0;
    }
    for (std::size_t r = 1; r < n; ++r) {
      T const* const next = from + r * inner;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < columns; ++c) {
        T const a = best[c];
        T const b = next[c];
        bool const better = static_cast<bool>(((R::combine(a, b) != a) & (a == a)));
        best[c] = better ? b : a;
        place[c] = better ? static_cast<std::int64_t>(r) : place[c];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) to[c] = place[c];
  }
};

// Finds the k largest of a vector whose elements are `step` apart, with a min-heap in the outputs, which is sorted at
// the end.
template <class T>
struct top_of_vectors {
  T const* x;
  T* values;
  std::int64_t* indices;
  std::int64_t* flat;  // may be nullptr
  std::size_t n;
  std::size_t k;
  std::size_t step;

  PLAIT_HOST_DEVICE void operator()(std::size_t vector) const {
    std::size_t const outer = vector / step;
    std::size_t const column = vector - outer * step;
    std::size_t const first = outer * n * step + column;
    T const* const from = n == 0 ? x : x + first;
    T* const v = values + outer * k * step + column;
    std::int64_t* const at = indices + outer * k * step + column;
    std::size_t const size = k < n ? k : n;
    for (std::size_t i = 0; i < size; ++i) {
      v[i * step] = from[i * step];
      at[i * step] = static_cast<std::int64_t>(i);
    }
    for (std::size_t i = size / 2; i-- != 0;) sift(v, at, i, size);
    for (std::size_t i = size; i < n; ++i) {
      if (!more(from[i * step], v[0])) continue;
      v[0] = from[i * step];
      at[0] = static_cast<std::int64_t>(i);
      sift(v, at, 0, size);
    }
    for (std::size_t last = size; last-- > 1;) {
      swap(v, at, 0, last);
      sift(v, at, 0, last);
    }
    for (std::size_t i = size; i < k; ++i) {
      v[i * step] = T(0);
      at[i * step] = -1;
    }
    if (flat == nullptr) return;
    std::int64_t* const places = flat + outer * k * step + column;
    for (std::size_t i = 0; i < k; ++i)
      places[i * step] =
          i < size ? static_cast<std::int64_t>(first) + at[i * step] * static_cast<std::int64_t>(step) : -1;
  }

  PLAIT_HOST_DEVICE static bool more(T a, T b) { return a > b || (a != a && b == b); }
  // Returns true if the i-th is evicted before the j-th.
  PLAIT_HOST_DEVICE bool before(T const* v, std::int64_t const* at, std::size_t i, std::size_t j) const {
    T const a = v[i * step];
    T const b = v[j * step];
    return more(b, a) || (!more(a, b) && at[i * step] > at[j * step]);
  }
  PLAIT_HOST_DEVICE void swap(T* v, std::int64_t* at, std::size_t i, std::size_t j) const {
    T const value = v[i * step];
    v[i * step] = v[j * step];
    v[j * step] = value;
    std::int64_t const place = at[i * step];
    at[i * step] = at[j * step];
    at[j * step] = place;
  }
  PLAIT_HOST_DEVICE void sift(T* v, std::int64_t* at, std::size_t i, std::size_t size) const {
    for (;;) {
      std::size_t child = 2 * i + 1;
      if (child >= size) return;
      if (child + 1 < size && before(v, at, child + 1, child)) ++child;
      if (!before(v, at, child, i)) return;
      swap(v, at, i, child);
      i = child;
    }
  }
};

}  // namespace detail

/// Computes y, the index of the extreme along the middle axis of [outer, n, inner], n > 0; R is max_ or min_reduction.
template <backend B, class R, class T>
void locate(T const* x, std::int64_t* y, std::size_t outer, std::size_t n, std::size_t inner) {
  if (inner == 1) {
    for_each_row<B>(outer, n, detail::locate_in_rows<R, T>{x, y, n});
    return;
  }
  constexpr std::size_t width = B::on_device ? 1 : 256;
  std::size_t const strips = (inner + width - 1) / width;
  for_each_row<B>(outer * strips, n * std::min(width, inner),
                  detail::locate_in_columns<R, T, width>{x, y, n, inner, strips});
}

/// Computes the k > 0 largest along the middle axis of [outer, n, inner] in descending order, and their indices there
/// and, unless `flat` is nullptr, in all of x. Missing ones are 0 with index -1.
template <backend B, class T>
void top_k(T const* x, T* values, std::int64_t* indices, std::int64_t* flat, std::size_t outer, std::size_t n,
           std::size_t inner, std::size_t k) {
  for_each_row<B>(outer * inner, 4 * n, detail::top_of_vectors<T>{x, values, indices, flat, n, k, inner});
}

}  // namespace plait

PLAIT_KERNELS_END
