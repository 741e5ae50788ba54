// Static nets as static cells: their gradients are derived by the compiler, and they become op types.
//
//   constexpr plait::static_net net{plait::externals({"x", "w"}, {"y"}),
//                                   plait::op("Mul", {"x", "w"}, {"a"}), plait::op("Tanh", {"a"}, {"y"})};
//   constexpr auto d_net = plait::gradient(plait::cell_of<net>);
#pragma once

#include <plait/gradient/static_cell.hpp>
#include <plait/transform/detail/lower_net.hpp>

namespace plait {

namespace detail {

template <auto const& Net>
struct net_cell_code {
  static constexpr saving_code make() {
    saving_code made;
    made.code = code_of_net(Net);
    if (made.code.problem == cell_problem::none) made.code = simplified_code(made.code);
    return made;
  }
};

template <auto const& Net>
struct checked_net_cell {
  static constexpr cell_problem problem = code_block<net_cell_code<Net>>().problem;
  static constexpr bool has_functions = problem != cell_problem::other;
  static_assert(has_functions,
                "plait: the net is no cell: an op is no function of static cells, lacks an argument, or reads a blob "
                "that is neither an external input nor written before");
  static constexpr bool has_flags = problem == cell_problem::none || problem == cell_problem::other;
  static_assert(has_flags, "plait: the net uses the result of a comparison as a number, or a number as one of these");
  using type = std::conditional_t<problem == cell_problem::none, net_cell_code<Net>, wrong_cell_code>;
};

}  // namespace detail

/// A net whose ops are functions of cells, as a cell: an element of each external output, by elements of the inputs.
template <auto const& Net>
class net_cell : public basic_cell<typename detail::checked_net_cell<Net>::type> {};

/// The cell of a net that is a constexpr variable at namespace scope, or static.
template <auto const& Net>
inline constexpr net_cell<Net> cell_of = {};

/// A net whose gradient the compiler derives: each op is a function of cells that has a rule.
template <auto const& Net>
concept differentiable_net = detail::code_block<detail::net_cell_code<Net>>().problem == cell_problem::none &&
                             differentiable_cell<net_cell<Net>>;

}  // namespace plait
