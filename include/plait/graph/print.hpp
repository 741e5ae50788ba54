// Listings and pictures of flow graphs, dominator trees, post-dominator trees and loop forests: text and Graphviz DOT.
//
//   plait::dominator_tree const tree(f);
//   plait::loop_forest const loops(tree);
//   std::cerr << plait::to_text(f) << plait::to_text(f, tree) << plait::to_text(f, loops);
//   plait::write_dot(file, f, loops);
//
// A node is named by text(g, n) of its adaptation or, without one or if it is empty, by its index. The order of the
// lines follows from the order of successors alone, so that listings can be compared. Indentation ends at depth 32,
// where the printed depth goes on, so that the size of a listing is linear. Iterative; O(nodes + edges) time. The text
// is a constant expression where std::string may be one (not with clang and libstdc++ 12).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/text.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/dominators.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/graph/loops.hpp>
#include <plait/graph/post_dominators.hpp>

namespace plait {

namespace detail {

template <flow_graph G>
constexpr void append_node(std::string& text, G const& g, node_t<G> const& n) {
  std::size_t const before = text.size();
  if constexpr (has_node_text<G>) text += std::string_view(graph_traits_of<G>::text(g, n));
  if (text.size() == before) append_number(text, plait::index(g, n));
}
template <flow_graph G>
constexpr std::string node_label(G const& g, node_t<G> const& n) {
  std::string label;
  append_node(label, g, n);
  return label;
}

// Appends `lead` before the first node and ", " between nodes.
template <flow_graph G, class Nodes>
constexpr void append_nodes(std::string& text, G const& g, Nodes&& nodes, std::string_view lead) {
  for (auto&& n : nodes) {
    text += lead;
    lead = ", ";
    append_node(text, g, n);
  }
}

constexpr void append_indent(std::string& text, std::size_t depth) {
  text.append(2 * std::min<std::size_t>(depth, 32), ' ');
}

// Returns the nodes that the entry does not reach, if the graph lists them.
template <flow_graph G>
constexpr std::vector<node_t<G>> unreachable_nodes(G const& g, flow_snapshot<G> const& reached) {
  std::vector<node_t<G>> found;
  if constexpr (has_nodes<G>)
    for (auto&& n : plait::nodes(g))
      if (reached.number(n) == npos) found.push_back(n);
  return found;
}

// Appends "[depth] node" for each node of a tree, in preorder; the depth of a root is `root_depth`.
template <flow_graph G, class Tree>
constexpr void append_tree(std::string& text, G const& g, Tree const& tree, std::size_t root_depth) {
  for (auto&& n : tree.preorder()) {
    std::size_t const depth = tree.depth(n) + root_depth;
    append_indent(text, depth);
    text += '[';
    append_number(text, depth);
    text += "] ";
    append_node(text, g, n);
    text += '\n';
  }
}

// Appends to a node what its edges do to the loops around it: <latch>, <latch:x>, <exiting>, <exiting:2>.
template <flow_graph G>
constexpr void append_loop_edges(std::string& text, G const& g, loop_forest<G> const& loops, std::uint32_t innermost,
                                 node_t<G> const& n) {
  std::size_t most_left = 0;
  std::vector<std::uint32_t> continued;
  for (auto&& to : plait::successors(g, n)) {
    std::size_t left = 0;
    for (auto l = std::optional(innermost); l && !loops.contains(*l, to); l = loops.parent(*l)) ++left;
    most_left = std::max(most_left, left);
    // Loops with the same header are nested in each other.
    for (auto l = loops.innermost(to); l && loops.header(*l) == to; l = loops.parent(*l))
      if (loops.contains(*l, n)) {
        if (std::ranges::find(continued, *l) == continued.end()) continued.push_back(*l);
        break;
      }
  }
  for (std::uint32_t const l : continued) {
    text += l == innermost ? "<latch" : "<latch:";
    if (l != innermost) append_node(text, g, loops.header(l));
    text += '>';
  }
  if (most_left == 1) text += "<exiting>";
  if (most_left > 1) {
    text += "<exiting:";
    append_number(text, most_left);
    text += '>';
  }
}

// Writes a graph as DOT, statement by statement; finish() ends it.
template <flow_graph G>
class graph_dot {
 public:
  graph_dot(std::ostream& out, G const& g) : out_(out), graph_(g), snapshot_(g) {
    out_ << "digraph {\n  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=10]; edge "
            "[arrowsize=0.7];\n";
  }

  std::string id(node_t<G> const& n) const { return 'n' + std::to_string(plait::index(graph_, n)); }
  void node(node_t<G> const& n) { node(n, dot_quoted(node_label(graph_, n))); }
  /// `label` is a complete DOT string. The entry has a thick frame, an unreachable node a dashed one.
  void node(node_t<G> const& n, std::string const& label) {
    out_ << "  " << id(n) << " [label=" << label;
    if (n == plait::entry(graph_)) out_ << ", penwidth=2";
    if (snapshot_.number(n) == npos) out_ << ", style=\"rounded,dashed\", color=gray50, fontcolor=gray50";
    out_ << "];\n";
  }
  void edge(node_t<G> const& from, node_t<G> const& to, std::string_view style = {}) {
    out_ << "  " << id(from) << " -> " << id(to) << style << ";\n";
  }
  /// Calls use(n) for each node, unreachable ones last.
  template <class Use>
  void for_each_node(Use use) const {
    for (auto const& n : snapshot_.order()) use(n);
    for (auto const& n : unreachable_nodes(graph_, snapshot_)) use(n);
  }
  /// Draws the edges; those to a node that is not later in reverse postorder, which close cycles, in another colour.
  void edges() {
    for_each_node([&](node_t<G> const& n) {
      for (auto&& to : plait::successors(graph_, n)) {
        std::uint32_t const from_number = snapshot_.number(n);
        bool const closes = from_number != npos && snapshot_.number(to) <= from_number;
        edge(n, to, closes ? " [color=\"#b5442e\"]" : "");
      }
    });
  }
  /// Draws the edges that `is_drawn` rejects, dotted and without influence on the layout.
  template <class IsDrawn>
  void dotted_edges(IsDrawn is_drawn) {
    for_each_node([&](node_t<G> const& n) {
      for (auto&& to : plait::successors(graph_, n))
        if (!is_drawn(n, to)) edge(n, to, " [style=dotted, color=gray50, constraint=false]");
    });
  }
  void finish() { out_ << "}\n"; }

 private:
  std::ostream& out_;
  G const& graph_;
  flow_snapshot<G> snapshot_;
};

}  // namespace detail

/// Returns a line for each node, "node -> successors", in reverse postorder. Nodes that the entry does not reach follow
/// if the graph lists its nodes.
template <flow_graph G>
[[nodiscard]] constexpr std::string to_text(G const& g) {
  flow_snapshot<G> reached;
  reached.compute(g);
  std::string text = "flow graph:\n";
  auto const append = [&](node_t<G> const& n, std::string_view remark) {
    text += "  ";
    detail::append_node(text, g, n);
    detail::append_nodes(text, g, plait::successors(g, n), " -> ");
    text += remark;
    text += '\n';
  };
  for (auto const& n : reached.order()) append(n, "");
  for (auto const& n : detail::unreachable_nodes(g, reached)) append(n, "  ; unreachable");
  return text;
}

/// Returns the dominator tree as LLVM prints it: a line "[level] node" for each node, the root at level 1.
template <flow_graph G>
[[nodiscard]] constexpr std::string to_text(G const& g, dominator_tree<G> const& tree) {
  std::string text = "dominator tree:\n";
  detail::append_tree(text, g, tree, 1);
  if (auto const rest = detail::unreachable_nodes(g, tree.snapshot()); !rest.empty()) {
    detail::append_nodes(text, g, rest, "  unreachable: ");
    text += '\n';
  }
  return text;
}

/// Returns the post-dominator tree, below the virtual exit at level 1.
template <flow_graph G>
[[nodiscard]] constexpr std::string to_text(G const& g, post_dominator_tree<G> const& tree) {
  std::string text = "post-dominator tree:\n  [1] (exit)\n";
  detail::append_tree(text, g, tree, 2);
  return text;
}

/// Returns a line for each loop, outer before inner: its depth, its header and its nodes in no inner loop. A node with
/// an edge to the header of its innermost loop is a <latch>, one with an edge out of that loop <exiting>; <latch:x>
/// names the header of an outer loop, and <exiting:2> counts the loops that an edge leaves.
template <flow_graph G>
[[nodiscard]] constexpr std::string to_text(G const& g, loop_forest<G> const& loops) {
  std::string text = "loop forest:\n";
  for (auto const l : loops.all()) {
    detail::append_indent(text, loops.depth(l));
    text += loops.is_irreducible(l) ? "irreducible loop at depth " : "loop at depth ";
    detail::append_number(text, loops.depth(l));
    text += ", header ";
    detail::append_node(text, g, loops.header(l));
    text += ':';
    for (auto&& n : loops.nodes(l)) {
      if (loops.innermost(n) != l) break;  // nodes of inner loops come last
      text += ' ';
      detail::append_node(text, g, n);
      detail::append_loop_edges(text, g, loops, l, n);
    }
    text += '\n';
  }
  return text;
}

/// Writes a flow graph as DOT; edges that close cycles are red.
template <flow_graph G>
void write_dot(std::ostream& out, G const& g) {
  detail::graph_dot<G> dot(out, g);
  dot.for_each_node([&](node_t<G> const& n) { dot.node(n); });
  dot.edges();
  dot.finish();
}

/// Writes the dominator tree as DOT; the edges of the graph that the tree lacks are dotted.
template <flow_graph G>
void write_dot(std::ostream& out, G const& g, dominator_tree<G> const& tree) {
  detail::graph_dot<G> dot(out, g);
  dot.for_each_node([&](node_t<G> const& n) { dot.node(n); });
  for (auto&& n : tree.preorder())
    if (auto const above = tree.idom(n)) dot.edge(*above, n);
  dot.dotted_edges([&](node_t<G> const& from, node_t<G> const& to) { return tree.idom(to) == from; });
  dot.finish();
}

/// Writes the post-dominator tree as DOT, below the virtual exit.
template <flow_graph G>
void write_dot(std::ostream& out, G const& g, post_dominator_tree<G> const& tree) {
  detail::graph_dot<G> dot(out, g);
  out << "  exit [label=\"(exit)\", shape=plaintext];\n";
  for (auto&& n : tree.preorder()) dot.node(n);
  for (auto&& n : tree.top()) out << "  exit -> " << dot.id(n) << ";\n";
  for (auto&& n : tree.preorder())
    if (auto const above = tree.idom(n)) dot.edge(*above, n);
  dot.dotted_edges([&](node_t<G> const& from, node_t<G> const& to) { return tree.idom(from) == to; });
  dot.finish();
}

/// Writes the flow graph as DOT with each loop as a cluster, inner loops inside; irreducible loops have a red frame.
template <flow_graph G>
void write_dot(std::ostream& out, G const& g, loop_forest<G> const& loops) {
  detail::graph_dot<G> dot(out, g);
  dot.for_each_node([&](node_t<G> const& n) {
    if (!loops.innermost(n)) dot.node(n);
  });
  std::size_t open = 0;
  for (auto const l : loops.all()) {
    for (; open >= loops.depth(l); --open) out << "  }\n";
    ++open;
    out << "  subgraph cluster_loop" << l
        << " { label=" << detail::dot_quoted("loop of " + detail::node_label(g, loops.header(l)))
        << "; style=rounded; color=" << (loops.is_irreducible(l) ? "\"#b5442e\"" : "gray50") << ";\n";
    for (auto&& n : loops.nodes(l)) {
      if (loops.innermost(n) != l) break;
      dot.node(n);
    }
  }
  for (; open != 0; --open) out << "  }\n";
  dot.edges();
  dot.finish();
}

}  // namespace plait
