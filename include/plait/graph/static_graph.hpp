// Constexpr flow graph: a fixed-size graph for constant expressions, built from a list of edges.
//
//   constexpr plait::static_graph cfg({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/core/assert.hpp>
#include <plait/core/detail/raise.hpp>

namespace plait {

namespace detail {
// Not constexpr: a call in a constant expression is an error in which the compiler quotes this name.
[[noreturn]] inline void static_graph_node_number_at_or_above_max_nodes() {
  raise(precondition_error("plait::static_graph: node number at or above MaxNodes"));
}
}  // namespace detail

/// An edge between two node numbers.
struct static_edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend constexpr bool operator==(static_edge const&, static_edge const&) = default;
};

/// A flow graph stored entirely in the object. Nodes are 0 … the largest number that occurs (in an edge or as the
/// entry); numbers in between that do not occur are nodes without edges. Successors and predecessors of a node keep the
/// order of the list, parallel edges and self-loops included. Building is O(Edges + MaxNodes), every query O(1).
/// `MaxNodes` is the capacity for nodes; by default as many as that many edges can connect, and the entry. Throws
/// precondition_error (in a constant expression: does not compile) for a node at or above MaxNodes.
template <std::size_t Edges, std::size_t MaxNodes = 2 * Edges + 1>
class static_graph {
 public:
  using node = std::uint32_t;

  /// Constructs a graph with one node and no edges.
  constexpr static_graph()
    requires(Edges == 0)
  = default;
  template <std::size_t N>
    requires(N == Edges)
  constexpr static_graph(static_edge const (&edges)[N], node entry = 0) : entry_(entry), size_(number(entry) + 1) {
    for (static_edge const& e : edges) {
      size_ = number(e.from) < size_ ? size_ : e.from + std::size_t{1};
      size_ = number(e.to) < size_ ? size_ : e.to + std::size_t{1};
    }
    fill(
        edges, out_, [](static_edge const& e) { return e.from; }, [](static_edge const& e) { return e.to; });
    fill(
        edges, in_, [](static_edge const& e) { return e.to; }, [](static_edge const& e) { return e.from; });
  }

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr node entry() const noexcept { return entry_; }
  static constexpr std::size_t edge_count() noexcept { return Edges; }
  constexpr std::span<node const> successors(node n) const { return out_[row(n)]; }
  constexpr std::span<node const> predecessors(node n) const { return in_[row(n)]; }

 private:
  struct rows {
    std::array<std::uint32_t, MaxNodes + 1> first{};
    std::array<node, Edges> items{};
    constexpr std::span<node const> operator[](std::size_t n) const {
      return std::span<node const>(items).subspan(first[n], first[n + 1] - first[n]);
    }
  };

  static constexpr std::size_t number(node n) {
    // Not PLAIT_ASSERT: the arrays have exactly this size, so the check must not vanish in release builds.
    if (n >= MaxNodes) detail::static_graph_node_number_at_or_above_max_nodes();
    return n;
  }
  constexpr std::size_t row(node n) const {
    PLAIT_ASSERT(n < size_, "static_graph: no such node");
    return n;
  }

  // Counting sort; iterating the list backwards makes it stable.
  template <class Row, class Item>
  static constexpr void fill(std::span<static_edge const> edges, rows& into, Row row, Item item) {
    for (static_edge const& e : edges) ++into.first[row(e)];
    std::uint32_t total = 0;
    for (std::uint32_t& first : into.first) first = total += first;
    for (std::size_t i = Edges; i-- != 0;) into.items[--into.first[row(edges[i])]] = item(edges[i]);
  }

  node entry_ = 0;
  std::size_t size_ = 1;
  rows out_;
  rows in_;
};

template <std::size_t Edges>
static_graph(static_edge const (&)[Edges]) -> static_graph<Edges>;
template <std::size_t Edges>
static_graph(static_edge const (&)[Edges], std::uint32_t) -> static_graph<Edges>;
static_graph() -> static_graph<0>;

}  // namespace plait
