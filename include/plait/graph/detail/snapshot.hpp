// Snapshot of a flow graph: a copy of its reachable nodes in dense numbers, made by one depth-first search.
//
//   plait::flow_snapshot s(g);
//   s.node(0) == plait::entry(g);
//   for (std::uint32_t p : s.predecessors(s.number(block))) use(s.node(p));
//
// All graph algorithms of plait start with it, for every graph type: it needs only successors, reads those of each node
// once, and the algorithms run on plain numbers. O(size(g) + edges) time and space; iterative; besides the dense_graph,
// 4 bytes per index, a lazy copy of each reachable node and, unless nodes are their own indices, another one and one of
// each edge's target at most. Excludes unreachable nodes.
//
// Large graphs whose nodes(g) lists all nodes by index are read in that order, mostly that of memory, and searched by
// number: 4 bytes more for each edge and node, unreachable ones included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>  // and std::addressof, for which <memory> would take 0.1 s
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/prefetch.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/index_check.hpp>
#include <plait/graph/detail/lazy_value.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// A numbering of the reachable nodes, and the graph by numbers (dense_graph), as of the last compute(), which reuses
/// memory. The graph must outlive this object and stay at the same address, because number() calls index(g, n), unless
/// nodes are their own indices.
template <flow_graph G>
class flow_snapshot : public dense_graph {
 public:
  constexpr flow_snapshot() = default;
  constexpr explicit flow_snapshot(G const& g) { compute(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  flow_snapshot(G const&&)
    requires detail::has_own_index<G>
  = delete;  // number() would access a destroyed graph

  // Not inlined: inlining spills registers and costs a tenth of the time.
  [[gnu::noinline]] constexpr void compute(G const& g) { copy(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  void compute(G const&&)
    requires detail::has_own_index<G>
  = delete;

  constexpr node_t<G> const& node(std::uint32_t number) const {
    PLAIT_ASSERT(number < size(), "flow_snapshot: no such number");
    return order()[number];
  }
  /// Returns the number of n; npos if n is not, or was not at the last compute(), reachable from the entry.
  constexpr std::uint32_t number(node_t<G> const& n) const {
    if constexpr (detail::has_own_index<G>) {
      return graph_ == nullptr ? npos : at(plait::index(*graph_, n));
    } else {
      return at(static_cast<std::size_t>(n));
    }
  }
  /// Like number(). Precondition: n is reachable.
  constexpr std::uint32_t reached_number(node_t<G> const& n) const {
    std::uint32_t const i = number(n);
    PLAIT_ASSERT(i != npos, "flow_graph: the entry does not reach this node");
    return i;
  }
  /// Returns the nodes by number, that is, in reverse postorder. Computed lazily, by the first call of it or of node(),
  /// in O(size()); concurrent first calls are safe.
  constexpr std::span<node_t<G> const> order() const {
    return order_([this](std::vector<node_t<G>>& order) { put_in_order(order); });
  }

 private:
  // Minimum size at which prefetching, and reading nodes in the listed order, pay off: smaller graphs fit into the
  // caches.
  static constexpr std::size_t large = 65'536;

  constexpr void copy(G const& g);
  constexpr bool copy_listed(G const& g);
  [[gnu::noinline]] constexpr void put_in_order(std::vector<node_t<G>>& order) const {
    order.clear();
    order.reserve(size());
    for (std::uint32_t n = 0; n != size(); ++n) {
      std::uint32_t const at = preorder_number(n);
      if constexpr (detail::has_own_index<G>)
        order.push_back(entered_[listed_ ? preorder_keys()[at] : at]);
      else
        order.push_back(static_cast<node_t<G>>(preorder_keys()[at]));
    }
  }
  // The keys of the depth-first search are indices.
  constexpr std::uint32_t at(std::size_t index) const { return index < numbers_.size() ? numbers_[index] : npos; }

  // Nodes that are their own indices need no copies.
  struct found_node : dfs_edge {
    node_t<G> node;
    constexpr found_node(dfs_edge edge, node_t<G> const& n) : dfs_edge(edge), node(n) {}
    // Copies by member, not as one block of 16 bytes: two stores are not forwarded to one load.
    constexpr found_node(found_node const& other) : dfs_edge(other), node(other.node) {}
    constexpr found_node& operator=(found_node const& other) {
      dfs_edge::operator=(other);
      node = other.node;
      return *this;
    }
    ~found_node() = default;
  };
  using found = std::conditional_t<detail::has_own_index<G>, found_node, dfs_edge>;

  G const* graph_ = nullptr;
  detail::lazy_value<std::vector<node_t<G>>> order_;
  bool listed_ = false;             // copied by copy_listed
  std::vector<node_t<G>> entered_;  // in preorder, by key if listed_; sized for more than needed
  std::vector<node_t<G>> row_;      // the successors of one node
  std::vector<found> waiting_;
  csr<std::uint32_t> rows_;  // by key, if listed_
  std::vector<dfs_edge> waiting_edges_;
};

// Reads the nodes in the listed order, which is mostly that of memory, then searches by number. Returns false if the
// nodes are not listed by index or not complete.
template <flow_graph G>
constexpr bool flow_snapshot<G>::copy_listed(G const& g) {
  rows_.clear();
  detail::index_check<G> check(g);
  for (auto&& n : plait::nodes(g)) {
    std::size_t const at = rows_.size();
    if (at == numbers_.size() || plait::index(g, n) != at) return false;
    check(n, at);
    entered_[at] = n;
    for (auto&& successor : plait::successors(g, n)) {
      std::size_t const i = plait::index(g, successor);
      check(successor, i, std::addressof(entered_[at]));
      rows_.push(static_cast<std::uint32_t>(i));
    }
    rows_.end_row();
  }
  if (rows_.size() != numbers_.size()) return false;
  auto const start = static_cast<std::uint32_t>(plait::index(g, plait::entry(g)));
  depth_first_search(
      dfs_edge(npos, start), waiting_edges_, [&](dfs_edge edge) { return std::as_const(rows_)[edge.to()]; },
      [&](std::uint32_t from, std::uint32_t to) {
        detail::prefetch(std::as_const(rows_)[to].data(), 0);
        return dfs_edge(from, to);
      });
  return true;
}

template <flow_graph G>
constexpr void flow_snapshot<G>::copy(G const& g) {
  graph_ = std::addressof(g);
  order_.invalidate();
  PLAIT_ASSERT(graph_size(g) < npos, "flow_snapshot: more nodes than 32 bits can number");
  numbers_.assign(graph_size(g), npos);
  using successors_t = decltype(plait::successors(g, std::declval<node_t<G> const&>()));
  detail::index_check<G> check(g);
  auto const found_at = [&](std::uint32_t from, node_t<G> const& n) {
    std::size_t const i = plait::index(g, n);
    if (from == npos) {
      check(n, i);
    } else if constexpr (detail::has_own_index<G>) {
      check(n, i, std::addressof(entered_[from]));
    } else {
      node_t<G> const source = static_cast<node_t<G>>(preorder_keys().data()[from]);
      check(n, i, std::addressof(source));
    }
    auto const key = static_cast<std::uint32_t>(i);
    if constexpr (!detail::has_own_index<G>)
      return found{from, key};
    else
      return found({from, key}, n);
  };
  auto const row_of = [&](node_t<G> const& n) -> decltype(auto) {
    if constexpr (std::ranges::random_access_range<successors_t> && std::ranges::sized_range<successors_t>) {
      return plait::successors(g, n);
    } else {
      row_.clear();
      for (auto&& successor : plait::successors(g, n)) row_.push_back(successor);
      return std::span<node_t<G> const>(row_);
    }
  };
  if constexpr (detail::has_own_index<G>)
    if (entered_.size() < numbers_.size()) entered_.resize(numbers_.size(), plait::entry(g));
  listed_ = false;
  if constexpr (detail::has_own_index<G> && has_nodes<G>)
    if (numbers_.size() >= large && copy_listed(g)) {
      listed_ = true;
      return;
    }
  // Successors may refer to the node they belong to: it must not move until they are read.
  node_t<G>* entered = entered_.data();
  [[maybe_unused]] std::conditional_t<detail::has_own_index<G>, std::uint32_t, node_t<G>> asked{};
  auto const enter = [&](found const& at) -> decltype(auto) {
    if constexpr (detail::has_own_index<G>) {
      *entered = at.node;
      return row_of(*entered++);
    } else {
      asked = static_cast<node_t<G>>(at.to());
      return row_of(asked);
    }
  };
  // Prefetches a row that is stored outside the node: it is read when the node is entered.
  auto const fetched_at = [&](std::uint32_t from, node_t<G> const& n) {
    if constexpr (std::ranges::borrowed_range<successors_t> && std::ranges::contiguous_range<successors_t>)
      detail::prefetch(std::ranges::data(plait::successors(g, n)), 0);
    return found_at(from, n);
  };
  // If nodes are numbers, the rows of a medium-sized graph are in near caches.
  found const start = found_at(npos, plait::entry(g));
  if constexpr (detail::has_own_index<G>) {
    depth_first_search(start, waiting_, enter, fetched_at);
  } else {
    if (numbers_.size() >= large)
      depth_first_search(start, waiting_, enter, fetched_at);
    else
      depth_first_search(start, waiting_, enter, found_at);
  }
}

}  // namespace plait
