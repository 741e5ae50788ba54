// Passes of a recurrent layer over the rows of a time step, of a static cell as a unit.
#pragma once

#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/net/detail/traced_net.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// A static cell as a unit: the numbers of its gates and states by the kinds of its inputs.
template <class Cell>
struct unit_of_cell {
  using cell = Cell;
  static constexpr std::size_t states = Cell::output_count;
  static constexpr std::size_t elements = [] {
    std::size_t i = 0;
    while (i != Cell::input_count && Cell::net().input_axes(i) == cell_elements) ++i;
    return i;
  }();
  static constexpr bool has_gates = elements > states;
  static_assert(has_gates,
                "plait: the first inputs of the cell of an rnn are its gates, then as many states as it has results");
  static constexpr std::size_t gates = has_gates ? elements - states : 1;
  static constexpr bool has_parameters_last = [] {
    std::size_t i = elements;
    while (i != Cell::input_count && Cell::net().input_axes(i) == cell_columns) ++i;
    while (i != Cell::input_count && Cell::net().input_axes(i) == cell_constant) ++i;
    return i == Cell::input_count;
  }();
  static_assert(has_parameters_last,
                "plait: the last inputs of the cell of an rnn are per_column parameters, then scalars");
  static constexpr bool has_states_of_elements = [] {
    for (std::size_t s = 0; s != states; ++s)
      if (Cell::net().output_axes(s) != cell_elements) return false;
    return true;
  }();
  static_assert(has_states_of_elements, "plait: a state of the cell of an rnn has a number for each element");
};

/// A unit's backward pass that first adds the gradient of the output of a step.
template <class Pass, class T>
struct rnn_backward_pass {
  Pass pass;
  T const* output_gradient;  ///< nullptr: zero
  T* hidden_gradient;        ///< pass.after_gradient[0]

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    if (output_gradient != nullptr) {
      T const* const from = output_gradient + row * pass.width;
      T* const to = hidden_gradient + row * pass.width;
      PLAIT_INDEPENDENT
      for (std::size_t d = first; d < last; ++d) to[d] += from[d];
    }
    pass(row, first, last);
  }
};

// A pass over whole rows.
template <class Pass>
struct rnn_whole_row {
  Pass pass;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const { pass(row, 0, width); }
};

}  // namespace plait::detail

PLAIT_KERNELS_END
