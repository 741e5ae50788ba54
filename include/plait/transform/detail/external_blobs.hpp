// Free variables of a nested net: blobs it reads from, and writes to, its lexical scope.
#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// External blobs of a net, each once, in order of first appearance. Text is copied: a name that only a nested net
/// mentions is stored nowhere in the outer net.
template <net N>
struct external_blobs {
  using name_type = std::conditional_t<has_text<N>, std::string, name_t<N>>;
  std::vector<name_type> inputs;   ///< read before any write
  std::vector<name_type> outputs;  ///< written
};

namespace detail {

template <class N>
external_blobs<N> blobs_across(ssa_form<N> const& ssa) {
  external_blobs<N> found;
  for (blob_index b : ssa.undefined()) found.inputs.emplace_back(ssa.name(b));
  std::vector<bool> seen(ssa.blob_bound());
  for (op_index op = 0; op != ssa.op_count(); ++op)
    for (value v : ssa.writes(op))
      if (!seen[v.blob]) {
        seen[v.blob] = true;
        found.outputs.emplace_back(ssa.name(v.blob));
      }
  return found;
}

// Returns the first op that reads a blob before any write of it.
template <class N>
op_index first_reader(ssa_form<N> const& ssa, typename external_blobs<N>::name_type const& name) {
  return ssa.consumers({ssa.find(name_key_t<N>(name)), 0}).front().op;
}

}  // namespace detail

/// Returns the external blobs without a lexical scope: all blobs read before any write, and all blobs written.
/// O(operands).
template <net N>
[[nodiscard]] external_blobs<N> external_blob_names(N const& n, ssa_options const& options = {}) {
  return detail::blobs_across(get_ssa(n, options));
}

/// Returns the external blobs in a lexical scope, the names visible around the net: inputs as above, each of which must
/// be in scope, and the outputs that are; other blobs written are local. Throws net_error, with the reading op, for an
/// input that is not in scope. Follows Caffe2's get_external_blob_names, in order of appearance where that has hash
/// order. O(operands + scope).
template <net N, std::ranges::input_range Scope>
  requires std::constructible_from<name_key_t<N>, std::ranges::range_reference_t<Scope const&>>
[[nodiscard]] external_blobs<N> external_blob_names(N const& n, Scope const& lexical_scope,
                                                    ssa_options const& options = {}) {
  boost::unordered_flat_set<name_key_t<N>, std::hash<name_key_t<N>>> visible;
  for (auto const& name : lexical_scope) visible.insert(name_key_t<N>(name));

  auto const ssa = get_ssa(n, options);
  external_blobs<N> found = detail::blobs_across(ssa);
  for (auto const& key : found.inputs)
    if (!visible.contains(name_key_t<N>(key))) {
      std::string blob;
      if constexpr (has_text<N>) blob = key;
      raise(net_error("plait: blob '" + blob + "' is read but neither written before nor in the lexical scope",
                      detail::first_reader(ssa, key), blob));
    }
  std::erase_if(found.outputs, [&](auto const& key) { return !visible.contains(name_key_t<N>(key)); });
  return found;
}

}  // namespace plait
