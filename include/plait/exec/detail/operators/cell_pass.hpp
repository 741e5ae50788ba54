// Static cells on arrays: all ops of a cell in one loop over the elements of a row, with every value in a register.
//
// Cells with reductions of rows take one loop more for each of these; values of elements are computed again in each
// loop that needs them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/operators/cell_facts.hpp>
#include <plait/exec/detail/operators/cell_functors.hpp>
#include <plait/exec/detail/operators/reductions_gradients.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/net/detail/traced_net.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Values of one element.
template <class T, std::size_t Values>
struct cell_registers {
  T number[Values == 0 ? 1 : Values];
  bool flag[Values == 0 ? 1 : Values];
  T width;
};

// Rounds a product before it is added to something. GCC and nvcc contract across statements, clang does not.
template <class T>
struct product_rounding {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  bits zero = 0;  // unknown to the compiler

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE product_rounding() { asm("" : "+r"(zero)); }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T x) const {
    return std::bit_cast<T>(std::bit_cast<bits>(x) | zero);
  }
#else
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T x) const {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 4)
      asm("" : "+f"(x));
    else
      asm("" : "+d"(x));
#endif
    return x;
  }
#endif
};

/// Rounding of a cell's values.
enum class cell_rounding : bool {
  of_ops,      ///< that of the ops of the cell one after another
  contracted,  ///< multiply-adds may be fused, and a product of a sigmoid and a tanh takes one division
};

/// Evaluation of the ops of a cell on registers.
template <class Cell, class T, cell_rounding Rounding>
struct cell_evaluator {
  using facts = cell_facts<Cell>;
  using registers = cell_registers<T, facts::values>;

  product_rounding<T> rounded = {};

  template <std::size_t I>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void step(registers& r) const {
    constexpr traced_op op = facts::op(I);
    constexpr cell_op f = op.function;
    constexpr std::size_t to = op.output;
    constexpr std::size_t a = op.inputs[0];
    constexpr std::size_t b = op.inputs[1];
    constexpr std::size_t c = op.inputs[2];
    if constexpr (f == cell_op_number("ConstantFill")) {
      constexpr T value = static_cast<T>(op.number(0));
      r.number[to] = value;
    } else if constexpr (f == cell_op_number("Where")) {
      r.number[to] = r.flag[a] ? r.number[b] : r.number[c];
    } else if constexpr (f == cell_op_number("Not")) {
      r.flag[to] = !r.flag[a];
    } else if constexpr (f == cell_op_number("And") || f == cell_op_number("Or")) {
      constexpr auto function = cell_functor<f>::template get<T>(op);
      r.flag[to] = function(r.flag[a], r.flag[b]);
    } else if constexpr (op.info().kind == cell_op_class::flag) {
      constexpr auto function = cell_functor<f>::template get<T>(op);
      r.flag[to] = function(r.number[a], r.number[b]);
    } else if constexpr (f == cell_op_number("DivGradient")) {
      T const quotient = r.number[c] / r.number[a];
      r.number[to] = quotient;
      r.number[to + 1] = functions::negated_product()(quotient, r.number[b]);
    } else if constexpr (f == cell_op_number("MaxGradient") || f == cell_op_number("MinGradient")) {
      functions::chosen_gradient<T> const chosen;
      r.number[to] = chosen(r.number[a], r.number[b], r.number[c]);
      if constexpr (op.output_count == 2) r.number[to + 1] = chosen(r.number[a], r.number[b], r.number[op.inputs[3]]);
    } else if constexpr (f == cell_op_number("ReduceBackSumGradient")) {
      r.number[to] = r.number[a];
    } else if constexpr (f == cell_op_number("ReduceBackMeanGradient")) {
      r.number[to] = reduction_slope<reduction_kind::mean, T>{r.width}(r.number[a], T(0), T(0));
    } else if constexpr (f == cell_op_number("ReduceBackMaxGradient")) {
      r.number[to] = reduction_slope<reduction_kind::max, T>{r.width}(r.number[a], r.number[b], r.number[c]);
    } else if constexpr (Rounding == cell_rounding::contracted && facts::is_product_of_fractions[I]) {
      r.number[to] = (fraction_of<a>(r) * fraction_of<b>(r)).value();
    } else if constexpr (Rounding == cell_rounding::contracted && f == cell_op_number("TanhGradient")) {
      r.number[to] = r.number[b] * (T(1) - r.number[a] * r.number[a]);
    } else {
      constexpr auto function = cell_functor<f>::template get<T>(op);
      T made;
      if constexpr (op.input_count == 1)
        made = function(r.number[a]);
      else if constexpr (op.input_count == 2)
        made = function(r.number[a], r.number[b]);
      else
        made = function(r.number[a], r.number[b], r.number[c]);
      if constexpr (Rounding == cell_rounding::of_ops && facts::needs_rounding[I]) made = rounded(made);
      r.number[to] = made;
    }
  }
  // A value as its op divides it.
  template <std::size_t V>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static math::fraction<T> fraction_of(registers const& r) {
    constexpr traced_op op = facts::op(facts::definition[V]);
    if constexpr (op.function == cell_op_number("Sigmoid"))
      return math::sigmoid_fraction(r.number[op.inputs[0]]);
    else
      return math::tanh_fraction(r.number[op.inputs[0]]);
  }

  /// Evaluates the ops [First, Last) of elements that a target needs, and calls after<op>(r) for each. Halves, as folds
  /// of many operands exceed clang's limit of nesting.
  template <std::size_t Target, std::size_t First, std::size_t Last, class After>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void elements(registers& r, After const& after) const {
    if constexpr (Last - First == 1) {
      constexpr traced_op op = facts::op(First);
      constexpr auto is_needed_output = [](std::size_t v) {
        return facts::template needed<Target>[v] &&
               (Target < facts::ops || facts::loaded_output(v, Target - facts::ops) == Cell::output_count);
      };
      constexpr bool is_needed = is_needed_output(op.output) || is_needed_output(op.output + op.output_count - 1u);
      if constexpr (is_needed && !facts::is_of_row(op.output)) {
        step<First>(r);
        after.template after<First>(r);
      }
    } else if constexpr (Last != First) {
      constexpr std::size_t middle = (First + Last) / 2;
      elements<Target, First, middle>(r, after);
      elements<Target, middle, Last>(r, after);
    }
  }
};

struct nothing_after_op {
  template <std::size_t, class Registers>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void after(Registers const&) const {}
};

/// Pass of a cell over the elements of rows of `width` elements. Operands that vary with rows and columns are matrices.
/// The bits are those of the cell's ops one after another.
///
/// Operands are stored as Stored, which can be a 16-bit type; a result that is computed from another then reads that
/// one as stored.
template <class Cell, class T, cell_rounding Rounding = cell_rounding::of_ops, class Stored = T>
struct cell_pass {
  using facts = cell_facts<Cell>;
  using evaluator = cell_evaluator<Cell, T, Rounding>;
  using registers = typename evaluator::registers;
  static constexpr std::size_t inputs = Cell::input_count;
  static constexpr std::size_t outputs = Cell::output_count;

  std::array<Stored const*, inputs> in;
  std::array<Stored*, outputs> out;
  std::size_t width;

  static constexpr bool varies(std::uint8_t axes, cell_axes with) { return (axes & with) != 0; }

  /// Computes the elements [first, last) of a row, all of the row if the cell has reductions. TRAP: large cells must be
  /// inlined, too, or they are compiled without the wide instruction sets of their caller: slower, and with other bits.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    on_row(operands_of(row, std::make_index_sequence<inputs>(), std::make_index_sequence<outputs>()), width, first,
           last);
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const { (*this)(row, 0, width); }

  /// Operands of one row.
  struct row_operands {
    std::array<Stored const*, inputs> in;
    std::array<Stored*, outputs> out;
  };
  /// Computes elements of a row of `width`, whose operands are anywhere.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void on_row(row_operands const& at, std::size_t width, std::size_t first,
                                                           std::size_t last) {
    run(at, width, first, last, std::make_index_sequence<inputs>(), std::make_index_sequence<outputs>());
  }

 private:
  template <std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE Stored const* input_of(std::size_t row) const {
    constexpr std::uint8_t axes = Cell::net().input_axes(K);
    if constexpr (axes == cell_elements) return in[K] + row * width;
    if constexpr (axes == cell_rows) return in[K] + row;
    return in[K];
  }
  template <std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE Stored* output_of(std::size_t row) const {
    if constexpr (Cell::net().output_axes(K) == cell_elements) return out[K] + row * width;
    return out[K] + row;
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static T loaded(Stored x) {
    if constexpr (std::is_same_v<T, Stored>)
      return x;
    else
      return convert<T>(x);
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static Stored stored(T x) {
    if constexpr (std::is_same_v<T, Stored>)
      return x;
    else
      return convert<Stored>(x);
  }
  template <std::size_t Target, std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void load(row_operands const& at, std::size_t i, registers& r) {
    if constexpr (varies(Cell::net().input_axes(K), cell_columns) && facts::template needed<Target>[K])
      r.number[K] = loaded(at.in[K][i]);
  }
  template <std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void load_of_row(row_operands const& at, registers& r) {
    if constexpr (!varies(Cell::net().input_axes(K), cell_columns)) r.number[K] = loaded(*at.in[K]);
  }
  // Loads an output of an earlier loop, if a loop needs it.
  template <std::size_t Loop, std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void load_output(row_operands const& at, std::size_t i, registers& r) {
    constexpr std::size_t v = Cell::net().external_outputs()[K];
    if constexpr (facts::loaded_output(v, Loop) == K && facts::template needed<facts::ops + Loop>[v])
      r.number[v] = loaded(at.out[K][i]);
  }
  // Stores an output that is of a loop and has been computed by an op; by facts::ops if it is of no element.
  template <std::size_t Loop, std::size_t K, std::size_t Op>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void store(row_operands const& at, std::size_t i, registers const& r) {
    constexpr std::size_t v = Cell::net().external_outputs()[K];
    constexpr std::size_t by = facts::is_of_row(v) ? facts::ops : facts::definition[v];
    if constexpr (varies(Cell::net().output_axes(K), cell_columns) && facts::loop_of_output[K] == Loop && by == Op)
      at.out[K][i] = stored(r.number[v]);
  }
  // Stores outputs as they are computed, which takes fewer registers.
  template <std::size_t Loop, class Outputs>
  struct stores;
  template <std::size_t Loop, std::size_t... K>
  struct stores<Loop, std::index_sequence<K...>> {
    row_operands const& at;
    std::size_t i;
    template <std::size_t Op>
    PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void after(registers const& r) const {
      (store<Loop, K, Op>(at, i, r), ...);
    }
  };
  template <std::size_t K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void store_of_row(row_operands const& at, registers const& r) {
    constexpr std::size_t v = Cell::net().external_outputs()[K];
    if constexpr (!varies(Cell::net().output_axes(K), cell_columns)) *at.out[K] = stored(r.number[v]);
  }

  // The operand of a reduction, by element.
  template <std::size_t Target, class Inputs>
  struct reduced_element;
  template <std::size_t Target, std::size_t... K>
  struct reduced_element<Target, std::index_sequence<K...>> {
    evaluator const& ops;
    row_operands const& at;
    registers const& row;
    PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(std::size_t i) const {
      registers r = row;
      (load<Target, K>(at, i, r), ...);
      ops.template elements<Target, 0, facts::ops>(r, nothing_after_op());
      return r.number[facts::op(Target).inputs[0]];
    }
  };

  // Evaluates the ops of rows: those whose values are the same for all elements.
  template <std::size_t First, std::size_t Last, class Inputs>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void ops_of_row(evaluator const& ops, row_operands const& at,
                                                               std::size_t width, registers& r) {
    if constexpr (Last - First == 1) {
      constexpr traced_op op = facts::op(First);
      if constexpr (op.info().kind == cell_op_class::reduced) {
        using element = reduced_element<First, Inputs>;
        T made = T(0);
        if (width != 0) {
          if constexpr (op.function == cell_op_number("ReduceBackMax"))
            made = reduce_row<max_reduction, T>(width, element{ops, at, r});
          else
            made = reduce_row<sum_reduction, T>(width, element{ops, at, r});
          if constexpr (op.function == cell_op_number("ReduceBackMean")) made = mean_of(made, width);
        }
        r.number[op.output] = made;
      } else if constexpr (facts::is_of_row(op.output)) {
        ops.template step<First>(r);
      }
    } else if constexpr (Last != First) {
      constexpr std::size_t middle = (First + Last) / 2;
      ops_of_row<First, middle, Inputs>(ops, at, width, r);
      ops_of_row<middle, Last, Inputs>(ops, at, width, r);
    }
  }

  template <std::size_t Loop, std::size_t... K, std::size_t... O>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void loops(evaluator const& ops, row_operands const& at,
                                                          registers const& of_row, std::size_t first, std::size_t last,
                                                          std::index_sequence<O...> outputs_) {
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) {
      registers r = of_row;
      (load<facts::ops + Loop, K>(at, i, r), ...);
      (load_output<Loop, O>(at, i, r), ...);
      ops.template elements<facts::ops + Loop, 0, facts::ops>(r, stores<Loop, std::index_sequence<O...>>{at, i});
      (store<Loop, O, facts::ops>(at, i, r), ...);
    }
    if constexpr (Loop + 1 != facts::loops) loops<Loop + 1, K...>(ops, at, of_row, first, last, outputs_);
  }

  template <std::size_t... K, std::size_t... O>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE row_operands operands_of(std::size_t row, std::index_sequence<K...>,
                                                                 std::index_sequence<O...>) const {
    return {{input_of<K>(row)...}, {output_of<O>(row)...}};
  }
  template <std::size_t... K, std::size_t... O>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void run(row_operands const& at, std::size_t width, std::size_t first,
                                                        std::size_t last, std::index_sequence<K...>,
                                                        std::index_sequence<O...>) {
    evaluator const ops;
    registers of_row;
    of_row.width = static_cast<T>(width);
    (load_of_row<K>(at, of_row), ...);
    ops_of_row<0, facts::ops, std::index_sequence<K...>>(ops, at, width, of_row);
    loops<0, K...>(ops, at, of_row, first, last, std::index_sequence<O...>());
    (store_of_row<O>(at, of_row), ...);
  }
};

// All elements of an element-wise cell as one row.
template <class Pass>
struct cell_tile {
  Pass pass;
  PLAIT_ALWAYS_INLINE void operator()(std::size_t first, std::size_t last) const { pass(0, first, last); }
};
template <class Pass>
struct cell_element {
  Pass pass;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t i) const { pass(0, i, i + 1); }
};

/// Implements an element_function.
template <class Cell, class T>
void run_cell_elements(void const*, void* const* operands, std::size_t count) {
  using tile = cell_tile<cell_pass<Cell, T>>;
  tile made{};
  for (std::size_t i = 0; i != Cell::input_count; ++i) made.pass.in[i] = static_cast<T const*>(operands[i]);
  for (std::size_t o = 0; o != Cell::output_count; ++o)
    made.pass.out[o] = static_cast<T*>(operands[Cell::input_count + o]);
  made.pass.width = count;
  run_tile<tile>(&made, 0, count);
}

/// The function of an element that an element-wise cell with one output computes.
template <class Cell, class T>
struct cell_call {
  template <class... Ts>
  PLAIT_HOST_DEVICE T operator()(Ts... x) const {
    using evaluator = cell_evaluator<Cell, T, cell_rounding::of_ops>;
    typename evaluator::registers r{{x...}, {}, T(1)};
    evaluator().template elements<cell_facts<Cell>::ops, 0, cell_facts<Cell>::ops>(r, nothing_after_op());
    return r.number[Cell::net().external_outputs()[0]];
  }
};

/// Applies a cell to matrices of rows times pass.width elements.
template <backend B, class Cell, class T, class Stored>
void run_cell(std::size_t rows, cell_pass<Cell, T, cell_rounding::of_ops, Stored> const& pass) {
  using facts = cell_facts<Cell>;
  using pass_type = cell_pass<Cell, T, cell_rounding::of_ops, Stored>;
  if constexpr (facts::is_elementwise && B::on_device)
    for_each_index<B>(rows * pass.width, cell_element<pass_type>{pass});
  else if constexpr (facts::is_elementwise)
    for_each_tile<B>(rows * pass.width, std::max<std::size_t>(1, tile_size / facts::cost), cell_tile<pass_type>{pass});
  else if constexpr (facts::has_whole_rows)
    for_each_row<B>(rows, pass.width * facts::cost, pass);
  else
    for_each_row_part<B>(rows, pass.width, facts::cost, pass);
}

}  // namespace plait::detail

PLAIT_KERNELS_END
