// The ops that outputs of a net depend on, up to given inputs.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// The ops needed to make the values `wanted`, ascending. Values in `given` are at hand: what makes them is not followed.
/// Other versions of the same blobs are followed. Values without a producer are leaves. O(operands).
template <net N>
[[nodiscard]] constexpr std::vector<op_index> ops_in_path(ssa_form<N> const& ssa, std::span<value const> given,
                                                          std::span<value const> wanted) {
  std::vector<bool> met(ssa.value_count());
  std::vector<bool> needed(ssa.op_count());
  std::vector<op_index> pending;
  auto const meet = [&](value v) {
    if (met[ssa.index(v)]) return;
    met[ssa.index(v)] = true;
    if (auto const by = ssa.producer(v); by && !needed[by->op]) {
      needed[by->op] = true;
      pending.push_back(by->op);
    }
  };
  for (value v : given) met[ssa.index(v)] = true;
  for (value v : wanted) meet(v);
  while (!pending.empty()) {
    op_index const op = pending.back();
    pending.pop_back();
    for (value v : ssa.reads(op)) meet(v);
  }
  std::vector<op_index> found;
  for (op_index op = 0; op != ssa.op_count(); ++op)
    if (needed[op]) found.push_back(op);
  return found;
}

/// The values that blobs have after the net has run. Throws net_error for a blob the net does not have.
template <net N, std::ranges::input_range Keys>
[[nodiscard]] std::vector<value> last_values(ssa_form<N> const& ssa, Keys const& keys) {
  std::vector<value> found;
  for (auto const& text : keys) {
    name_key_t<N> const key(text);
    blob_index const b = ssa.find(key);
    if (b == npos) {
      std::string blob;
      if constexpr (std::is_convertible_v<name_key_t<N> const&, std::string_view>) blob = std::string_view(key);
      throw net_error("plait: the net has no blob '" + blob + "'", {}, blob);
    }
    found.push_back({b, ssa.version(b)});
  }
  return found;
}

/// The same by name, for the last version of every output and of every input. Follows Caffe2's get_op_ids_in_path; a
/// blob the net does not have is a net_error, but unlike there one that is read without being declared is known.
template <net N, std::ranges::input_range Inputs, std::ranges::input_range Outputs>
  requires(!std::is_convertible_v<std::ranges::range_reference_t<Outputs>, value>)
[[nodiscard]] std::vector<op_index> ops_in_path(ssa_form<N> const& ssa, Inputs const& inputs,
                                                          Outputs const& outputs) {
  return ops_in_path(ssa, std::span<value const>(last_values(ssa, inputs)),
                     std::span<value const>(last_values(ssa, outputs)));
}

}  // namespace plait
