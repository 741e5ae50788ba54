// Oracle for the roots of the post-dominator tree: LLVM's FindRoots word for word, with sets and one search per query.
#pragma once

#include <algorithm>
#include <vector>

#include <graph/graph_description.hpp>
#include <oracle/naive_dominators.hpp>

namespace test {

[[nodiscard]] inline std::vector<int> naive_post_dominator_roots(graph_description const& g) {
  int const count = static_cast<int>(g.nodes);
  graph_description reversed{g.nodes, {}};
  for (auto [a, b] : g.edges) reversed.edges.emplace_back(b, a);
  auto const successors = [&](int n) {
    std::vector<int> found;
    for (auto [a, b] : g.edges)
      if (a == n) found.push_back(b);
    return found;
  };

  std::vector<int> roots;
  for (int n = 0; n != count; ++n)
    if (successors(n).empty()) roots.push_back(n);
  std::size_t const exits = roots.size();

  for (int n = 0; n != count; ++n) {
    std::vector<bool> const covered = naive_reachable(reversed, roots);
    if (covered[static_cast<std::size_t>(n)]) continue;
    // Searches forward, depth first, the highest successor first; the last node found is the root.
    std::vector<bool> seen(g.nodes);
    std::vector<int> stack{n};
    int last = n;
    while (!stack.empty()) {
      int const at = stack.back();
      stack.pop_back();
      if (seen[static_cast<std::size_t>(at)]) continue;
      seen[static_cast<std::size_t>(at)] = true;
      last = at;
      std::vector<int> next = successors(at);
      std::ranges::sort(next);
      stack.insert(stack.end(), next.begin(), next.end());
    }
    roots.push_back(last);
  }

  // Drops roots that reach another root.
  for (std::size_t i = exits; i < roots.size();) {
    std::vector<bool> const reached = naive_reachable(g, {roots[i]});
    bool const redundant = std::ranges::any_of(
        roots, [&](int other) { return other != roots[i] && reached[static_cast<std::size_t>(other)]; });
    if (redundant)
      roots.erase(roots.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return roots;
}

}  // namespace test
