// Default hooks of user-defined programs (ssa/program_mutation.hpp): program_traits forwards each to the member
// function of the same name.
#pragma once

#include <cstddef>
#include <span>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

template <class P>
struct program_member_hooks {
  // ---- reading phis
  template <class Node>
  static constexpr decltype(auto) phis(P const& p, Node const& n)
    requires requires { p.phis(n); }
  {
    return p.phis(n);
  }
  template <class Phi>
  static constexpr decltype(auto) phi_result(P const& p, Phi const& phi)
    requires requires { p.phi_result(phi); }
  {
    return p.phi_result(phi);
  }
  template <class Phi>
  static constexpr decltype(auto) phi_arguments(P const& p, Phi const& phi)
    requires requires { p.phi_arguments(phi); }
  {
    return p.phi_arguments(phi);
  }

  // ---- changing phis
  template <class Node, class Name, class Argument>
  static constexpr void insert_phi(P& p, Node const& n, Name const& result, std::span<Argument const> arguments)
    requires requires { p.insert_phi(n, result, arguments); }
  {
    p.insert_phi(n, result, arguments);
  }
  template <class Node>
  static constexpr void erase_phis(P& p, Node const& n)
    requires requires { p.erase_phis(n); }
  {
    p.erase_phis(n);
  }

  // ---- copies and edges
  template <class Node, class Name>
  static constexpr void insert_copy(P& p, Node const& n, std::size_t place, Name const& to, Name const& from)
    requires requires { p.insert_copy(n, place, to, from); }
  {
    p.insert_copy(n, place, to, from);
  }
  template <class Node>
  static constexpr auto copy_place(P const& p, Node const& n)
    requires requires { p.copy_place(n); }
  {
    return p.copy_place(n);
  }
  template <class Node>
  static constexpr void split_edge(P& p, Node const& from, std::size_t successor)
    requires requires { p.split_edge(from, successor); }
  {
    p.split_edge(from, successor);
  }

  // ---- names
  template <class Name>
  static constexpr decltype(auto) new_name(P& p, Name const& name)
    requires requires { p.new_name(name); }
  {
    return p.new_name(name);
  }
};

}  // namespace plait::detail
