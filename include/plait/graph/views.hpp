// Graph views: a flow graph reversed, with filtered edges, or induced by a subset of its nodes, and adjacency lists as
// a flow graph (adjacency_view.hpp).
//
//   plait::preorder(plait::reversed(g, exit));                             // the nodes that reach exit
//   plait::filtered(g, [&](auto from, auto to) { return !cold(from, to); });
//   plait::induced(g, header, [&](auto n) { return loop.contains(n); });   // a region with its own entry
//
// Views are small values that refer to the graph (or contain the view they are built on): it must outlive them. They
// satisfy flow_graph by their members, like user-defined graphs. Nothing is copied and nothing stored per node; each
// query costs what it costs in the graph and a call of the predicate per edge. The order of successors is that of the
// graph.
#pragma once

#include <concepts>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <plait/core/assert.hpp>
#include <plait/graph/detail/adjacency_view.hpp>
#include <plait/graph/detail/graph_view_base.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

namespace detail {

// Holds a graph by reference, a view by value, so that views can be built on temporary views.
template <class G>
class graph_reference {
 public:
  constexpr explicit graph_reference(G const& g) : graph_(std::addressof(g)) {}
  constexpr G const& operator*() const { return *graph_; }

 private:
  G const* graph_;
};
template <graph_view G>
class graph_reference<G> {
 public:
  constexpr explicit graph_reference(G const& g) : graph_(g) {}
  constexpr G const& operator*() const { return graph_; }

 private:
  G graph_;
};

// A graph that a view can refer to: an lvalue, or a view. Compare std::ranges::viewable_range.
template <class G>
concept viewable_graph = flow_graph<G> && (std::is_lvalue_reference_v<G> || graph_view<G>);

// The members that all views forward unchanged.
template <class G>
class graph_view_interface : public graph_view_base {
 public:
  constexpr graph_view_interface(G const& g, node_t<G> const& entry) : graph_(g), entry_(entry) {}

  constexpr auto size() const { return graph_size(*graph_); }
  constexpr node_t<G> entry() const { return entry_; }
  // Omitted if nodes are their own indices, so that results on the view need not query it for them.
  constexpr auto index(node_t<G> const& n) const
    requires has_own_index<G>
  {
    return plait::index(*graph_, n);
  }
  constexpr decltype(auto) text(node_t<G> const& n) const
    requires has_node_text<G>
  {
    return graph_traits_of<G>::text(*graph_, n);
  }

 protected:
  constexpr G const& graph() const { return *graph_; }

 private:
  graph_reference<G> graph_;
  node_t<G> entry_;
};

}  // namespace detail

/// The transposed graph, entered at a node, usually an exit.
template <flow_graph G>
  requires has_predecessors<G>
class reversed_graph : public detail::graph_view_interface<G> {
 public:
  using detail::graph_view_interface<G>::graph_view_interface;
  constexpr decltype(auto) successors(node_t<G> const& n) const { return plait::predecessors(this->graph(), n); }
  constexpr decltype(auto) predecessors(node_t<G> const& n) const { return plait::successors(this->graph(), n); }
  constexpr decltype(auto) nodes() const
    requires has_nodes<G>
  {
    return plait::nodes(this->graph());
  }
};

/// The subgraph of the edges for which keep(from, to) is true.
template <flow_graph G, std::predicate<node_t<G> const&, node_t<G> const&> Keep>
class filtered_graph : public detail::graph_view_interface<G> {
 public:
  constexpr filtered_graph(G const& g, Keep keep)
      : detail::graph_view_interface<G>(g, plait::entry(g)), keep_(std::move(keep)) {}
  constexpr auto successors(node_t<G> const& n) const {
    return std::views::filter(plait::successors(this->graph(), n),
                              [this, n](node_t<G> const& to) { return keep_(n, to); });
  }
  constexpr auto predecessors(node_t<G> const& n) const
    requires has_predecessors<G>
  {
    return std::views::filter(plait::predecessors(this->graph(), n),
                              [this, n](node_t<G> const& from) { return keep_(from, n); });
  }
  constexpr decltype(auto) nodes() const
    requires has_nodes<G>
  {
    return plait::nodes(this->graph());
  }

 private:
  Keep keep_;
};

/// The subgraph induced by the nodes for which keep(node) is true.
template <flow_graph G, std::predicate<node_t<G> const&> Keep>
class induced_graph : public detail::graph_view_interface<G> {
 public:
  /// Precondition: keep(entry).
  constexpr induced_graph(G const& g, node_t<G> const& entry, Keep keep)
      : detail::graph_view_interface<G>(g, entry), keep_(std::move(keep)) {
    PLAIT_ASSERT(keep_(entry), "induced: the entry must be one of the nodes");
  }
  constexpr auto successors(node_t<G> const& n) const { return kept(plait::successors(this->graph(), n)); }
  constexpr auto predecessors(node_t<G> const& n) const
    requires has_predecessors<G>
  {
    return kept(plait::predecessors(this->graph(), n));
  }
  constexpr auto nodes() const
    requires has_nodes<G>
  {
    return kept(plait::nodes(this->graph()));
  }

 private:
  template <class Nodes>
  constexpr auto kept(Nodes&& nodes) const {
    return std::views::filter(std::forward<Nodes>(nodes), [this](node_t<G> const& n) { return keep_(n); });
  }
  Keep keep_;
};

/// Returns the transposed graph, entered at `entry`.
template <detail::viewable_graph G>
  requires has_predecessors<G>
[[nodiscard]] constexpr auto reversed(G&& g, node_t<G> const& entry) {
  return reversed_graph<std::remove_cvref_t<G>>(g, entry);
}

namespace detail {
template <class Keep, class... Nodes>
consteval bool check_view_filter() {
  static_assert(
      std::invocable<Keep&, Nodes const&...>,
      "plait: keep cannot be called with nodes; wanted: bool keep(node_t<G> const& from, node_t<G> const& to) "
      "of filtered, bool keep(node_t<G> const& n) of induced");
  if constexpr (std::invocable<Keep&, Nodes const&...>)
    static_assert(std::predicate<Keep&, Nodes const&...>, "plait: keep returns another type than wanted: bool");
  return true;
}
}  // namespace detail

/// Returns the graph without the edges for which keep(from, to) is false.
template <detail::viewable_graph G, class Keep>
[[nodiscard]] constexpr auto filtered(G&& g, Keep keep) {
  static_assert(detail::check_view_filter<Keep, node_t<G>, node_t<G>>());
  return filtered_graph<std::remove_cvref_t<G>, Keep>(g, std::move(keep));
}

/// Returns the graph without the nodes for which keep(node) is false, entered at `entry`, which must not be one of
/// them.
template <detail::viewable_graph G, class Keep>
[[nodiscard]] constexpr auto induced(G&& g, node_t<G> const& entry, Keep keep) {
  static_assert(detail::check_view_filter<Keep, node_t<G>>());
  return induced_graph<std::remove_cvref_t<G>, Keep>(g, entry, std::move(keep));
}
template <detail::viewable_graph G, class Keep>
[[nodiscard]] constexpr auto induced(G&& g, Keep keep) {
  static_assert(detail::check_view_filter<Keep, node_t<G>>());
  return induced_graph<std::remove_cvref_t<G>, Keep>(g, plait::entry(g), std::move(keep));
}

}  // namespace plait
