// User-defined graph type: its members are the adaptation.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

namespace own {

class graph {
 public:
  explicit graph(std::size_t nodes) : targets_(nodes), sources_(nodes) {}
  void connect(int from, int to) {
    targets_[static_cast<std::size_t>(from)].push_back(to);
    sources_[static_cast<std::size_t>(to)].push_back(from);
  }

  std::size_t size() const { return targets_.size(); }
  int entry() const { return 0; }
  std::vector<int> const& successors(int node) const { return targets_[static_cast<std::size_t>(node)]; }
  std::vector<int> const& predecessors(int node) const { return sources_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<std::vector<int>> targets_;
  std::vector<std::vector<int>> sources_;
};

}  // namespace own

// [adaptation: own graph type, at most 0 lines]
// [end]
