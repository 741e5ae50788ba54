// Debug check of an adaptation's index(g, n): below size(g), and different for different nodes. Disabled with
// assertions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>  // and std::addressof, for which <memory> would take 0.1 s
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait::detail {

/// Returns the text of a node for messages: its text, its name or its number; the address of a pointer; else "a node".
template <class Node>
std::string node_text(Node const& n) {
  auto const quoted = [](std::string_view text) { return "node '" + std::string(text) + '\''; };
  if constexpr (std::convertible_to<Node const&, std::string_view>) {
    return quoted(n);
  } else if constexpr (requires { quoted(n.name()); }) {
    return quoted(n.name());
  } else if constexpr (requires { quoted(n.name); }) {
    return quoted(n.name);
  } else if constexpr (requires { quoted(n->name()); }) {
    return quoted(n->name());
  } else if constexpr (requires { quoted(n->name); }) {
    return quoted(n->name);
  } else if constexpr (std::integral<Node>) {
    return "node " + std::to_string(n);
  } else if constexpr (std::is_pointer_v<Node>) {
    std::string digits;
    for (auto rest = reinterpret_cast<std::uintptr_t>(n); rest != 0; rest /= 16)
      digits.insert(digits.begin(), "0123456789abcdef"[rest % 16]);
    return "the node at 0x" + digits;
  } else {
    return "a node";
  }
}

// Returns the text of a node and of the node that has it as a successor (null: unknown).
template <flow_graph G>
std::string found_text(G const& g, node_t<G> const& n, node_t<G> const* from) {
  std::string text = node_text(n);
  if (from != nullptr)
    text += " (a successor of " + node_text(*from) + " with index " + std::to_string(plait::index(g, *from)) + ')';
  return text;
}

template <flow_graph G>
constexpr void check_index_bound([[maybe_unused]] G const& g, [[maybe_unused]] node_t<G> const& n,
                                 [[maybe_unused]] std::size_t index, [[maybe_unused]] node_t<G> const* from) {
  PLAIT_DETAIL_ASSERT(index < graph_size(g), "flow_graph: index(g, n) must be below size(g)",
                      "it is " + std::to_string(index) + " for " + found_text(g, n, from) + ", and size(g) is " +
                          std::to_string(graph_size(g)));
}

// Asserts that n is `known`, the first node with the same index.
template <flow_graph G>
constexpr void check_same_node([[maybe_unused]] G const& g, [[maybe_unused]] node_t<G> const& known,
                               [[maybe_unused]] node_t<G> const* known_from, [[maybe_unused]] node_t<G> const& n,
                               [[maybe_unused]] node_t<G> const* from) {
  PLAIT_DETAIL_ASSERT(known == n, "flow_graph: index(g, n) must be different for different nodes",
                      "it is " + std::to_string(plait::index(g, n)) + " for " + found_text(g, known, known_from) +
                          " and for " + found_text(g, n, from));
}

/// Checks the indices of all nodes it is called with, by recording the first node of each index. Whether checks are
/// enabled is a template parameter: programs may link files with and without assertions.
template <flow_graph G, bool Checked = PLAIT_DETAIL_CHECKED>
class index_check {
 public:
  constexpr explicit index_check(G const&) {}
  constexpr void operator()(node_t<G> const&, std::size_t, node_t<G> const* = nullptr) const {}
};

template <flow_graph G>
class index_check<G, true> {
 public:
  constexpr explicit index_check(G const& g) : graph_(std::addressof(g)) {}

  /// Checks n. `from`: the node that has n as a successor; null if n is the entry or listed by nodes(g).
  constexpr void operator()(node_t<G> const& n, std::size_t index, node_t<G> const* from = nullptr) {
    check_index_bound(*graph_, n, index, from);
    if constexpr (has_own_index<G>) {
      if (places_.empty()) places_.resize(graph_size(*graph_), npos);
      if (places_[index] == npos) {
        places_[index] = static_cast<std::uint32_t>(firsts_.size());
        firsts_.push_back({n, from == nullptr ? n : *from, from != nullptr});
      }
      first const& known = firsts_[places_[index]];
      check_same_node(*graph_, known.node, known.has_from ? std::addressof(known.from) : nullptr, n, from);
    }
  }

 private:
  struct first {
    node_t<G> node;
    node_t<G> from;
    bool has_from;
  };
  G const* graph_;
  std::vector<std::uint32_t> places_;  // by index, in firsts_
  std::vector<first> firsts_;
};

}  // namespace plait::detail
