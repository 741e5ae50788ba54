// Edge list of a flow graph: input of the builders of all graph types and of the oracles.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace test {

/// Nodes 0 … nodes - 1, node 0 is the entry.
struct graph_description {
  std::size_t nodes = 1;
  std::vector<std::pair<int, int>> edges = {};
};

}  // namespace test
