// Reasons for deleted rvalue overloads, shown by compilers as the default of the template parameter `Because`.
//
//   template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
//   void compute(G const&&) = delete;
//
// An object that refers to its argument must not outlive it: give the argument a name that lives at least as long.
#pragma once

#include <plait/core/detail/cxx20.hpp>

namespace plait::because {

struct it_refers_to_the_graph_so_a_temporary_is_refused;
struct it_refers_to_the_dominator_tree_so_a_temporary_is_refused;
struct it_refers_to_the_net_so_a_temporary_is_refused;
struct it_refers_to_the_nets_so_a_temporary_is_refused;
struct it_refers_to_the_program_so_a_temporary_is_refused;
struct it_refers_to_the_ssa_form_so_a_temporary_is_refused;
struct it_refers_to_the_problem_so_a_temporary_is_refused;

}  // namespace plait::because
