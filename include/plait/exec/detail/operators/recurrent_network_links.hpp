// Where blobs of a step net stand: places of sequences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail {

/// Memory of which the first axis is time; with room for a few places that take turns in it, if `places` says how many.
/// Behind these, the first of them are there again as far as a link's window reaches.
struct recurrent_sequence {
  std::byte* data;
  tensor_spec type;
  tensor_spec step;  ///< one place; asked for at each step
  std::size_t places = npos;

  recurrent_sequence(std::byte* first, tensor_spec const& of) : data(first), type(of), step(of) {
    if (of.dims.rank() != 0) step.dims.set(0, 1);
  }
  std::size_t step_bytes() const { return step.bytes(); }
  std::size_t step_elements() const { return static_cast<std::size_t>(step.dims.size()); }
  std::byte* at(std::int64_t place) const {
    auto const number = static_cast<std::size_t>(place);
    return data + (takes_turns() ? number % places : number) * step_bytes();
  }
  bool takes_turns() const { return places != npos; }
};

/// One link of a plan. What a net neither reads nor writes passes from a place it is linked to to the others.
struct linked_place {
  std::string internal;
  std::size_t sequence;  ///< for the caller to number
  std::int64_t offset;
  std::int64_t window;
  bool source = false;         ///< the net finds the blob to be this place
  bool target = false;         ///< what the net makes of the blob goes to this place
  bool added = false;          ///< and is added to what is there
  std::uint32_t value = npos;  ///< of the plan, if the net writes it
  bool moves = true;           ///< one place further at each step
  bool copied = false;         ///< the net changes the blob, but must not change the place
  bool first_source = false;   ///< of its blob, in the list
  bool filled = false;         ///< a source whose blob has memory of its own: a copy, or the sum of several places

  std::int64_t place(std::int64_t t) const { return moves ? t + offset : offset; }
  /// Whether the net may write the blob where it goes: not where it finds, and may read still, what the blob was.
  bool may_be_put() const { return target && value != npos && (!source || filled); }
};

/// After all else of the links is decided: which blobs of sources are filled.
inline void find_filled(std::span<linked_place> links) {
  for (std::size_t i = 0; i != links.size(); ++i) {
    linked_place& link = links[i];
    if (!link.source) continue;
    auto const same = [&](linked_place const& other) { return other.source && other.internal == link.internal; };
    link.first_source = std::ranges::none_of(links.first(i), same);
    link.filled = link.copied || std::ranges::count_if(links, same) > 1;
  }
}

/// Whether one blob of a step is read where another one is put.
inline bool is_read_as_filled(linked_place const& made, linked_place const& read) {
  return made.target && read.source && made.sequence == read.sequence && made.internal != read.internal &&
         read.offset < made.offset + made.window && made.offset < read.offset + read.window;
}

}  // namespace plait::detail
