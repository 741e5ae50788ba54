// Shape subgraphs: Reshape ops with the ops that compute their shape from the data.
#pragma once

#include <iterator>
#include <ranges>
#include <string>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/ops_between.hpp>

namespace plait {

/// Returns for each Reshape, in order, the ops on the paths from its data (input 0) to its shape (input 1), with itself
/// last. `ssa` is the net's. Cost: see path_finder. Throws net_error for a Reshape that does not have two inputs.
/// Follows detectron2's identify_reshape_sub_graph, without its window of fifteen ops.
template <typed_net N>
[[nodiscard]] std::vector<std::vector<op_index>> identify_reshape_subgraphs(N const& n, ssa_form<N> const& ssa) {
  std::vector<op_index> reshapes;
  op_index index = 0;
  for (auto&& op : plait::ops(n)) {
    if (op_type(n, op) == "Reshape") {
      if (std::ranges::distance(plait::inputs(n, op)) != 2)
        raise(net_error(
            "plait: op " + std::to_string(index) + ", a Reshape, does not have data and shape as its two inputs",
            index));
      reshapes.push_back(index);
    }
    ++index;
  }
  std::vector<std::vector<op_index>> found;
  found.reserve(reshapes.size());
  path_finder<N> paths(ssa);
  for (op_index reshape : reshapes) {
    auto const reads = ssa.reads(reshape);
    std::vector<op_index>& subgraph = found.emplace_back(paths(reads[0], reads[1]));
    subgraph.push_back(reshape);
  }
  return found;
}

template <typed_net N>
[[nodiscard]] std::vector<std::vector<op_index>> identify_reshape_subgraphs(N const& n) {
  return identify_reshape_subgraphs(n, get_ssa(n));
}

}  // namespace plait
