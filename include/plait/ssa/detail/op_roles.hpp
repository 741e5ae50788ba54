// Roles of ops and values in a net: live and dead ops, in-place chains, parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Returns, by op, true for the live ops: those in `kept`, those that write an external output, and the producers of
/// what a live op reads. The form has to include what nested nets read (ssa_options::subnets). O(operands).
template <net N>
[[nodiscard]] constexpr std::vector<char> live_ops(ssa_form<N> const& ssa, std::vector<char> const& kept) {
  std::vector<char> needed(ssa.value_count(), 0);  // not vector<bool>: see ssa_form::undefined
  for (value v : ssa.external_outputs()) needed[ssa.index(v)] = 1;
  std::vector<char> live(ssa.op_count(), 0);
  // Producers precede readers, so one backward sweep suffices.
  for (auto op = static_cast<op_index>(ssa.op_count()); op-- != 0;) {
    bool const lives =
        kept[op] != 0 || std::ranges::any_of(ssa.writes(op), [&](value v) { return needed[ssa.index(v)] != 0; });
    if (!lives) continue;
    live[op] = 1;
    for (value v : ssa.reads(op)) needed[ssa.index(v)] = 1;
  }
  return live;
}

/// Returns, by op, true for the dead ops of a picture: those that are not live if ops without outputs and those for
/// which is_root(op) holds are kept. None are dead in a net without declared outputs, all of whose blobs are results.
template <net N, class IsRoot>
[[nodiscard]] std::vector<bool> dead_ops(ssa_form<N> const& ssa, IsRoot is_root) {
  std::vector<char> kept(ssa.op_count(), ssa.external_outputs().empty() ? char{1} : char{0});
  for (op_index op = 0; op != ssa.op_count(); ++op)
    if (ssa.writes(op).empty() || is_root(op)) kept[op] = 1;
  std::vector<bool> dead;
  for (char const lives : live_ops(ssa, kept)) dead.push_back(lives == 0);
  return dead;
}

/// Returns, by value, the number of its in-place chain: values of a blob each of which is computed by an op that reads
/// the one before and overwrites it. npos for a value in no chain. O(operands).
template <net N>
[[nodiscard]] std::vector<std::uint32_t> in_place_chains(ssa_form<N> const& ssa) {
  std::vector<std::uint32_t> chain(ssa.value_count(), npos);
  std::uint32_t count = 0;
  for (op_index op = 0; op != ssa.op_count(); ++op)
    for (value w : ssa.writes(op)) {
      if (w.version == ssa.first_version(w.blob)) continue;
      value const before{w.blob, w.version - 1};
      if (std::ranges::find(ssa.reads(op), before) == ssa.reads(op).end()) continue;
      std::uint32_t& number = chain[ssa.index(before)];
      if (number == npos) number = count++;
      chain[ssa.index(w)] = number;
    }
  return chain;
}

/// Returns, by value, true for the parameters: values on entry that only weights are read as, that is, never as the
/// first input of an op for which counts(op) holds, but read by one. O(operands).
template <net N, class Counts>
[[nodiscard]] std::vector<bool> likely_parameters(ssa_form<N> const& ssa, Counts counts) {
  std::vector<bool> is_parameter(ssa.value_count());
  for (blob_index b : ssa.blobs()) {
    value const v{b, ssa.first_version(b)};
    if (ssa.producing_op(v) != npos) continue;
    bool read = false;
    bool first = false;
    for (operand o : ssa.consumers(v)) {
      if (!counts(o.op)) continue;
      read = true;
      first |= o.slot == 0;
    }
    is_parameter[ssa.index(v)] = read && !first;
  }
  return is_parameter;
}

}  // namespace plait
