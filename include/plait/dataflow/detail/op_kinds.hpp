// Op kinds, numbered: two ops of one kind compute the same function of their inputs.
//
//   std::vector<std::uint32_t> kinds;
//   plait::number_kinds(snapshot, f, [](auto const& net, auto const& op) { return is_pure(op); }, kinds);
//
// kind(net, op) is called with an op as ops(net) yields it and returns
//   - a bool: false for an op with side effects, or whose inputs do not determine its outputs (a read, a random
//   number);
//     true for one whose type (net_traits) identifies the function it computes;
//   - or a std::optional of any regular, hashable type: nullopt for the former, else a key that identifies the
//   function.
// TRAP: ops of one type with different arguments compute different functions. Where ops have arguments, return a key
// that includes them, or false.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

namespace detail {
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <program P, class Kind>
using kind_result_t = std::remove_cvref_t<op_answer_t<Kind, P>>;
}  // namespace detail

/// A callback of number_kinds: returns a bool (for nets whose ops have types) or a std::optional for a net and an op.
template <class Kind, class P>
concept op_kind_of =
    detail::called_with_op<Kind, P> && (detail::is_optional<detail::kind_result_t<P, Kind>>::value ||
                                        (std::same_as<detail::kind_result_t<P, Kind>, bool> && typed_net<block_t<P>>));

namespace detail {
template <class Kind, class P>
consteval bool check_op_kind() {
  static_assert(op_function<Kind, P>,
                "plait: kind cannot be called as kind(net, op); wanted: std::optional<Key> kind(block_t<P> const& net, "
                "op_ref_t<block_t<P>> op), or bool kind(net, op) where ops have types");
  if constexpr (op_function<Kind, P>)
    static_assert(op_kind_of<Kind, P>,
                  "plait: kind(net, op) returns another type than wanted: a std::optional, or bool where net_traits<N> "
                  "has type(n, op)");
  return true;
}
}  // namespace detail

/// Sets `kinds`, by op number, to the numbers of kinds in order of first occurrence; npos for ops without kind. O(ops).
template <program P, op_kind_of<P> Kind>
constexpr void number_kinds(program_snapshot<P> const& snapshot, P const& p, Kind&& kind,
                            std::vector<std::uint32_t>& kinds) {
  using result = detail::kind_result_t<P, Kind>;
  kinds.clear();
  if constexpr (std::same_as<result, bool>) {
    // A type's text outlives a net that is a temporary handle: it lives as long as the program.
    using key = detail::op_type_key_t<block_t<P>>;
    detail::key_index<key> types;
    for (auto const& node : snapshot.graph().order()) {
      auto&& net = plait::block(p, node);
      for (auto&& op : ops(net)) {
        bool const has_kind = std::invoke(kind, std::as_const(net), op);
        kinds.push_back(has_kind ? types.intern(key(op_type(net, op))) : npos);
      }
    }
  } else {
    detail::key_index<typename result::value_type> known;
    for (auto const& node : snapshot.graph().order()) {
      auto&& net = plait::block(p, node);
      for (auto&& op : ops(net)) {
        auto const said = std::invoke(kind, std::as_const(net), op);
        kinds.push_back(said ? known.intern(*said) : npos);
      }
    }
  }
}

}  // namespace plait
