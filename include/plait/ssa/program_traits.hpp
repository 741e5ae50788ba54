// Adaptation point for programs: a flow graph each of whose nodes carries a net.
//
//   member                     needed for                                     default
//   block(p, n)                everything: the net at node n, a reference     member of P
//                              or a handle
//   name_count(p), name_index(p, name), name_at(p, index)
//                              names that are numbered for the whole          members of P, else names are hashed
//                              program: saves all hashing                     once per analysis
//   find_name(p, key)          look-up of these by key without a search;      member of P
//                              returns name_count for an unknown key
//
// The flow graph is P itself, by graph_traits<P>. All blocks share one name space: names denote the same blob if their
// keys (name_key_t) are equal. The program's inputs are the external inputs of the entry block; its results are the
// external outputs of the blocks without successors; externals of other blocks are ignored.
// TRAP: a block returned by value must be a handle: names seen through it must live as long as the program.
//
// single_block(n) makes a net a program of one node; blocks_of(g, nets) combines a graph and separate nets.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/core/detail/member_faults.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/program_member_hooks.hpp>

namespace plait {

template <class P>
struct program_traits : detail::program_member_hooks<P> {
  using adapted_by_members = void;
  template <class Node>
  static constexpr decltype(auto) block(P const& p, Node const& n)
    requires requires { p.block(n); }
  {
    return p.block(n);
  }
  template <class Node>
  static constexpr decltype(auto) block(P& p, Node const& n)
    requires requires { p.block(n); }
  {
    return p.block(n);
  }
  static constexpr auto name_count(P const& p)
    requires requires { p.name_count(); }
  {
    return p.name_count();
  }
  template <class Name>
  static constexpr auto name_index(P const& p, Name const& name)
    requires requires { p.name_index(name); }
  {
    return p.name_index(name);
  }
  static constexpr decltype(auto) name_at(P const& p, std::size_t index)
    requires requires { p.name_at(index); }
  {
    return p.name_at(index);
  }
  template <class Key>
  static constexpr auto find_name(P const& p, Key const& key)
    requires requires { p.find_name(key); }
  {
    return p.find_name(key);
  }
};

namespace detail {
template <class P>
using program_traits_of = program_traits<std::remove_cvref_t<P>>;
PLAIT_DETAIL_MEMBER(program_traits_of, program, block, (node_t<T> const& node), (node))
}  // namespace detail

template <class P>
concept has_block = flow_graph<P> && !detail::block_is_there_but_not_for_a_const_program<P> &&
                    !detail::block_is_there_but_with_other_parameters<P> &&
                    requires(P const& p, node_t<P> const& n) { detail::program_traits_of<P>::block(p, n); };

/// The type of the nets at nodes, without reference.
template <has_block P>
using block_t = std::remove_cvref_t<decltype(detail::program_traits_of<P>::block(std::declval<P const&>(),
                                                                                 std::declval<node_t<P> const&>()))>;

/// A program for analyses. Semantic requirement: block(p, n) returns the same net each time.
template <class P>
concept program = has_block<P> && net<block_t<P>>;

template <program P>
using program_name_t = name_t<block_t<P>>;

/// The key of a blob outside of its block.
template <program P>
using program_key_t = name_key_t<block_t<P>>;

namespace detail {
template <class P>
concept mentions_name_count = requires(P const& p) { program_traits_of<P>::name_count(p); };

// A name that outlives its key where the key is a view of it.
template <class P, class Name>
concept lasting_name =
    !std::same_as<program_key_t<P>, std::string_view> || has_own_text<block_t<P>> || borrowed_text<Name>;
}  // namespace detail

/// A program that numbers its names below name_count(p). name_at(p, i) returns names that are texts by reference or as
/// views.
template <class P>
concept has_program_names = program<P> && requires(P const& p, program_name_t<P> const& name) {
  { detail::program_traits_of<P>::name_count(p) } -> std::convertible_to<std::size_t>;
  { detail::program_traits_of<P>::name_index(p, name) } -> std::convertible_to<std::size_t>;
  { detail::program_traits_of<P>::name_at(p, std::size_t{}) } -> std::convertible_to<program_name_t<P>>;
  requires detail::lasting_name<P, decltype(detail::program_traits_of<P>::name_at(p, std::size_t{}))>;
};

template <has_block P>
[[nodiscard]] constexpr decltype(auto) block(P const& p, node_t<P> const& n) {
  return detail::program_traits_of<P>::block(p, n);
}

/// Explains what an adaptation lacks: PLAIT_CHECK_PROGRAM(my::function); names each missing member in a sentence.
template <class P>
consteval bool check_program() {
  static_assert(check_flow_graph<P>());
  if constexpr (flow_graph<P>) {
    PLAIT_DETAIL_CHECK_MEMBER(P, has_block<P>, "program_traits<P>", program, block, "block(p, n)",
                              "the net at a node of the flow graph");
    if constexpr (has_block<P>) {
      static_assert(check_net<block_t<P>>());
      if constexpr (program<P>)
        static_assert(!detail::mentions_name_count<P> || has_program_names<P>,
                      "plait: program_traits<P> has name_count(p), but not name_index(p, name), a number, or not "
                      "name_at(p, index), the name (a reference, if it is a string)");
    }
  }
  return program<P>;
}

#define PLAIT_CHECK_PROGRAM(...) static_assert(::plait::check_program<__VA_ARGS__>())

/// A net as a program of one node, 0. Refers to the net.
template <net N>
class single_block {
 public:
  constexpr explicit single_block(N const& n) : net_(std::addressof(n)) {}
  template <class Because = because::it_refers_to_the_net_so_a_temporary_is_refused>
  explicit single_block(N const&&) = delete;

  static constexpr std::size_t size() noexcept { return 1; }
  static constexpr std::uint32_t entry() noexcept { return 0; }
  static constexpr std::ranges::empty_view<std::uint32_t> successors(std::uint32_t) noexcept { return {}; }
  constexpr N const& block(std::uint32_t) const noexcept { return *net_; }

  constexpr std::size_t name_count() const
    requires has_dense_names<N>
  {
    return net_traits<N>::name_count(*net_);
  }
  constexpr std::size_t name_index(name_t<N> const& name) const
    requires has_dense_names<N>
  {
    return net_traits<N>::name_index(*net_, name);
  }
  constexpr name_t<N> name_at(std::size_t index) const
    requires has_dense_names<N>
  {
    return net_traits<N>::name_at(*net_, index);
  }
  constexpr std::size_t find_name(std::string_view text) const
    requires has_dense_names<N>
  {
    return net_traits<N>::find_name(*net_, text);
  }

 private:
  N const* net_;
};

/// A program combined from a flow graph and a range of nets, by the index of the nodes. Refers to both.
template <flow_graph G, std::ranges::random_access_range Nets>
  requires net<std::ranges::range_value_t<Nets>>
class blocks_of {
 public:
  constexpr blocks_of(G const& g, Nets const& nets) : graph_(std::addressof(g)), nets_(std::addressof(nets)) {}
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  blocks_of(G const&&, Nets const&) = delete;
  template <class Because = because::it_refers_to_the_nets_so_a_temporary_is_refused>
  blocks_of(G const&, Nets const&&) = delete;
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  blocks_of(G const&&, Nets const&&) = delete;

  constexpr std::size_t size() const { return graph_size(*graph_); }
  constexpr node_t<G> entry() const { return plait::entry(*graph_); }
  constexpr decltype(auto) successors(node_t<G> const& n) const { return plait::successors(*graph_, n); }
  constexpr std::size_t index(node_t<G> const& n) const { return plait::index(*graph_, n); }
  constexpr decltype(auto) text(node_t<G> const& n) const
    requires detail::has_node_text<G>
  {
    return detail::graph_traits_of<G>::text(*graph_, n);
  }
  constexpr decltype(auto) block(node_t<G> const& n) const {
    return std::ranges::begin(*nets_)[static_cast<std::ranges::range_difference_t<Nets>>(index(n))];
  }

 private:
  G const* graph_;
  Nets const* nets_;
};

}  // namespace plait
