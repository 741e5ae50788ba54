// Units: the element-wise part of a time step of a recurrence, as passes of a static cell over the rows of a batch,
// forward and backward.
//
// A unit is a type with the number of its gates and states, and a static cell. The inputs of the cell are an element of
// each gate and of each state, then per_column parameters, then scalars; its results are the next states. Rows of gates
// have all elements of the first gate, then of the second, and so on. A row of a batch whose sequence has ended before
// this time step keeps its state, or gets zeros with drop_states; its gates' gradients are zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plait/exec/detail/operators/cell_facts.hpp>
#include <plait/exec/detail/operators/cell_pass.hpp>
#include <plait/gradient/static_cell.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Predicate of the rows of a batch that take part in a time step.
struct active_rows {
  void const* lengths;  ///< nullptr: all
  bool wide;            ///< lengths are int64, not int32
  std::int32_t const* timestep;
  bool drop_states;

  PLAIT_HOST_DEVICE bool operator()(std::size_t row) const {
    if (lengths == nullptr) return true;
    return *timestep <
           (wide ? static_cast<std::int64_t const*>(lengths)[row] : static_cast<std::int32_t const*>(lengths)[row]);
  }

  /// Copies a chunk of the state of an inactive row, or zeroes it with drop_states.
  template <class T>
  PLAIT_HOST_DEVICE void pass_on(T const* before, T* after, std::size_t first, std::size_t last) const {
    if (drop_states) {
      for (std::size_t d = first; d < last; ++d) after[d] = T(0);
    } else if (before != after) {
      for (std::size_t d = first; d < last; ++d) after[d] = before[d];
    }
  }
};

/// Operands of a unit's forward and backward pass.
template <class Unit, class T>
struct unit_pass_operands {
  using cell = typename Unit::cell;
  static constexpr std::size_t gates = Unit::gates;
  static constexpr std::size_t states = Unit::states;
  static constexpr std::size_t inputs = cell::input_count;
  static constexpr std::size_t first_vector = gates + states;
  static constexpr std::size_t vectors = [] {
    std::size_t count = 0;
    while (first_vector + count != inputs && cell::net().input_axes(first_vector + count) == cell_columns) ++count;
    return count;
  }();
  static constexpr std::size_t scalars = inputs - first_vector - vectors;

  active_rows active;
  std::size_t width;
  std::array<T const*, states> before;
  T const* gate;
  std::array<T const*, vectors> vector;
  std::array<T, scalars> number;

  /// Returns an input of the cell in a row.
  template <std::size_t I>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T const* input(std::size_t row) const {
    if constexpr (I < gates)
      return gate + (row * gates + I) * width;
    else if constexpr (I < first_vector)
      return before[I - gates] + row * width;
    else if constexpr (I < first_vector + vectors)
      return vector[I - first_vector];
    else
      return &number[I - first_vector - vectors];
  }
};

template <class Unit, class T>
struct unit_pass : unit_pass_operands<Unit, T> {
  using base = unit_pass_operands<Unit, T>;
  using row_pass = cell_pass<typename Unit::cell, T, cell_rounding::contracted>;

  std::array<T*, base::states> after;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    run(row, first, last, std::make_index_sequence<base::inputs>(), std::make_index_sequence<base::states>());
  }

 private:
  template <std::size_t... I, std::size_t... S>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void run(std::size_t row, std::size_t first, std::size_t last,
                                                 std::index_sequence<I...>, std::index_sequence<S...>) const {
    std::size_t const at = row * this->width;
    if (!this->active(row)) return (this->active.pass_on(this->before[S] + at, after[S] + at, first, last), ...);
    row_pass::on_row({{this->template input<I>(row)...}, {after[S] + at...}}, this->width, first, last);
  }
};

/// The gradient of a unit's cell, without those of scalars. It reads next states, and computes again what else it
/// needs: dividing a hidden state by its gate would lose digits where the gate is closed.
template <class Unit>
struct unit_gradient {
  using whole = cell_gradient<typename Unit::cell, cell_saves::outputs>;
  using operands = unit_pass_operands<Unit, float>;
  using cell = first_results<whole, operands::inputs - operands::scalars>;
};

template <class Unit, class T>
struct unit_gradient_pass : unit_pass_operands<Unit, T> {
  using base = unit_pass_operands<Unit, T>;
  using row_pass = cell_pass<typename unit_gradient<Unit>::cell, T, cell_rounding::contracted>;
  static constexpr std::size_t saved_count = unit_gradient<Unit>::whole::saved_count;
  template <std::size_t K>  // a number, as devices cannot refer to the array
  static constexpr std::size_t saved_state = unit_gradient<Unit>::whole::saved()[K];

  std::array<T const*, base::states> after;
  std::array<T const*, base::states> after_gradient;
  T* gate_gradient;
  std::array<T*, base::states> before_gradient;
  std::array<T*, base::vectors> vector_gradient;  ///< in each row

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    run(row, first, last, std::make_index_sequence<base::inputs>(), std::make_index_sequence<saved_count>(),
        std::make_index_sequence<base::gates>(), std::make_index_sequence<base::states>(),
        std::make_index_sequence<base::vectors>());
  }

 private:
  template <std::size_t... I, std::size_t... K, std::size_t... G, std::size_t... S, std::size_t... V>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void run(std::size_t row, std::size_t first, std::size_t last,
                                                 std::index_sequence<I...>, std::index_sequence<K...>,
                                                 std::index_sequence<G...>, std::index_sequence<S...>,
                                                 std::index_sequence<V...>) const {
    std::size_t const at = row * this->width;
    T* const to = gate_gradient + at * base::gates;
    if (!this->active(row)) {
      (this->active.pass_on(after_gradient[S] + at, before_gradient[S] + at, first, last), ...);
      (clear(to + G * this->width, first, last), ...);
      (clear(vector_gradient[V] + at, first, last), ...);
      return;
    }
    row_pass::on_row({{this->template input<I>(row)..., after[saved_state<K>] + at..., after_gradient[S] + at...},
                      {to + G * this->width..., before_gradient[S] + at..., vector_gradient[V] + at...}},
                     this->width, first, last);
  }
  PLAIT_HOST_DEVICE static void clear(T* to, std::size_t first, std::size_t last) {
    for (std::size_t d = first; d < last; ++d) to[d] = T(0);
  }
};

}  // namespace plait::detail

PLAIT_KERNELS_END
