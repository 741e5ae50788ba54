// Links of a step net: its blobs as places of sequences over time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail {

/// Memory whose first axis is time. If `places` is not npos, it is a ring buffer of so many; behind these, the first
/// `again` are repeated for windows that cross the end.
struct recurrent_sequence {
  std::byte* data;
  tensor_spec type;
  tensor_spec step;  ///< of one place
  std::size_t places = npos;
  std::size_t again = 0;

  recurrent_sequence(std::byte* first, tensor_spec const& of) : data(first), type(of), step(of) {
    if (of.dims.rank() != 0) step.dims.set(0, 1);
  }
  /// Returns the sequence of a value of the step net at each place, of a type without time.
  static recurrent_sequence of_values(std::byte* first, tensor_spec const& value) {
    recurrent_sequence made(first, value);
    made.step = value;
    return made;
  }

  std::size_t step_bytes() const { return step.bytes(); }
  std::size_t step_elements() const { return static_cast<std::size_t>(step.dims.size()); }
  /// Returns the type of so many places.
  tensor_spec window(std::int64_t count) const {
    if (count == 1) return step;
    tensor_spec several = type;
    several.dims.set(0, count);
    return several;
  }
  std::byte* at(std::int64_t place) const {
    auto const number = static_cast<std::size_t>(place);
    return data + (is_ring() ? number % places : number) * step_bytes();
  }
  bool is_ring() const { return places != npos; }
};

/// Link of a blob to places of a sequence. A blob that the net neither reads nor writes is passed on from its source to
/// its targets.
struct linked_place {
  std::string internal;
  std::size_t sequence;  ///< numbered by the caller
  std::int64_t offset = 0;
  std::int64_t window = 1;
  bool source = false;         ///< the step finds the blob at this place
  bool target = false;         ///< the step leaves the blob at this place
  bool added = false;          ///< and adds it to what is there
  std::uint32_t value = npos;  ///< that the blob has after the net; npos if the net does not write it
  bool moves = true;           ///< one place further at each step
  bool owns = true;            ///< the value has memory of the plan, not of a value that the net is given
  bool copied = false;         ///< the net changes the blob, but must not change the place
  bool lasting = false;        ///< nothing changes the places while steps run
  bool in_place = false;       ///< must be written at its place, where the same step reads it through a window
  std::uint32_t given = npos;  ///< value that the blob has before the net; npos if the net does not read it
  bool leftover = false;       ///< an op may leave the blob as it is, which no source sets: then it is unset
  bool first_source = false;   ///< of its blob, in the list
  bool filled = false;         ///< a source whose blob has memory of its own: a copy, or the sum of several places

  std::int64_t place(std::int64_t t) const { return moves ? t + offset : offset; }
  /// Returns true if the net may write the blob at its place: not where it may still read the blob's old value.
  bool may_be_put() const { return target && value != npos && owns && (!source || filled); }
  /// Returns the addresses of the link at the steps of a loop, of which step `first` is run 0.
  moving_storage moving(recurrent_sequence const& s, std::uint32_t storage, std::int64_t first, bool backward) const {
    return {storage, s.data, s.step_bytes(), s.places, place(first), !moves ? 0 : backward ? -1 : 1};
  }
};

/// Decides which blobs of sources are filled, after all else of the links is decided.
inline void find_filled(std::span<linked_place> links) {
  for (std::size_t i = 0; i != links.size(); ++i) {
    linked_place& link = links[i];
    if (!link.source) continue;
    auto const same = [&](linked_place const& other) { return other.source && other.internal == link.internal; };
    link.first_source = std::ranges::none_of(links.first(i), same);
    link.filled = link.copied || std::ranges::count_if(links, same) > 1;
  }
}

/// Returns true if a step reads one blob at the place where it writes another.
inline bool is_read_as_filled(linked_place const& made, linked_place const& read) {
  return made.target && read.source && made.sequence == read.sequence && made.internal != read.internal &&
         read.offset < made.offset + made.window && made.offset < read.offset + read.window;
}

}  // namespace plait::detail
