// Row copies, of which gather, pad, concat and split consist.
//
// Elements are copied as unsigned words of their size, whatever their type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Source for move_rows: a list with the source row of each row.
template <class I>
struct listed_row {
  I const* list;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t row) const { return static_cast<std::int64_t>(list[row]); }
};

/// Columns of a concatenated matrix that come from one piece: `width` elements at `offset` of each row.
struct part_place {
  std::size_t offset = 0;
  std::size_t width = 0;
};

namespace detail {

template <std::size_t Bytes, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void copy_ends(T* out, T const* in, std::size_t count) {
  constexpr std::size_t block = Bytes / sizeof(T);
  PLAIT_VECTOR_LOOP
  for (std::size_t i = 0; i < block; ++i) out[i] = in[i];
  out += count - block;
  in += count - block;
  PLAIT_VECTOR_LOOP
  for (std::size_t i = 0; i < block; ++i) out[i] = in[i];
}

// Copies short rows as two blocks that may overlap: a loop takes longer to compute its number of iterations.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void copy_elements(T* out, T const* in, std::size_t count) {
  std::size_t const bytes = count * sizeof(T);
  if (bytes - 8 <= 128 - 8) {
    if (bytes >= 64) return copy_ends<64>(out, in, count);
    if (bytes >= 32) return copy_ends<32>(out, in, count);
    if (bytes >= 16) return copy_ends<16>(out, in, count);
    return copy_ends<8>(out, in, count);
  }
  PLAIT_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i];
}

template <class T, class Source>
struct moved_element {
  T* to;
  T const* from;
  Source source;
  T filler;
  PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    std::int64_t const at = source(row);
    to[row] = at < 0 ? filler : from[at];
  }
};

template <class T, class Source>
struct moved_row {
  T* to;
  T const* from;
  std::size_t width;
  Source source;
  T filler;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::int64_t const at = source(row);
    T* const out = to + row * width;
    if (at < 0) {
      for (std::size_t i = first; i < last; ++i) out[i] = filler;
      return;
    }
    copy_elements(out + first, from + static_cast<std::size_t>(at) * width + first, last - first);
  }
};

// Copies elements of a concatenated row to the pieces that they belong to or, if these are constant, from them.
template <class Whole, class Part>
struct whole_row {
  static constexpr std::size_t most = 8;
  Whole* whole;
  std::size_t pitch;
  Part* parts[most];
  part_place places[most];
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      std::size_t const column = places[0].offset + i;
      Part* in_part = nullptr;
      for (std::size_t k = 0; k < most; ++k)  // constant indices: see broadcast_layout::find
        if (column - places[k].offset < places[k].width)
          in_part = parts[k] + row * places[k].width + (column - places[k].offset);
      Whole& in_whole = whole[row * pitch + column];
      if constexpr (std::is_const_v<Part>)
        in_whole = *in_part;
      else
        *in_part = in_whole;
    }
  }
};

template <class T>
struct pitched_row {
  T* to;
  std::size_t to_pitch;
  T const* from;
  std::size_t from_pitch;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    copy_elements(to + row * to_pitch + first, from + row * from_pitch + first, last - first);
  }
};

}  // namespace detail

/// Copies row source(i) of `from`, or `filler` where that is negative, to row i of `to`, each of `width` elements.
/// `source` is a function object with a const call operator marked PLAIT_HOST_DEVICE. `to` and `from` must not overlap.
template <backend B, class T, class Source>
void move_rows(T* to, T const* from, std::size_t rows, std::size_t width, Source const& source, T filler = {}) {
  if (width == 1)
    for_each_index<B>(rows, detail::moved_element<T, Source>{to, from, source, filler});
  else
    for_each_row_part<B>(rows, width, 1, detail::moved_row<T, Source>{to, from, width, source, filler});
}

/// Copies `rows` rows of `width` elements each, which begin `to_pitch` and `from_pitch` elements apart.
template <backend B, class T>
void copy_pitched(T* to, std::size_t to_pitch, T const* from, std::size_t from_pitch, std::size_t rows,
                  std::size_t width) {
  if (rows == 1 || (to_pitch == width && from_pitch == width))
    B::copy(to, from, rows * width * sizeof(T));
  else
    for_each_row_part<B>(rows, width, 1, detail::pitched_row<T>{to, to_pitch, from, from_pitch});
}

/// Concatenates pieces to `rows` rows of `pitch` elements, or splits rows: part(i), which points to constant elements
/// to concatenate them, is at places[i], which are consecutive. On a device, several pieces share a kernel launch.
template <backend B, class Whole, class PartAt>
void copy_parts(Whole* whole, std::size_t pitch, std::size_t rows, std::vector<part_place> const& places,
                PartAt const& part) {
  using part_element = std::remove_pointer_t<std::invoke_result_t<PartAt const&, std::size_t>>;
  if constexpr (B::on_device) {
    using row = detail::whole_row<Whole, part_element>;
    for (std::size_t first = 0; first < places.size(); first += row::most) {
      row made{whole, pitch, {}, {}};
      std::size_t width = 0;
      std::size_t const count = std::min(row::most, places.size() - first);
      for (std::size_t i = 0; i != count; ++i) {
        made.parts[i] = part(first + i);
        made.places[i] = places[first + i];
        width += made.places[i].width;
      }
      for_each_row_part<B>(rows, width, 1, made);
    }
  } else {
    for (std::size_t i = 0; i != places.size(); ++i) {
      auto const [offset, width] = places[i];
      if constexpr (std::is_const_v<part_element>)
        copy_pitched<B>(whole + offset, pitch, part(i), width, rows, width);
      else
        copy_pitched<B>(part(i), width, whole + offset, pitch, rows, width);
    }
  }
}

}  // namespace plait

PLAIT_KERNELS_END
