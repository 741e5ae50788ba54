// Oracle for dominance frontiers and iterated frontiers: by definition.
#pragma once

#include <cstddef>
#include <functional>
#include <set>

#include <graph/graph_description.hpp>
#include <oracle/naive_dominators.hpp>

namespace test {

class naive_frontiers {
 public:
  explicit naive_frontiers(graph_description const& g) : edges_(g), dominators_(g) {}

  naive_dominators const& dominators() const { return dominators_; }

  /// Returns the m such that n dominates a predecessor of m, but not strictly m.
  std::set<int> frontier(int n) const {
    std::set<int> found;
    for (auto [p, m] : edges_.edges)
      if (dominators_.dominates(n, p) && !(n != m && dominators_.dominates(n, m))) found.insert(m);
    return found;
  }

  /// Returns the least fixpoint of the frontiers of the given and the found nodes, restricted to admitted nodes.
  std::set<int> iterated(
      std::set<int> const& nodes, std::function<bool(int)> const& admits = [](int) { return true; }) const {
    std::set<int> found;
    for (bool grown = true; grown;) {
      grown = false;
      std::set<int> from = found;
      from.insert(nodes.begin(), nodes.end());
      for (int n : from)
        for (int m : frontier(n)) grown |= admits(m) && found.insert(m).second;
    }
    return found;
  }

 private:
  graph_description edges_;
  naive_dominators dominators_;
};

}  // namespace test
