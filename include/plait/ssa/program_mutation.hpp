// Optional hooks of programs: phis, and the mutations that rewriting into and out of SSA form needs.
//
//   program_traits<P> member                                   concept
//   phis(p, n), phi_result(p, phi) -> name,                    program_with_phis
//   phi_arguments(p, phi) -> range of phi_argument<node, name>
//   block(p, n) of a P&, its net renamable (net/mutation.hpp)  renamable_program
//   insert_phi(p, n, result, span of phi_argument)             phi_insertable_program: after the phis of n
//   erase_phis(p, n)                                           phi_erasable_program: all phis of n
//   insert_copy(p, n, place, to, from)                         copy_insertable_program: an op `to` = `from` before
//                                                              the place-th op, or behind the last
//   copy_place(p, n) -> insertion point of copies at the end   optional; default: behind the last op. Ops from there
//   of a block: before the branch                              on can read, but not write
//   split_edge(p, from, successor)                             edge_splitting_program: puts a new, empty block on the
//                                                              edge to successor number `successor`; updates phis
//   new_name(p, name) -> name                                  name_making_program: a fresh name for a version of this
//                                                              blob, valid in all blocks; changes nothing else.
//                                                              Default: new_name of the entry's net, else make_name
//                                                              of each block's net from `<text>_<version>`
//                                                              (net/mutation.hpp)
//
// Hooks must not throw for valid arguments, except std::bad_alloc: callers check everything before the first change.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <plait/core/detail/member_faults.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/net/check_mutable_net.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

/// Argument of a phi for a predecessor: one per predecessor, or one per edge from it. Without predecessor: the value on
/// entry to the program, which only a phi of the entry has.
template <class Node, class Name>
struct phi_argument {
  std::optional<Node> predecessor;
  Name name;
  friend constexpr bool operator==(phi_argument const&, phi_argument const&) = default;
};
template <program P>
using phi_argument_t = phi_argument<node_t<P>, program_name_t<P>>;

namespace detail {
PLAIT_DETAIL_MEMBER(program_traits_of, program, phis, (node_t<T> const& node), (node))

template <class P>
concept has_phis = program<P> && requires(P const& p, node_t<P> const& n) {
  { program_traits_of<P>::phis(p, n) } -> std::ranges::input_range;
};
template <has_phis P>
using phi_ref_t = std::ranges::range_reference_t<decltype(program_traits_of<P>::phis(
    std::declval<P const&>(), std::declval<node_t<P> const&>()))>;

PLAIT_DETAIL_MEMBER(program_traits_of, program, phi_result, (phi_ref_t<T> phi), (phi))
PLAIT_DETAIL_MEMBER(program_traits_of, program, phi_arguments, (phi_ref_t<T> phi), (phi))

template <class P>
concept returns_phi_result = requires(P const& p, phi_ref_t<P> phi) {
  { program_traits_of<P>::phi_result(p, phi) } -> std::convertible_to<program_name_t<P>>;
};
template <class P>
concept returns_phi_arguments = requires(P const& p, phi_ref_t<P> phi) {
  { program_traits_of<P>::phi_arguments(p, phi) } -> range_of<phi_argument_t<P>>;
};
}  // namespace detail

/// A program that has phis.
template <class P>
concept program_with_phis = detail::has_phis<P> && requires(P const& p, detail::phi_ref_t<P> phi) {
  { detail::program_traits_of<P>::phi_result(p, phi) } -> std::convertible_to<program_name_t<P>>;
  { detail::program_traits_of<P>::phi_arguments(p, phi) } -> detail::range_of<phi_argument_t<P>>;
};

namespace detail {
template <class P>
concept gives_mutable_block = program<P> && requires(std::remove_cvref_t<P>& p, node_t<P> const& n) {
  { program_traits_of<P>::block(p, n) } -> std::convertible_to<block_t<P>&>;
};
}  // namespace detail

template <class P>
concept renamable_program =
    program<P> && renamable_net<block_t<P>> && renamable_externals<block_t<P>> && detail::gives_mutable_block<P>;

namespace detail {
PLAIT_DETAIL_MUTABLE_MEMBER(program_traits_of, insert_phi,
                            (node_t<T> const& node, program_name_t<T> const& name,
                             std::span<phi_argument_t<T> const> phi),
                            (node, name, phi))
PLAIT_DETAIL_MUTABLE_MEMBER(program_traits_of, erase_phis, (node_t<T> const& node), (node))
PLAIT_DETAIL_MUTABLE_MEMBER(program_traits_of, insert_copy,
                            (node_t<T> const& node, std::size_t place, program_name_t<T> const& name),
                            (node, place, name, name))
PLAIT_DETAIL_MUTABLE_MEMBER(program_traits_of, split_edge, (node_t<T> const& node, std::size_t way), (node, way))
PLAIT_DETAIL_MEMBER(program_traits_of, program, copy_place, (node_t<T> const& node), (node))
}  // namespace detail

template <class P>
concept phi_insertable_program =
    renamable_program<P> && !detail::insert_phi_is_there_but_with_other_parameters<P> && detail::gives_insert_phi<P>;

template <class P>
concept phi_erasable_program = renamable_program<P> && program_with_phis<P> &&
                               !detail::erase_phis_is_there_but_with_other_parameters<P> && detail::gives_erase_phis<P>;

template <class P>
concept copy_insertable_program =
    renamable_program<P> && !detail::insert_copy_is_there_but_with_other_parameters<P> && detail::gives_insert_copy<P>;

template <class P>
concept edge_splitting_program =
    program<P> && !detail::split_edge_is_there_but_with_other_parameters<P> && detail::gives_split_edge<P>;

namespace detail {
template <class P>
concept has_own_new_name = program<P> && requires(std::remove_cvref_t<P>& p, program_name_t<P> const& name) {
  { program_traits_of<P>::new_name(p, name) } -> std::convertible_to<program_name_t<P>>;
};
template <class P>
concept gives_own_new_name =
    requires(std::remove_cvref_t<P>& p, program_name_t<P> const& name) { program_traits_of<P>::new_name(p, name); };
template <class P>
concept own_new_name_is_a_function_with_other_parameters =
    !gives_own_new_name<P> && names_function_new_name<members_of<program_traits_of<P>, P>>;
// A new_name with a wrong signature must not count as an absent one.
template <class P>
concept mentions_new_name = gives_own_new_name<P> || own_new_name_is_a_function_with_other_parameters<P>;

// The program has new_name, or the net at its entry does.
template <class P>
concept has_new_name = has_own_new_name<P> || (!mentions_new_name<P> && renamable_program<P> && naming_net<block_t<P>>);

template <has_new_name P>
program_name_t<P> new_name(P& p, program_name_t<P> const& name) {
  if constexpr (has_own_new_name<P>)
    return program_traits_of<P>::new_name(p, name);
  else
    return net_traits_of<block_t<P>>::new_name(
        static_cast<block_t<P>&>(program_traits_of<P>::block(p, plait::entry(std::as_const(p)))), name);
}
}  // namespace detail

/// A program with fresh names: from new_name for names of any type (numbers, pointers), or from texts.
template <class P>
concept name_making_program =
    program<P> && (detail::has_new_name<P> || (!detail::mentions_new_name<P> && nameable_net<block_t<P>>));

namespace detail {
template <class P>
concept has_copy_place = program<P> && requires(P const& p, node_t<P> const& n) {
  { program_traits_of<P>::copy_place(p, n) } -> std::convertible_to<std::size_t>;
};

// A copy_place with a wrong signature must not count as an absent one: copies would be inserted after a branch.
template <class P>
consteval bool check_copy_place() {
  PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(P, has_copy_place<P>, "program_traits<P>", program, copy_place, "copy_place(p, n)",
                                     "a std::size_t, an index into the ops of n");
  return true;
}
}  // namespace detail

/// Explains what an adaptation lacks: PLAIT_CHECK_PROGRAM_WITH_PHIS(my::function); names each missing member in a
/// sentence.
template <class P>
consteval bool check_program_with_phis() {
  static_assert(check_program<P>());
  if constexpr (program<P>) {
    PLAIT_DETAIL_CHECK_MEMBER(P, detail::has_phis<P>, "program_traits<P>", program, phis, "phis(p, n)",
                              "a range of the phis at a node");
    if constexpr (detail::has_phis<P>) {
      PLAIT_DETAIL_CHECK_MEMBER(P, detail::returns_phi_result<P>, "program_traits<P>", program, phi_result,
                                "phi_result(p, phi)", "a name");
      PLAIT_DETAIL_CHECK_MEMBER(P, detail::returns_phi_arguments<P>, "program_traits<P>", program, phi_arguments,
                                "phi_arguments(p, phi)", "a range of phi_argument<node, name>");
    }
  }
  return program_with_phis<P>;
}

#define PLAIT_CHECK_PROGRAM_WITH_PHIS(...) static_assert(::plait::check_program_with_phis<__VA_ARGS__>())

/// Explains which hooks of rewrite_into_ssa and rewrite_out_of_ssa an adaptation lacks:
/// PLAIT_CHECK_REWRITABLE_PROGRAM(my::function); names each in a sentence.
template <class P>
consteval bool check_rewritable_program() {
  constexpr bool with_phis = check_program_with_phis<P>();
  if constexpr (with_phis) {
    static_assert(detail::check_renaming_hooks<block_t<P>>());
    static_assert(
        detail::gives_mutable_block<P>,
        "plait: program_traits<P>::block(p, n) is there, but does not give a net that can be changed; wanted: "
        "block(p, n) of a P&, a reference to the net");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(
        P, true, "program_traits<P>", insert_phi, "insert_phi(p, n, name, arguments)",
        "name a program_name_t<P> const&, arguments a std::span<phi_argument_t<P> const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(P, true, "program_traits<P>", erase_phis, "erase_phis(p, n)",
                                      "n a node_t<P> const&");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(P, true, "program_traits<P>", insert_copy, "insert_copy(p, n, place, to, from)",
                                      "place a std::size_t, to and from a program_name_t<P> const&");
    static_assert(detail::check_copy_place<P>());
    PLAIT_DETAIL_CHECK_OPTIONAL_MUTABLE_MEMBER(P, true, "program_traits<P>", split_edge, "split_edge(p, from, way)",
                                               "from a node_t<P> const&, way a std::size_t");
    PLAIT_DETAIL_CHECK_CALL(P, detail::has_own_new_name<P>, is_a_function_with_other_parameters, "program_traits<P>",
                            own_new_name, "new_name(p, name)", "a program_name_t<P>");
    static_assert(name_making_program<P> || detail::mentions_new_name<P>,
                  "plait: new names cannot be made: program_traits<P> lacks new_name(p, name) -> name, and the names "
                  "of blocks have no text that net_traits' make_name(n, text) could make one from");
  }
  return with_phis && phi_insertable_program<P> && phi_erasable_program<P> && copy_insertable_program<P> &&
         name_making_program<P>;
}

#define PLAIT_CHECK_REWRITABLE_PROGRAM(...) static_assert(::plait::check_rewritable_program<__VA_ARGS__>())

}  // namespace plait
