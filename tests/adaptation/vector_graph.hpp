// Adjacency lists as a vector of vectors of node numbers; node 0 is the entry.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

// clang-format off
// [adaptation: vector of vectors, at most 5 lines]
template <> struct plait::graph_traits<std::vector<std::vector<int>>> {
  static std::size_t size(auto const& g) { return g.size(); }
  static int entry(auto const&) { return 0; }
  static auto const& successors(auto const& g, int n) { return g[static_cast<std::size_t>(n)]; }
};
// [end]
// clang-format on
