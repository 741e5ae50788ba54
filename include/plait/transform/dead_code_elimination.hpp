// Dead code elimination: removes the ops that no external output depends on.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/op_roles.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct dead_op_options {
  /// Keep ops without outputs (Print, a send). detectron2 removes them.
  bool keep_ops_without_outputs = false;
  /// Remove also external inputs that nothing reads any more and that are no external outputs.
  bool prune_external_inputs = false;
  /// detectron2's rule: an op is dead as soon as one reader of each of its results is dead, though others are live. The
  /// remaining net may read undefined blobs; for comparison with that system only.
  bool dead_reader_kills = false;
  /// Reads by nested nets keep producers live, and writes by nested nets keep their op live.
  bool subnets = true;
};

/// Result of dead code elimination: positions in the original net, ascending.
struct dead_ops_report {
  std::vector<op_index> ops;
  std::vector<std::uint32_t> external_inputs;     ///< slots; only with prune_external_inputs
  std::vector<std::string> external_input_names;  ///< their names
  constexpr bool empty() const noexcept { return ops.empty() && external_inputs.empty(); }
};

namespace detail {
struct keep_none {
  template <class Op>
  constexpr bool operator()(Op const&) const {
    return false;
  }
};

template <class N>
constexpr std::vector<char> alive_by_every_reader(ssa_form<N> const& ssa, std::vector<char> const& kept) {
  std::vector<char> promised(ssa.value_count(), 0);
  for (value v : ssa.external_outputs()) promised[ssa.index(v)] = 1;
  std::vector<char> alive(ssa.op_count(), 0);
  for (op_index op = static_cast<op_index>(ssa.op_count()); op-- != 0;) {
    auto const needed = [&](value v) {
      auto const readers = ssa.consumers(v);
      return promised[ssa.index(v)] != 0 ||
             (!readers.empty() && std::ranges::all_of(readers, [&](operand o) { return alive[o.op] != 0; }));
    };
    if (kept[op] != 0 || std::ranges::any_of(ssa.writes(op), needed)) alive[op] = 1;
  }
  return alive;
}
}  // namespace detail

namespace detail {
template <class Keep, class N>
consteval bool check_keep() {
  static_assert(std::invocable<Keep&, op_ref_t<N>>,
                "plait: keep cannot be called as keep(op); wanted: bool keep(op_ref_t<N> op)");
  if constexpr (std::invocable<Keep&, op_ref_t<N>>)
    static_assert(std::predicate<Keep&, op_ref_t<N>>,
                  "plait: keep(op) returns another type than wanted: bool, true if the op has a side effect");
  return true;
}
}  // namespace detail

/// Finds the ops from which no external output can be reached. An op is live if an external output is one of its
/// results, if a live op reads one (as input, control input or in a nested net), or if keep(op) returns true (a side
/// effect). Without external outputs every op is dead.
///
/// Follows detectron2's remove_dead_end_ops, except that there one dead reader kills an op that live ones read as well.
/// Throws net_error for an external output that is neither written by an op nor an input of the net. O(operands).
/// A constant expression for a constexpr net, without prune_external_inputs.
template <net N, class Keep = detail::keep_none>
  requires has_external_outputs<N> && std::predicate<Keep&, op_ref_t<N>>
[[nodiscard]] constexpr dead_ops_report find_dead_ops(N const& n, dead_op_options const& options = {}, Keep keep = {}) {
  auto const ssa = get_ssa(n, ssa_options{.subnets = options.subnets, .control_inputs = true});
  auto const text = [&](blob_index b) {
    if constexpr (has_text<N>)
      return std::string(std::string_view(ssa.name(b)));
    else
      return std::string();
  };
  if (!ssa.unwritten_outputs().empty()) {
    std::string const blob = text(ssa.unwritten_outputs().front());
    raise(net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {},
                    blob));
  }

  std::vector<char> kept(ssa.op_count(), 0);
  if (options.keep_ops_without_outputs)
    for (op_index op = 0; op != ssa.op_count(); ++op)
      if (ssa.writes(op).empty()) kept[op] = 1;
  if constexpr (!std::same_as<Keep, detail::keep_none>) {
    op_index at = 0;
    for (auto&& op : plait::ops(n)) {
      if (keep(op)) kept[at] = 1;
      ++at;
    }
  }
  std::vector<char> alive;  // assigned: GCC 12 destroys the result of ?: twice in constant expressions
  if (options.dead_reader_kills)
    alive = detail::alive_by_every_reader(ssa, kept);
  else
    alive = live_ops(ssa, kept);

  dead_ops_report found;
  for (op_index op = 0; op != alive.size(); ++op)
    if (alive[op] == 0) found.ops.push_back(op);
  if (!options.prune_external_inputs) return found;

  std::vector<char> read(ssa.value_count(), 0);
  for (op_index op = 0; op != alive.size(); ++op)
    if (alive[op] != 0)
      for (value v : ssa.reads(op)) read[ssa.index(v)] = 1;
  for (value v : ssa.external_outputs()) read[ssa.index(v)] = 1;
  std::uint32_t slot = 0;
  for (value v : ssa.external_inputs()) {
    if (read[ssa.index(v)] == 0) {
      found.external_inputs.push_back(slot);
      found.external_input_names.push_back(text(v.blob));
    }
    ++slot;
  }
  return found;
}

// Overload for any other `keep`: a static_assert names the required signature.
template <net N, class Keep>
  requires has_external_outputs<N>
dead_ops_report find_dead_ops(N const&, dead_op_options const&, Keep) {
  static_assert(detail::check_keep<Keep, N>());
  return {};
}

/// Removes dead ops and inputs, and returns the report of find_dead_ops. Strong guarantee; idempotent. O(operands).
template <op_erasable_net N, class Keep = detail::keep_none>
  requires has_external_outputs<N> &&
           (input_erasable_net<N> || !has_external_inputs<N>) && std::predicate<Keep&, op_ref_t<N>>
constexpr dead_ops_report remove_dead_ops(N& n, dead_op_options const& options = {}, Keep keep = {}) {
  dead_ops_report found = find_dead_ops(std::as_const(n), options, std::move(keep));
  using traits = detail::net_traits_of<N>;
  if (!found.ops.empty()) traits::erase_ops(n, found.ops);
  if constexpr (input_erasable_net<N>)
    if (!found.external_inputs.empty()) traits::erase_external_inputs(n, found.external_inputs);
  return found;
}

template <op_erasable_net N, class Keep>
  requires has_external_outputs<N> && (input_erasable_net<N> || !has_external_inputs<N>)
dead_ops_report remove_dead_ops(N&, dead_op_options const&, Keep) {
  static_assert(detail::check_keep<Keep, N>());
  return {};
}

}  // namespace plait
