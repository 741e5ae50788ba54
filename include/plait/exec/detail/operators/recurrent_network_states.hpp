// States of a recurrence: their types, initial values, and how many of their places are in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/tensor.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Returns the type of a sequence of states with an initial value, for T steps of N rows. Throws shape_error.
inline tensor_spec type_of_states(tensor_spec const& initial, std::string_view name, std::int64_t steps,
                                  std::int64_t rows) {
  shape const& dims = initial.dims;
  if (dims.rank() < 1 || dims.rank() > 3)
    refuse_recurrence("the initial state '" + std::string(name) + "' is " + to_string(initial) +
                      ", which should have 1 to 3 dimensions");
  if (dims.rank() > 1 && dims[dims.rank() - 2] != rows)
    refuse_recurrence("the initial state '" + std::string(name) + "' is " + to_string(initial) + " for a batch of " +
                      std::to_string(rows));
  std::int64_t const given = dims.rank() == 3 ? dims[0] : 1;
  return {initial.type, {steps + given, rows, dims[dims.rank() - 1]}};
}

/// Copies an initial value to the first places of a state; one of rank 1 is repeated over the batch.
template <backend B>
void copy_initial_state(recurrent_sequence const& states, void const* initial, shape const& dims) {
  std::size_t const bytes = static_cast<std::size_t>(dims.size()) * size_of(states.type.type);
  std::size_t const all = dims.rank() == 1 ? states.step_bytes() : bytes;
  if (all == 0) return;
  B::copy(states.data, initial, bytes);
  for (std::size_t done = bytes; done < all;) {  // doubling
    std::size_t const more = std::min(done, all - done);
    B::copy(states.data + done, states.data, more);
    done += more;
  }
}

/// Computes the gradient of an initial value that is repeated over the batch: y[d] is the sum of x[n, d] over n.
template <backend B, class T>
void sum_rows(T* y, T const* x, std::size_t rows, std::size_t width) {
  for_each_index<B>(width, [=] PLAIT_HOST_DEVICE(std::size_t d) {
    T sum = 0;
    for (std::size_t n = 0; n != rows; ++n) sum += x[n * width + d];
    y[d] = sum;
  });
}

/// Properties of a state that follow from the links of the step net.
struct state_places {
  std::int64_t last_written = 0;  ///< by step 0, plus 1; 0: no place is written
  std::int64_t last_read = 0;     ///< likewise
  bool read_whole = false;        ///< an op of the step net reads the sequence
  std::int64_t ring = 0;          ///< places of a ring buffer, if only the last ones are used after the run; 0: none
  std::int64_t repeated = 0;      ///< places of the ring that are repeated behind its end, for windows

  /// `keeps_all`: all places are used after the run. `in_flight`: steps that run at once.
  state_places(std::span<linked_place const> links, std::size_t state, bool read_as_whole, bool keeps_all,
               std::size_t in_flight)
      : read_whole(read_as_whole) {
    std::int64_t first = most_places;
    std::int64_t last = 0;
    for (linked_place const& link : links) {
      if (link.sequence != state) continue;
      std::int64_t const end = link.offset + link.window;
      if (link.target) last_written = std::max(last_written, end);
      if (link.target && link.moves) moving_.push_back({link.offset, end});
      if (link.source) last_read = std::max(last_read, end);
      keeps_all = keeps_all || (link.target && link.window != 1);
      first = std::min(first, link.offset);
      last = std::max(last, end);
      repeated = std::max(repeated, link.window - 1);
    }
    if (!keeps_all && first < last) ring = last - first - 1 + static_cast<std::int64_t>(in_flight);
  }

  /// Throws shape_error if the initial value has several places and steps write before its last: then the last places
  /// of the sequence would be unset.
  void expect_written(std::string_view name, std::int64_t given) const {
    if (given > 1 && last_written != 0 && last_written <= given)
      refuse_recurrence("the initial state '" + std::string(name) + "' is of " + std::to_string(given) +
                        " steps, but the first one writes place " + std::to_string(last_written - 1));
  }
  /// Returns true if steps write all places behind the `given` ones before they read them.
  bool writes_all(std::int64_t given) const {
    bool const reads_ahead = read_whole || last_read > given;
    return !reads_ahead &&
           std::ranges::any_of(moving_, [&](places const& p) { return p.first <= given && p.last > given; });
  }
  /// Returns the type in memory of a state of so many steps.
  tensor_spec type_in_memory(tensor_spec type, std::int64_t steps) const {
    std::int64_t const given = type.dims[0] - steps;
    std::int64_t const memory = std::max(ring, given) + repeated;
    if (ring != 0 && memory < type.dims[0] && writes_all(given)) type.dims.set(0, memory);
    return type;
  }
  /// Zeroes the places behind the `given` ones unless steps write them all.
  template <backend B>
  void clear_unwritten(recurrent_sequence const& s, std::int64_t given) const {
    if (writes_all(given)) return;
    std::size_t const first = static_cast<std::size_t>(given) * s.step_bytes();
    fill<B>(reinterpret_cast<std::uint8_t*>(s.data + first), s.type.bytes() - first, std::uint8_t{0});
  }

 private:
  struct places {
    std::int64_t first;
    std::int64_t last;
  };
  std::vector<places> moving_;  // written by step 0, and one further by each later step
};

}  // namespace plait::detail

PLAIT_KERNELS_END
