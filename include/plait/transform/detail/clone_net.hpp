// Net cloning: copies of a net, or of some of its ops, with renamed blobs.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/rename_blobs.hpp>
#include <plait/transform/subgraph.hpp>

namespace plait {

struct clone_options {
  /// New names of blobs, wherever they are mentioned, nested nets included.
  name_map blob_remap = {};
  /// The ops to copy, in this order; empty: all of them. External inputs and outputs stay complete, as in Caffe2.
  std::optional<std::vector<op_index>> ops = {};
  name_capture capture = name_capture::refuse;
};

/// Result of clone().
template <net N>
struct net_clone {
  N net;
  std::string name;  ///< name of the net
  name_map names;    ///< names of blobs in the original to names in the clone
};

/// A net that can be copied and renamed throughout.
template <class N>
concept clonable_net = std::copyable<N> && fully_renamable_net<N> && op_erasable_net<N>;

namespace detail {

template <class N>
std::size_t count_ops(N const& n) {
  std::size_t count = 0;
  for (auto&& op : plait::ops(n)) {
    static_cast<void>(op);
    ++count;
  }
  return count;
}

// Returns a copy with the chosen ops in the chosen order. Checks before it copies.
template <class N>
N copy_of_ops(N const& n, std::vector<op_index> const& chosen) {
  std::size_t const count = count_ops(n);
  for (op_index op : chosen)
    if (op >= count)
      raise(net_error("plait: the net has " + std::to_string(count) + " ops, none at " + std::to_string(op), op));
  auto const disorder = std::ranges::adjacent_find(chosen, std::greater_equal<>());
  if (disorder == chosen.end()) return select_ops(n, count, chosen);
  if constexpr (adopting_net<N>) {
    N made = select_ops(n, count, {});
    std::vector<std::ranges::iterator_t<ops_range_t<N> const>> at;
    auto&& all = plait::ops(n);
    for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it) at.push_back(it);
    for (op_index op : chosen) net_traits_of<N>::adopt_op(made, n, *at[op]);
    return made;
  } else {
    raise(net_error("plait: ops are chosen out of order, and the net type cannot copy an op (adopt_op)", *disorder));
  }
}

// Names nested nets of clones as Caffe2 does: those in a child workspace "cloned_sub_net", numbered, the others by
// their old name.
struct name_nested_clone {
  unique_names* names;
  template <class N>
  void operator()(N& nested, subnet_scope scope) const {
    if constexpr (named_net<N>) {
      std::string const old(net_traits_of<N>::net_name(nested));
      net_traits_of<N>::set_net_name(
          nested, names->next(scope == subnet_scope::child ? std::string("cloned_sub_net") : old + "_remapped"));
    }
  }
};

}  // namespace detail

/// Returns a copy called `name`, with all or some of the ops, in which blobs have new names. Follows Caffe2's
/// Net.Clone, except that control inputs are renamed as well, and nested nets of every kind that sees the net's blobs,
/// those stored as text included. Nested nets get new names, too (names are numbered within one clone, not one
/// process).
///
/// Throws net_error for ops out of range and, unless options.capture is merge, for a new name that another blob has.
/// O(operands + nested nets).
template <clonable_net N>
[[nodiscard]] net_clone<N> clone(N const& n, std::string_view name, clone_options const& options = {}) {
  net_clone<N> result{options.ops ? detail::copy_of_ops(n, *options.ops) : n, std::string(name), {}};

  // Checks names against the whole original: its externals stay, and a name free there is free in any subset of its
  // ops.
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  if (options.capture == name_capture::refuse) detail::check_rename(ssa, options.blob_remap);
  bool const nested = detail::check_nested_renames(n, options.blob_remap, options.capture);
  unique_names nested_names;
  detail::rename_mentions(result.net, options.blob_remap);
  if (nested) detail::rename_in_nested(result.net, options.blob_remap, detail::name_nested_clone{&nested_names});
  if constexpr (named_net<N>) detail::net_traits_of<N>::set_net_name(result.net, name);
  for (auto const& [from, to] : options.blob_remap)
    if (ssa.contains(from)) result.names.set(from, to);
  return result;
}

}  // namespace plait
