// Oracle for loop forests: by definition (include/plait/graph/loops.hpp), on successor lists. The depth-first search,
// on which irreducible loops depend, follows them in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <graph/graph_description.hpp>
#include <oracle/naive_dominators.hpp>

namespace test {

struct naive_loop {
  int header = 0;
  bool irreducible = false;
  std::set<int> nodes;
  auto operator<=>(naive_loop const&) const = default;
};

class naive_loops {
 public:
  explicit naive_loops(std::vector<std::vector<int>> const& successors) : successors_(successors) {
    for (std::size_t a = 0; a != successors.size(); ++a)
      for (int b : successors[a]) edges_.emplace_back(static_cast<int>(a), b);
    naive_dominators const dominators(graph_description{successors.size(), edges_});
    below_.resize(successors.size());
    walk(0, {});
    for (int h = 0; h != static_cast<int>(successors.size()); ++h) {
      std::set<int> dominated;
      std::set<int> others;
      for (auto [p, to] : edges_)
        if (to == h && below(h).contains(p)) (dominators.dominates(h, p) ? dominated : others).insert(p);
      if (!dominated.empty()) loops_.insert({h, false, leading_to(dominated, h)});
      dominated.merge(others);
      if (dominated != natural_latches(dominators, h)) loops_.insert({h, true, leading_to(dominated, h)});
    }
  }

  std::set<naive_loop> const& loops() const { return loops_; }
  std::vector<std::pair<int, int>> const& edges() const { return edges_; }

  /// Returns the smallest enclosing loop.
  std::optional<naive_loop> parent(naive_loop const& loop) const {
    return smallest([&](naive_loop const& l) { return l != loop && std::ranges::includes(l.nodes, loop.nodes); });
  }
  std::optional<naive_loop> innermost(int node) const {
    return smallest([&](naive_loop const& l) { return l.nodes.contains(node); });
  }
  /// Returns the number of loops that contain the node.
  std::size_t depth(int node) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(loops_, [&](naive_loop const& l) { return l.nodes.contains(node); }));
  }

 private:
  std::set<int> const& below(int n) const { return below_[static_cast<std::size_t>(n)]; }

  // Recursive, which is fine for an oracle. below_[n] contains n and its descendants in the DFS tree.
  void walk(int n, std::vector<int> above) {
    above.push_back(n);
    for (int a : above) below_[static_cast<std::size_t>(a)].insert(n);
    for (int s : successors_[static_cast<std::size_t>(n)])
      if (below(s).empty()) walk(s, above);
  }

  std::set<int> natural_latches(naive_dominators const& dominators, int h) const {
    std::set<int> found;
    for (auto [p, to] : edges_)
      if (to == h && dominators.dominates(h, p)) found.insert(p);
    return found;
  }

  // Returns the header and the nodes that reach the latches within its DFS subtree, without passing through it.
  std::set<int> leading_to(std::set<int> const& latches, int header) const {
    std::set<int> found = {header};
    std::vector<int> open(latches.begin(), latches.end());
    while (!open.empty()) {
      int const n = open.back();
      open.pop_back();
      if (!below(header).contains(n) || !found.insert(n).second) continue;
      for (auto [p, to] : edges_)
        if (to == n) open.push_back(p);
    }
    return found;
  }

  template <class Admits>
  std::optional<naive_loop> smallest(Admits admits) const {
    std::optional<naive_loop> best;
    for (naive_loop const& l : loops_)
      if (admits(l) && (!best || l.nodes.size() < best->nodes.size())) best = l;
    return best;
  }

  std::vector<std::vector<int>> successors_;
  std::vector<std::pair<int, int>> edges_;
  std::vector<std::set<int>> below_;
  std::set<naive_loop> loops_;
};

}  // namespace test
