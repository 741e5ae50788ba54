// Roots of the post-dominator tree: the exits of a graph, and one node for each infinite loop.
//
// A node without successors is an exit. Nodes that reach no exit are in or lead to infinite loops; these get roots by
// the rule of LLVM (14 to 20) and GCC, so that post-dominators equal theirs: in ascending order, from each node that
// reaches no root yet, search forward, depth first, the successor with the highest number first; the last visited node
// becomes a root. Roots that reach other roots are dropped in the end. The result is one root for each strongly
// connected component without outgoing edges.
//
// O(nodes + edges) time for the exits and one infinite loop; each further infinite loop costs a search of the nodes
// that it reaches and that have no root yet, which is quadratic at worst for thousands of infinite loops with a common
// tail. Iterative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// The roots of the reversed graph. Recomputation reuses the memory.
class post_dominator_roots {
 public:
  /// Computes the roots from successors, ascending in each row, and predecessors.
  constexpr void compute(csr<std::uint32_t> const& successors, csr<std::uint32_t> const& predecessors);

  /// Returns the exits in ascending order, then a node of each infinite loop. Every node reaches one of them, none
  /// reaches another.
  constexpr std::span<std::uint32_t const> roots() const noexcept { return roots_; }
  /// Returns the number of roots without successors.
  constexpr std::size_t exit_count() const noexcept { return exits_; }

 private:
  static constexpr std::uint32_t fresh = npos;
  static constexpr std::uint32_t reaches_root = npos - 1;

  constexpr void mark_reaching(std::uint32_t root, csr<std::uint32_t> const& predecessors);
  constexpr std::uint32_t last_visited_from(std::uint32_t start, csr<std::uint32_t> const& successors);
  constexpr void drop_redundant(csr<std::uint32_t> const& predecessors);

  std::vector<std::uint32_t> roots_;
  std::size_t exits_ = 0;
  std::vector<std::uint32_t>
      marks_;  // fresh, reaches_root, or the start of the last forward search that visited the node
  std::vector<std::uint32_t> stack_;
};

constexpr void post_dominator_roots::compute(csr<std::uint32_t> const& successors,
                                             csr<std::uint32_t> const& predecessors) {
  auto const n = static_cast<std::uint32_t>(successors.size());
  roots_.clear();
  marks_.assign(n, fresh);
  for (std::uint32_t at = 0; at != n; ++at) {
    if (!successors[at].empty()) continue;
    roots_.push_back(at);
    mark_reaching(at, predecessors);
  }
  exits_ = roots_.size();
  for (std::uint32_t at = 0; at != n; ++at) {
    if (marks_[at] == reaches_root) continue;
    roots_.push_back(last_visited_from(at, successors));
    mark_reaching(roots_.back(), predecessors);
  }
  if (roots_.size() > exits_ + 1) drop_redundant(predecessors);
}

constexpr void post_dominator_roots::mark_reaching(std::uint32_t root, csr<std::uint32_t> const& predecessors) {
  marks_[root] = reaches_root;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    std::uint32_t const at = stack_.back();
    stack_.pop_back();
    for (std::uint32_t const p : predecessors[at]) {
      if (marks_[p] == reaches_root) continue;
      marks_[p] = reaches_root;
      stack_.push_back(p);
    }
  }
}

// No node visited by this search reaches a root: else its start would.
constexpr std::uint32_t post_dominator_roots::last_visited_from(std::uint32_t start,
                                                                csr<std::uint32_t> const& successors) {
  std::uint32_t last = start;
  stack_.assign(1, start);
  while (!stack_.empty()) {
    std::uint32_t const at = stack_.back();
    stack_.pop_back();
    if (marks_[at] == start) continue;
    marks_[at] = start;
    last = at;
    for (std::uint32_t const s : successors[at])
      if (marks_[s] != start) stack_.push_back(s);
  }
  return last;
}

// A root reaches none of the earlier roots: else it would have been marked by then. So, from the last to the first, it
// is redundant if a later root has marked it.
constexpr void post_dominator_roots::drop_redundant(csr<std::uint32_t> const& predecessors) {
  std::ranges::fill(marks_, fresh);
  std::size_t kept = roots_.size();
  for (std::size_t i = roots_.size(); i-- != exits_;) {
    if (marks_[roots_[i]] == reaches_root) continue;
    mark_reaching(roots_[i], predecessors);
    roots_[--kept] = roots_[i];
  }
  roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(exits_),
               roots_.begin() + static_cast<std::ptrdiff_t>(kept));
}

}  // namespace plait
