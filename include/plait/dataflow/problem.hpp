// Dataflow problem concept: direction, lattice, join and transfer functions, as the members of a struct.
//
//   struct my_problem {
//     using value_type = …;                                          // an element of a lattice: any copyable type
//     static constexpr auto direction = plait::flow_direction::forward;
//     value_type initial() const;                                    // neutral element of join
//     value_type boundary() const;                                   // state at the entry, or backward at the exits
//     bool join(value_type& into, value_type const& from) const;     // true if `into` has changed
//     void transfer_op(plait::op_index op, value_type& state) const;            // over an op; or:
//     void transfer_block(std::uint32_t block, value_type& state) const;        // over a whole block; or both
//     std::size_t height() const;                                    // optional: bound on changes of a state
//   };
//
// Blocks and ops are numbers. A transfer function maps the state before to the state after in the direction of flow: in
// a backward problem, from after the op to before it. initial() is the optimistic assumption for paths not visited yet:
// the empty set for "on some path" problems (join is union), the full set for "on every path" (join is intersection).
// Semantic requirements that no concept can check: join is the least upper bound in a lattice without infinite
// ascending chains, transfer functions are monotone, and all members are deterministic. solver.hpp solves such
// problems; problems of sets with constant gen and kill sets have a faster solver, gen_kill.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/core/detail/member_faults.hpp>
#include <plait/ssa/detail/op_index.hpp>

namespace plait {

enum class flow_direction : std::uint8_t {
  forward,   ///< from the entry, along the edges
  backward,  ///< from the ends of the program, against the edges
};

template <class P>
concept has_flow_value = requires { typename P::value_type; } && std::copyable<typename P::value_type>;

template <class P>
concept has_flow_direction = requires {
  requires std::same_as<std::remove_cvref_t<decltype(P::direction)>, flow_direction>;
  typename std::bool_constant<P::direction == flow_direction::forward>;
};

template <class P>
concept has_flow_bounds = has_flow_value<P> && requires(P const& p) {
  { p.initial() } -> std::convertible_to<typename P::value_type>;
  { p.boundary() } -> std::convertible_to<typename P::value_type>;
};

template <class P>
concept has_join =
    has_flow_value<P> && requires(P const& p, typename P::value_type& into, typename P::value_type const& from) {
      { p.join(into, from) } -> std::convertible_to<bool>;
    };

template <class P>
concept has_op_transfer =
    has_flow_value<P> && requires(P const& p, op_index op, typename P::value_type& state) { p.transfer_op(op, state); };

template <class P>
concept has_block_transfer =
    has_flow_value<P> &&
    requires(P const& p, std::uint32_t block, typename P::value_type& state) { p.transfer_block(block, state); };

/// The problem bounds the changes of a state between initial() and the fixed point.
template <class P>
concept has_height = requires(P const& p) {
  { p.height() } -> std::convertible_to<std::size_t>;
};

/// A problem for dataflow_solver.
template <class P>
concept dataflow_problem = has_flow_value<P> && has_flow_direction<P> && has_flow_bounds<P> && has_join<P> &&
                           (has_op_transfer<P> || has_block_transfer<P>);

namespace detail {
PLAIT_DETAIL_NAMES(initial)
PLAIT_DETAIL_NAMES(boundary)
PLAIT_DETAIL_NAMES(join)
PLAIT_DETAIL_NAMES(transfer_op)
PLAIT_DETAIL_NAMES(transfer_block)
PLAIT_DETAIL_NAMES(height)
PLAIT_DETAIL_NAMES(direction)

template <class P>
concept op_transfer_returns_nothing = requires(P& p, op_index op, typename P::value_type& state) {
  requires std::is_void_v<decltype(p.transfer_op(op, state))>;
};
template <class P>
concept block_transfer_returns_nothing = requires(P& p, std::uint32_t block, typename P::value_type& state) {
  requires std::is_void_v<decltype(p.transfer_block(block, state))>;
};
}  // namespace detail

/// Explains what a problem lacks: PLAIT_CHECK_DATAFLOW_PROBLEM(my::problem); names each missing member in a sentence.
template <class P>
consteval bool check_dataflow_problem() {
  static_assert(has_flow_value<P>, "plait: a dataflow problem lacks value_type, a copyable type");
  static_assert(has_flow_direction<P> || !detail::names_direction<P>,
                "plait: direction of a dataflow problem is there, but is no static constexpr plait::flow_direction");
  static_assert(has_flow_direction<P> || detail::names_direction<P>,
                "plait: a dataflow problem lacks direction, a static constexpr plait::flow_direction");
  if constexpr (has_flow_value<P>) {
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, (requires(P const& p) {
                                    { p.initial() } -> std::convertible_to<typename P::value_type>;
                                  }), (requires(P const& p) { p.initial(); }), (requires(P& p) { p.initial(); }),
                                  detail::names_initial<P>, "dataflow problem", "initial() const", "a value_type");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, (requires(P const& p) {
                                    { p.boundary() } -> std::convertible_to<typename P::value_type>;
                                  }), (requires(P const& p) { p.boundary(); }), (requires(P& p) { p.boundary(); }),
                                  detail::names_boundary<P>, "dataflow problem", "boundary() const", "a value_type");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(
        P, has_join<P>, (requires(P const& p, typename P::value_type& into, typename P::value_type const& from) {
          p.join(into, from);
        }), (requires(P& p, typename P::value_type& into, typename P::value_type const& from) { p.join(into, from); }),
        detail::names_join<P>, "dataflow problem", "join(value_type& into, value_type const& from) const",
        "bool, which tells whether into has changed");
    static_assert(
        !(requires(P& p, op_index op, typename P::value_type& state) { p.transfer_op(op, state); }) ||
            has_op_transfer<P>,
        "plait: transfer_op of a dataflow problem is there, but cannot be called on a const dataflow problem");
    static_assert((requires(P& p, op_index op, typename P::value_type& state) { p.transfer_op(op, state); }) ||
                      !detail::names_transfer_op<P> || (has_block_transfer<P> && !requires { &P::transfer_op; }),
                  "plait: transfer_op of a dataflow problem is there, but cannot be called like this; wanted: void "
                  "transfer_op(plait::op_index op, value_type& state) const");
    static_assert(
        !(requires(P& p, std::uint32_t block, typename P::value_type& state) { p.transfer_block(block, state); }) ||
            has_block_transfer<P>,
        "plait: transfer_block of a dataflow problem is there, but cannot be called on a const dataflow problem");
    static_assert((requires(P& p, std::uint32_t block, typename P::value_type& state) {
                    p.transfer_block(block, state);
                  }) || !detail::names_transfer_block<P> || (has_op_transfer<P> && !requires { &P::transfer_block; }),
                  "plait: transfer_block of a dataflow problem is there, but cannot be called like this; wanted: void "
                  "transfer_block(std::uint32_t block, value_type& state) const");
    static_assert(!has_op_transfer<P> || detail::op_transfer_returns_nothing<P>,
                  "plait: transfer_op of a dataflow problem is there, but returns something; wanted: void, since it "
                  "changes state");
    static_assert(!has_block_transfer<P> || detail::block_transfer_returns_nothing<P>,
                  "plait: transfer_block of a dataflow problem is there, but returns something; wanted: void, since it "
                  "changes state");
    static_assert(
        has_op_transfer<P> || has_block_transfer<P> || detail::names_transfer_op<P> || detail::names_transfer_block<P>,
        "plait: a dataflow problem lacks both transfer_op(op_index, value_type&) const and "
        "transfer_block(std::uint32_t, value_type&) const");
  }
  if constexpr (detail::names_height<P>) {
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, has_height<P>, (requires(P const& p) { p.height(); }), (requires(P& p) {
                                    p.height();
                                  }), true, "dataflow problem", "height() const", "a std::size_t");
  }
  return dataflow_problem<P>;
}

#define PLAIT_CHECK_DATAFLOW_PROBLEM(...) static_assert(::plait::check_dataflow_problem<__VA_ARGS__>())

}  // namespace plait
