// Recurrent cell concept: a value that declares its loop-carried states and adds the ops of one time step to a net.
//
//   struct elman_cell {
//     std::int64_t inputs, hidden;
//
//     std::vector<plait::cell_state> states() const { return {{"hidden_t", hidden}}; }
//     plait::blob_handle prepare(plait::cell_scope& s, plait::blob_handle const& sequence) const {
//       return s.fc(sequence, "i2h", inputs, hidden);
//     }
//     std::vector<plait::blob_handle> step(plait::cell_step& s) const {
//       auto const h = s.fc(s.states[0], "h2h", hidden, hidden);
//       return {s.net.tanh(s.net.sum({h, s.input}), "hidden_t")};
//     }
//   };
//
// This suffices for add_recurrent_layer, add_recurrent_step, add_unrolled_layer and composite cells, with sequences of
// different lengths and with gradients.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/core/detail/member_faults.hpp>
#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>

namespace plait {

namespace detail {
template <class C>
concept states_cell = requires(C const& c) {
  { c.states() } -> std::convertible_to<std::vector<cell_state>>;
};
template <class C>
concept stepping_cell = requires(C const& c, cell_step& s) {
  { c.step(s) } -> std::convertible_to<std::vector<blob_handle>>;
};
template <class C>
concept preparing_cell = requires(C const& c, cell_scope& s, blob_handle const& x) {
  { c.prepare(s, x) } -> std::convertible_to<blob_handle>;
};
template <class C>
concept gives_output = requires(C const& c, cell_scope& s, std::vector<blob_handle> const& states) {
  { c.output(s, states) } -> std::convertible_to<blob_handle>;
};
template <class C>
concept gives_output_width = requires(C const& c) {
  { c.output_width() } -> std::convertible_to<std::int64_t>;
};
template <class C>
concept output_cell = gives_output<C> && gives_output_width<C>;
template <class C>
concept output_states_cell = requires(C const& c) {
  { c.output_states() } -> std::convertible_to<std::vector<std::size_t>>;
};

PLAIT_DETAIL_NAMES(states)
PLAIT_DETAIL_NAMES(step)
PLAIT_DETAIL_NAMES(prepare)
PLAIT_DETAIL_NAMES(output)
PLAIT_DETAIL_NAMES(output_width)
PLAIT_DETAIL_NAMES(output_states)
PLAIT_DETAIL_NAMES(masks)

template <class C>
concept says_masks = requires {
  requires std::same_as<decltype(C::masks), bool const>;
  typename std::bool_constant<C::masks>;
};

// A member with a wrong signature must not count as an absent one.
template <class C>
concept sound_options = (preparing_cell<C> || !names_prepare<C>)&&(output_cell<C> || !names_output<C>)&&(
    output_states_cell<C> || !names_output_states<C>)&&(says_masks<C> || !names_masks<C>);
}  // namespace detail

/// Recurrent cell. Required members, all const:
///   states()                 std::vector<cell_state>: the loop-carried states, at least one
///   step(cell_step&)         std::vector<blob_handle>: adds the ops of one step, returns the new states in that order
/// Optional members:
///   prepare(cell_scope&, x)  adds ops over all time steps, T×N×… → T×N×…, such as input projections; step() finds one
///                            step of the result as `input`. Default: the sequence itself
///   output_states()          indices of the states that the output depends on. Default: the first state
///   output(cell_scope&, states), output_width()
///                            computes the output from all states, of one step or of all. Default: the first output
///                            state
///   static constexpr bool masks = true
///                            step() applies the sequence lengths itself. Default: ops are added that keep, or zero,
///                            the states of sequences that have ended
/// The members only add ops: a cell can be used many times.
template <class C>
concept recurrent_cell =
    std::copy_constructible<C> && detail::states_cell<C> && detail::stepping_cell<C> && detail::sound_options<C>;

/// Static assertion ladder for a user-defined cell, PLAIT_CHECK_RECURRENT_CELL(my::cell): one message per missing
/// member.
template <class C>
consteval bool check_recurrent_cell() {
  static_assert(std::copy_constructible<C>, "plait: a recurrent cell is a value: it can be copied");
  PLAIT_DETAIL_CHECK_OWN_MEMBER(C, detail::states_cell<C>, (requires(C const& c) { c.states(); }),
                                (requires(C& c) { c.states(); }), detail::names_states<C>, "recurrent cell",
                                "states() const", "a std::vector<plait::cell_state> of names and widths");
  PLAIT_DETAIL_CHECK_OWN_MEMBER(C, detail::stepping_cell<C>, (requires(C const& c, cell_step& s) { c.step(s); }),
                                (requires(C& c, cell_step& s) { c.step(s); }), detail::names_step<C>, "recurrent cell",
                                "step(plait::cell_step&) const", "a std::vector<plait::blob_handle>");
  if constexpr (detail::names_prepare<C>) {
    PLAIT_DETAIL_CHECK_OWN_MEMBER(
        C, detail::preparing_cell<C>, (requires(C const& c, cell_scope& s, blob_handle const& x) { c.prepare(s, x); }),
        (requires(C& c, cell_scope& s, blob_handle const& x) { c.prepare(s, x); }), true, "recurrent cell",
        "prepare(plait::cell_scope&, plait::blob_handle const&) const", "a plait::blob_handle");
  }
  if constexpr (detail::names_output<C>) {
    PLAIT_DETAIL_CHECK_OWN_MEMBER(
        C, detail::gives_output<C>,
        (requires(C const& c, cell_scope& s, std::vector<blob_handle> const& states) { c.output(s, states); }),
        (requires(C& c, cell_scope& s, std::vector<blob_handle> const& states) { c.output(s, states); }), true,
        "recurrent cell", "output(plait::cell_scope&, std::vector<plait::blob_handle> const&) const",
        "a plait::blob_handle");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(C, detail::gives_output_width<C>, (requires(C const& c) { c.output_width(); }),
                                  (requires(C& c) { c.output_width(); }), detail::names_output_width<C>,
                                  "recurrent cell with an output", "output_width() const", "a std::int64_t");
  }
  if constexpr (detail::names_output_states<C>) {
    PLAIT_DETAIL_CHECK_OWN_MEMBER(C, detail::output_states_cell<C>, (requires(C const& c) { c.output_states(); }),
                                  (requires(C& c) { c.output_states(); }), true, "recurrent cell",
                                  "output_states() const", "a std::vector<std::size_t>");
  }
  static_assert(detail::says_masks<C> || !detail::names_masks<C>,
                "plait: masks of a recurrent cell is there, but is no static constexpr bool");
  return recurrent_cell<C>;
}

#define PLAIT_CHECK_RECURRENT_CELL(...) static_assert(::plait::check_recurrent_cell<__VA_ARGS__>())

/// Uniform access to a cell, with the defaults of its optional members.
template <recurrent_cell C>
struct cell_traits {
  static std::vector<cell_state> states(C const& c) { return c.states(); }

  static blob_handle prepare(C const& c, cell_scope& s, blob_handle const& sequence) {
    if constexpr (detail::preparing_cell<C>)
      return c.prepare(s, sequence);
    else
      return sequence;
  }

  /// Adds the ops of one step and returns the new states, masked by sequence lengths. Throws net_error if their number
  /// differs from that of states().
  static std::vector<blob_handle> step(C const& c, cell_step& s) {
    std::vector<blob_handle> made = c.step(s);
    if (made.size() != s.states.size())
      throw net_error("plait: a step of a cell with " + std::to_string(s.states.size()) + " states returned " +
                      std::to_string(made.size()));
    if constexpr (!masks) {
      std::vector<cell_state> const names = states(c);
      for (std::size_t i = 0; i != made.size(); ++i)
        made[i] = s.masked(made[i], s.states[i], names.at(i).name + "_masked");
    }
    return made;
  }

  /// Returns the indices of the output's states. Throws net_error if there are none, or one is out of range.
  static std::vector<std::size_t> output_states(C const& c) {
    std::vector<std::size_t> made{0};
    if constexpr (detail::output_states_cell<C>) made = c.output_states();
    std::size_t const count = states(c).size();
    if (made.empty()) throw net_error("plait: the output of a cell depends on none of its states");
    for (std::size_t const state : made)
      if (state >= count)
        throw net_error("plait: the output of a cell depends on state " + std::to_string(state) +
                        ", but the cell has " + std::to_string(count) + " states");
    return made;
  }
  static blob_handle output(C const& c, cell_scope& s, std::vector<blob_handle> const& states) {
    if constexpr (detail::output_cell<C>)
      return c.output(s, states);
    else
      return states.at(output_states(c).at(0));
  }
  static std::int64_t output_width(C const& c) {
    if constexpr (detail::output_cell<C>)
      return c.output_width();
    else
      return states(c).at(output_states(c).at(0)).width;
  }

  static constexpr bool masks = requires { requires C::masks; };
};

}  // namespace plait
