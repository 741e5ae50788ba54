// Fusion patterns of an op: how it can be split into parts that run separately.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/element_program.hpp>
#include <plait/exec/detail/kernels/simple_function.hpp>

namespace plait {

/// Scalar function of an element-wise op on the host.
struct element_function {
  /// Computes `count` elements: `operands` are the addresses of the first in each input, then in each output. Does not
  /// throw.
  void (*run)(void const* self, void* const* operands, std::size_t count) = nullptr;
  void const* self = nullptr;  ///< member of the kernel, or constant
  /// Arithmetic expression of the inputs in order, if it is one; `type` is that of all operands, float32 or float64.
  simple_function simple = simple_function::none;
  element_type type = element_type::none;

  explicit operator bool() const { return run != nullptr; }
  /// Sets `simple` from F::simple, if F has it, and the type of the operands from T.
  template <class F, class T>
  constexpr element_function& is() {
    if constexpr (requires { F::simple; } && std::floating_point<T>) {
      simple = F::simple;
      type = element_type_of<T>;
    }
    return *this;
  }
};

/// Scalar function of an element-wise op. On a device there is one output, and inputs may be broadcast along rows or
/// columns.
template <backend B>
using function_of_elements = std::conditional_t<B::on_device, device_function, element_function>;

/// Which parts of the outputs depend on which parts of the inputs. The results of parts have the bits of run().
enum class pattern_kind : unsigned char {
  /// Each element of the outputs depends on the same element of the inputs, and on inputs with a single element. On
  /// hosts an input of `width` elements is repeated for each row of the outputs.
  elements,
  /// On hosts. Each row of the outputs (the indices of all axes but the last, or a vector's element) depends on the
  /// same row of the inputs, and on inputs shared by all rows.
  rows,
  /// Like `rows`, for streamed execution in a series in which the shared inputs are loop-invariant. Holds before memory
  /// is placed.
  streamed_rows,
  /// On devices. Rows of the first input are split evenly into rows of the outputs.
  split,
  /// On devices. Rows of the inputs, of equal width, are concatenated to those of the first output.
  concatenated,
  /// The outputs in whole_outputs are sums over the rows of two inputs, those that are not whole: the sums of several
  /// runs are the sums over all their rows.
  sums,
  /// On hosts. The op can add a value to its only output, float32 or float64, and then compute Relu, as it stores the
  /// elements (op_part::kinds::whole).
  epilogue,
  /// The op, which has results_after_run, reads the first axis of `input` in order, each index at most once, and can
  /// receive it in blocks of `least_rows` (op_context::streamed). Holds before memory is placed.
  in_order,
};

/// One way to run an op in parts: see op_kernel::patterns. Operands from the 65th on are none of a set.
template <backend B>
struct op_pattern {
  pattern_kind kind;
  std::size_t work = 1;                 ///< total over all parts, in element copies
  std::uint64_t whole_inputs = 0;       ///< one bit per input: shared by all parts
  std::uint64_t whole_outputs = 0;      ///< one bit per output: not written by parts, but once before them
  std::size_t width = 0;                ///< split, concatenated: of a segment; elements: of a repeated input, if any
  std::size_t least_rows = 1;           ///< rows: per thread; fewer cost more each; in_order: of a block
  std::size_t rows = 0;                 ///< sums: of a run
  bool whole_outputs_are_sums = false;  ///< rows: holds if they are accumulated, from inputs that last (row_sums)
  std::uint32_t input = 0;              ///< in_order: which is streamed
  bool undivided = false;               ///< rows: other splits than rows are faster on several threads
  bool is_sum = false;                  ///< rows: the op only computes output 0 = input 0 + input 1, element-wise
  bool can_add = false;                 ///< rows: op_part::addend is implemented
  function_of_elements<B> does = {};    ///< elements

  constexpr bool is_whole_input(std::size_t i) const { return i < 64 && (whole_inputs >> i & 1) != 0; }
  constexpr bool is_whole_output(std::size_t i) const { return i < 64 && (whole_outputs >> i & 1) != 0; }
};

/// Appends the patterns of an op that computes each element of its outputs from the same element of its inputs.
template <backend B>
void add_elements(std::type_identity_t<function_of_elements<B>> const& does, std::size_t work,
                  std::vector<op_pattern<B>>& to, bool is_sum = false) {
  if (work == 0) return;
  to.push_back({.kind = pattern_kind::rows, .work = work, .is_sum = is_sum});
  if (does) to.push_back({.kind = pattern_kind::elements, .work = work, .does = does});
}

/// Part of an op: see op_kernel::run_part.
struct op_part {
  enum class kinds : unsigned char {
    whole,    ///< the whole op, with an epilogue
    outputs,  ///< some outputs: those that rows leave out, once before all rows; or sums, or all others
    rows,     ///< operands are matrices or vectors of some rows only, except those that are whole
  };
  kinds kind = kinds::rows;
  /// Outputs: one bit per output.
  std::uint64_t outputs = 0;
  /// Outputs: if not 0, the sums over so many rows are added to the outputs. The context's inputs are the first rows.
  std::size_t adds_rows = 0;
  /// Rows, whole: elements to add to output 0, as many as it has, apart from it; on hosts with the bits of a separate
  /// sum.
  void const* addend = nullptr;
  bool relu = false;  ///< whole: negative elements become zero, after the sum
};

}  // namespace plait
