// Backward slice of a net: the ops that values depend on, up to available inputs.
#pragma once

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Returns the ops needed to compute the values `wanted`, ascending. The slice stops at values in `given`, but not at
/// other versions of their blobs, and at values without a producer. O(operands).
template <net N>
[[nodiscard]] constexpr std::vector<op_index> backward_slice(ssa_form<N> const& ssa, std::span<value const> given,
                                                             std::span<value const> wanted) {
  std::vector<char> at_hand(ssa.value_count(), 0);  // not vector<bool>, see ssa_form::undefined
  std::vector<char> needed(ssa.value_count(), 0);
  for (value v : given) at_hand[ssa.index(v)] = 1;
  for (value v : wanted) needed[ssa.index(v)] = 1;
  std::vector<op_index> found;
  // Producers precede consumers, so one backward sweep visits all.
  for (op_index op = static_cast<op_index>(ssa.op_count()); op-- != 0;) {
    bool makes = false;
    for (value v : ssa.writes(op)) makes = makes || (needed[ssa.index(v)] != 0 && at_hand[ssa.index(v)] == 0);
    if (!makes) continue;
    found.push_back(op);
    for (value v : ssa.reads(op)) needed[ssa.index(v)] = 1;
  }
  std::ranges::reverse(found);
  return found;
}

/// Returns the last versions of blobs. Throws net_error for a blob that the net does not have, such as an external
/// output that no op writes.
template <net N, std::ranges::input_range Keys>
[[nodiscard]] std::vector<value> last_values(ssa_form<N> const& ssa, Keys const& keys) {
  std::vector<value> found;
  std::vector<bool> missing(ssa.unwritten_outputs().empty() ? 0 : ssa.blob_bound());
  for (blob_index b : ssa.unwritten_outputs()) missing[b] = true;
  for (auto const& text : keys) {
    name_key_t<N> const key(text);
    blob_index const b = ssa.find(key);
    if (b == npos || (!missing.empty() && missing[b])) {
      std::string blob;
      if constexpr (std::is_convertible_v<name_key_t<N> const&, std::string_view>) blob = std::string_view(key);
      raise(net_error("plait: the net has no blob '" + blob + "'", {}, blob));
    }
    found.push_back({b, ssa.version(b)});
  }
  return found;
}

/// Returns the slice by names, for the last versions of outputs and of inputs. Follows Caffe2's get_op_ids_in_path.
/// Throws net_error for a blob that the net does not have; unlike there, undeclared reads are known.
template <net N, std::ranges::input_range Inputs, std::ranges::input_range Outputs>
  requires(!std::is_convertible_v<std::ranges::range_reference_t<Outputs>, value>)
[[nodiscard]] std::vector<op_index> backward_slice(ssa_form<N> const& ssa, Inputs const& inputs,
                                                   Outputs const& outputs) {
  return backward_slice(ssa, std::span<value const>(last_values(ssa, inputs)),
                        std::span<value const>(last_values(ssa, outputs)));
}

}  // namespace plait
