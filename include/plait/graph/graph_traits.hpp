// Flow graph adaptation: the traits and concepts of directed graphs with one entry.
//
//   member                     needed for                                default
//   size(g)                    everything: bound of all indices          member of G
//   entry(g)                   everything: also defines node_t<G>        member of G
//   successors(g, n)           everything: input_range of nodes that     member of G
//                              can be iterated again
//   index(g, n)                everything: dense number below size(g)    member of G, else n if n is integral
//   predecessors(g, n)         backward traversal                        member of G, else collected by the algorithm
//   nodes(g)                   sweeps over the whole graph               member of G, else 0 … size(g) - 1 if nodes are
//                                                                        integral, else the reachable nodes
//   text(g, n)                 listings and pictures (print.hpp)         member of G, else index(g, n)
//
// A type with these members needs no adaptation. For any other type specialise graph_traits; algorithms call only the
// functions below it and are constrained by the concepts below those.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <string_view>
#include <type_traits>

#include <plait/core/detail/cxx20.hpp>
#include <plait/core/detail/member_faults.hpp>

namespace plait {

template <class G>
struct graph_traits {
  using adapted_by_members = void;
  static constexpr auto size(G const& g)
    requires requires { g.size(); }
  {
    return g.size();
  }
  static constexpr auto entry(G const& g)
    requires requires { g.entry(); }
  {
    return g.entry();
  }
  template <class Node>
  static constexpr decltype(auto) successors(G const& g, Node const& n)
    requires requires { g.successors(n); }
  {
    return g.successors(n);
  }
  template <class Node>
  static constexpr decltype(auto) predecessors(G const& g, Node const& n)
    requires requires { g.predecessors(n); }
  {
    return g.predecessors(n);
  }
  template <class Node>
  static constexpr auto index(G const& g, Node const& n)
    requires requires { g.index(n); }
  {
    return g.index(n);
  }
  static constexpr decltype(auto) nodes(G const& g)
    requires requires { g.nodes(); }
  {
    return g.nodes();
  }
  template <class Node>
  static constexpr decltype(auto) text(G const& g, Node const& n)
    requires requires { g.text(n); }
  {
    return g.text(n);
  }
};

namespace detail {
template <class G>
using graph_traits_of = graph_traits<std::remove_cvref_t<G>>;
}

/// The node type of a graph, as returned by entry(): an integer, a pointer, a small handle.
template <class G>
using node_t = std::remove_cvref_t<decltype(detail::graph_traits_of<G>::entry(std::declval<G const&>()))>;

namespace detail {
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, size, (), ())
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, entry, (), ())
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, successors, (node_t<T> const& n), (n))
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, predecessors, (node_t<T> const& n), (n))
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, index, (node_t<T> const& n), (n))
PLAIT_DETAIL_MEMBER(graph_traits_of, graph, nodes, (), ())
}  // namespace detail

// ---- concepts: one per member, so that a failed constraint names the missing or wrong one --------------------------

template <class G>
concept has_size = !detail::size_is_there_but_not_for_a_const_graph<G> &&
                   !detail::size_is_there_but_with_other_parameters<G> && requires(G const& g) {
                     { detail::graph_traits_of<G>::size(g) } -> std::convertible_to<std::size_t>;
                   };

template <class G>
concept has_entry =
    !detail::entry_is_there_but_not_for_a_const_graph<G> && !detail::entry_is_there_but_with_other_parameters<G> &&
    requires(G const& g) { detail::graph_traits_of<G>::entry(g); } && std::copyable<node_t<G>> &&
    std::equality_comparable<node_t<G>>;

namespace detail {
// Checks the element type, too: an under-constrained concept accepts a broken adaptation, and the error then surfaces
// inside an algorithm.
template <class R, class Node>
concept range_of = std::ranges::input_range<R> && std::convertible_to<std::ranges::range_reference_t<R>, Node>;
}  // namespace detail

template <class G>
concept has_successors =
    has_entry<G> && !detail::successors_is_there_but_not_for_a_const_graph<G> &&
    !detail::successors_is_there_but_with_other_parameters<G> && requires(G const& g, node_t<G> const& n) {
      { detail::graph_traits_of<G>::successors(g, n) } -> detail::range_of<node_t<G>>;
    };

template <class G>
concept has_predecessors = has_entry<G> && requires(G const& g, node_t<G> const& n) {
  { detail::graph_traits_of<G>::predecessors(g, n) } -> detail::range_of<node_t<G>>;
};

namespace detail {
template <class G>
concept has_own_index = requires(G const& g, node_t<G> const& n) {
  { graph_traits_of<G>::index(g, n) } -> std::convertible_to<std::size_t>;
};
template <class G>
concept has_own_nodes = requires(G const& g) {
  { graph_traits_of<G>::nodes(g) } -> range_of<node_t<G>>;
};
}  // namespace detail

namespace detail {
// Integral nodes are their own indices if there is no index(g, n) or, in a wrapper, its constraints do not hold: a
// member function with unmet constraints has no address, as a private member has none for us.
template <class G>
concept lacks_index = !gives_index<G> && (!index_is_there_but_with_other_parameters<G> ||
                                          (by_members<graph_traits_of<G>> && !requires { &G::index; }));
}  // namespace detail

template <class G>
concept has_index = has_entry<G> && !detail::index_is_there_but_not_for_a_const_graph<G> &&
                    (detail::has_own_index<G> || (std::integral<node_t<G>> && detail::lacks_index<G>));

template <class G>
concept has_nodes =
    has_entry<G> && (detail::has_own_nodes<G> || (std::integral<node_t<G>> && has_size<G> && !detail::gives_nodes<G>));

namespace detail {
// Unlike the names of blobs, a node's text is copied at once: a string returned by value is fine.
template <class G>
concept has_node_text = requires(G const& g, node_t<G> const& n) {
  { graph_traits_of<G>::text(g, n) } -> std::convertible_to<std::string_view>;
};
}  // namespace detail

/// A directed graph with one entry: the requirement of every algorithm on graphs. Semantic requirements that no concept
/// can check: index(g, n) is below size(g) and different for different nodes; successors(g, n) yields the same nodes on
/// each pass.
template <class G>
concept flow_graph = has_size<G> && has_entry<G> && has_successors<G> && has_index<G>;

/// A flow graph with predecessors, so that backward traversals need no transposition pass.
template <class G>
concept bidirectional_flow_graph = flow_graph<G> && has_predecessors<G>;

// ---- access functions for algorithms ----------------------------------------------------------------------------

template <has_size G>
[[nodiscard]] constexpr std::size_t graph_size(G const& g) {
  return static_cast<std::size_t>(detail::graph_traits_of<G>::size(g));
}

template <has_entry G>
[[nodiscard]] constexpr node_t<G> entry(G const& g) {
  return detail::graph_traits_of<G>::entry(g);
}

template <has_successors G>
[[nodiscard]] constexpr decltype(auto) successors(G const& g, node_t<G> const& n) {
  return detail::graph_traits_of<G>::successors(g, n);
}

template <has_predecessors G>
[[nodiscard]] constexpr decltype(auto) predecessors(G const& g, node_t<G> const& n) {
  return detail::graph_traits_of<G>::predecessors(g, n);
}

template <has_index G>
[[nodiscard]] constexpr std::size_t index(G const& g, node_t<G> const& n) {
  if constexpr (detail::has_own_index<G>)
    return static_cast<std::size_t>(detail::graph_traits_of<G>::index(g, n));
  else
    return static_cast<std::size_t>(n);
}

/// Returns all nodes, reachable or not. Only for graphs that list them or number them by plain integers.
template <has_nodes G>
[[nodiscard]] constexpr decltype(auto) nodes(G const& g) {
  if constexpr (detail::has_own_nodes<G>)
    return detail::graph_traits_of<G>::nodes(g);
  else if constexpr (sizeof(node_t<G>) >= sizeof(int))
    return std::views::iota(node_t<G>{0}, static_cast<node_t<G>>(graph_size(g)));
  else  // a narrow type may not represent the end
    return std::views::iota(std::size_t{0}, graph_size(g)) |
           std::views::transform([](std::size_t n) { return static_cast<node_t<G>>(n); });
}

/// Checks an adaptation and names each missing piece in a sentence. Use it as PLAIT_CHECK_FLOW_GRAPH(my::graph); next
/// to the adaptation.
template <class G>
consteval bool check_flow_graph() {
  PLAIT_DETAIL_CHECK_MEMBER(G, has_size<G>, "graph_traits<G>", graph, size, "size(g)",
                            "a number above every node's index");
  PLAIT_DETAIL_CHECK_MEMBER(
      G, has_entry<G>, "graph_traits<G>", graph, entry, "entry(g)",
      "the node where control enters; its (copyable, equality comparable) type becomes node_t<G>");
  if constexpr (has_entry<G>) {
    PLAIT_DETAIL_CHECK_MEMBER(G, has_successors<G>, "graph_traits<G>", graph, successors, "successors(g, n)",
                              "a range whose elements convert to node_t<G>");
    if constexpr (!std::integral<node_t<G>>)
      static_assert(has_index<G> || detail::gives_index<G> || detail::index_is_there_but_not_for_a_const_graph<G> ||
                        detail::index_is_there_but_with_other_parameters<G>,
                    "plait: graph_traits<G> lacks index(g, n), a dense number below size(g); only graphs with integral "
                    "nodes can leave it out");
    PLAIT_DETAIL_CHECK_CONST(G, graph, index, "graph_traits<G>", "index(g, n)");
    PLAIT_DETAIL_CHECK_CALL(G, has_index<G>, is_there_but_with_other_parameters, "graph_traits<G>", index,
                            "index(g, n)", "a dense number below size(g)");
    PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(G, has_predecessors<G>, "graph_traits<G>", graph, predecessors,
                                       "predecessors(g, n)", "a range whose elements convert to node_t<G>");
    PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(G, detail::has_own_nodes<G>, "graph_traits<G>", graph, nodes, "nodes(g)",
                                       "a range whose elements convert to node_t<G>");
  }
  return flow_graph<G>;
}

#define PLAIT_CHECK_FLOW_GRAPH(...) static_assert(::plait::check_flow_graph<__VA_ARGS__>())

}  // namespace plait
