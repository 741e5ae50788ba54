// Oracle for dominators: a dominates b if deleting a cuts all paths from the entry to b. Quadratic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <graph/graph_description.hpp>

namespace test {

/// Returns the nodes reachable from any of `from` without entering `without` (-1: no restriction).
[[nodiscard]] inline std::vector<bool> naive_reachable(graph_description const& g, std::vector<int> from,
                                                       int without = -1) {
  std::vector<bool> seen(g.nodes, false);
  while (!from.empty()) {
    int const node = from.back();
    from.pop_back();
    if (node == without || seen[static_cast<std::size_t>(node)]) continue;
    seen[static_cast<std::size_t>(node)] = true;
    for (auto [a, b] : g.edges)
      if (a == node) from.push_back(b);
  }
  return seen;
}

/// Dominators by definition. Unreachable nodes dominate nothing and are dominated by nothing, themselves included.
class naive_dominators {
 public:
  explicit naive_dominators(graph_description const& g, std::vector<int> const& roots = {0})
      : reachable_(naive_reachable(g, roots)) {
    for (std::size_t a = 0; a != g.nodes; ++a) {
      std::vector<bool> const left = naive_reachable(g, roots, static_cast<int>(a));
      dominated_.emplace_back(g.nodes, false);
      for (std::size_t b = 0; b != g.nodes; ++b)
        dominated_[a][b] = reachable_[a] && reachable_[b] && (a == b || !left[b]);
    }
  }

  std::size_t size() const { return reachable_.size(); }
  bool reachable(int n) const { return reachable_[static_cast<std::size_t>(n)]; }
  bool dominates(int a, int b) const { return dominated_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; }
  /// Returns the number of strict dominators of n, which form a chain.
  std::size_t depth(int n) const {
    std::size_t found = 0;
    for (int a = 0; a != static_cast<int>(size()); ++a) found += a != n && dominates(a, n) ? 1 : 0;
    return found;
  }
  /// Returns the strict dominator that all others dominate.
  std::optional<int> idom(int n) const {
    return deepest([&](int a) { return a != n && dominates(a, n); });
  }
  std::optional<int> nearest_common(int a, int b) const {
    return deepest([&](int d) { return dominates(d, a) && dominates(d, b); });
  }

 private:
  template <class Admits>
  std::optional<int> deepest(Admits admits) const {
    std::optional<int> best;
    for (int d = 0; d != static_cast<int>(size()); ++d)
      if (admits(d) && (!best || dominates(*best, d))) best = d;
    return best;
  }

  std::vector<bool> reachable_;
  std::vector<std::vector<bool>> dominated_;
};

}  // namespace test
