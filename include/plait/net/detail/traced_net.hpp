// Nets of static cells: straight-line code over scalar functions, in SSA form. A traced_net is a structural type, which
// can be a template argument; traced_code is the same with arrays that grow, while a cell is traced or transformed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/net/detail/cell_ops.hpp>

namespace plait {

/// Axes that a value of a cell varies along, as bits: a cell is applied to the elements of the rows of a matrix.
enum cell_axes : std::uint8_t {
  cell_constant = 0,  ///< one number for all elements
  cell_rows = 1,      ///< one for each row
  cell_columns = 2,   ///< one for each column
  cell_elements = 3,
};

/// An op of a static cell.
struct traced_op {
  cell_op function = 0;
  std::uint8_t input_count = 0;
  std::uint8_t output_count = 1;
  std::array<std::uint16_t, 4> inputs = {};
  std::uint16_t output = 0;                     ///< the first; the others follow it
  std::array<std::uint64_t, 2> arguments = {};  ///< doubles, as bits: clang 16 mangles no others

  constexpr cell_op_info const& info() const { return cell_ops[function]; }
  constexpr double number(std::size_t i) const { return std::bit_cast<double>(arguments[i]); }
  friend constexpr bool operator==(traced_op const&, traced_op const&) = default;
};

/// Reason for which a callable is no cell.
enum class cell_problem : std::uint8_t {
  none,
  flag_as_number,     ///< a comparison's result is an operand of a function of numbers, or a result of the cell
  number_as_flag,     ///< a number is an operand of &&, || or !, or the first of select
  reduction_of_row,   ///< the operand of a sum, mean or maximum is one number for each row
  same_for_all_rows,  ///< a result varies with no input that has rows
  branch,             ///< a value decides which ops are traced
  number,             ///< a value is converted to a number
  other,
};

/// A net of a static cell whose size is not known yet. Values 0 … inputs - 1 are the inputs; each op defines the values
/// that follow.
struct traced_code {
  std::vector<std::uint8_t> axes;  ///< cell_axes, by value
  std::size_t input_count = 0;
  std::vector<traced_op> ops;
  std::vector<std::uint16_t> outputs;
  std::vector<std::uint8_t> output_axes;  ///< cell_axes; an output may be stored for more than its value varies with
  cell_problem problem = cell_problem::none;

  /// Sets the problem unless there is one already.
  constexpr void report(cell_problem found) {
    if (problem == cell_problem::none) problem = found;
  }
  constexpr std::uint16_t add_value(std::uint8_t varies) {
    axes.push_back(varies);
    return static_cast<std::uint16_t>(axes.size() - 1);
  }
  constexpr std::uint16_t add_input(std::uint8_t varies) {
    ++input_count;
    return add_value(varies);
  }
  constexpr void add_output(std::uint16_t v) { add_output(v, axes[v]); }
  constexpr void add_output(std::uint16_t v, std::uint8_t varies) {
    outputs.push_back(v);
    output_axes.push_back(varies);
  }
  /// Appends an op whose outputs vary as its inputs do, and returns the first of these.
  constexpr std::uint16_t add(traced_op made) {
    std::uint8_t varies = cell_constant;
    for (std::size_t i = 0; i != made.input_count; ++i) varies |= axes[made.inputs[i]];
    if (made.info().kind == cell_op_class::reduced) varies &= cell_rows;
    made.output = static_cast<std::uint16_t>(axes.size());
    for (std::size_t o = 0; o != made.output_count; ++o) add_value(varies);
    ops.push_back(made);
    return made.output;
  }
  constexpr std::uint16_t add(cell_op function, std::initializer_list<std::uint16_t> inputs) {
    traced_op made{.function = function};
    for (std::uint16_t const v : inputs) made.inputs[made.input_count++] = v;
    return add(made);
  }
  constexpr std::uint16_t add_constant(double value) {
    return add({.function = cell_op_number("ConstantFill"), .arguments = {std::bit_cast<std::uint64_t>(value)}});
  }
};

/// Size of a traced_net.
struct traced_size {
  std::size_t inputs = 0;
  std::size_t ops = 0;
  std::size_t outputs = 0;
  friend constexpr bool operator==(traced_size const&, traced_size const&) = default;
};

constexpr traced_size size_of_code(traced_code const& code) {
  return {code.input_count, code.ops.size(), code.outputs.size()};
}

/// Code in arrays that may be larger: what one constant evaluation returns, from which the exact size is known.
template <std::size_t Capacity>
struct traced_block {
  bool fits = false;
  traced_size size = {};
  std::size_t values = 0;
  cell_problem problem = cell_problem::none;
  std::array<traced_op, Capacity> ops = {};
  std::array<std::uint16_t, Capacity> outputs = {};
  std::array<std::uint8_t, Capacity> input_axes = {};
  std::array<std::uint8_t, Capacity> output_axes = {};

  constexpr explicit traced_block(traced_code const& code)
      : fits(code.ops.size() <= Capacity && code.input_count <= Capacity && code.outputs.size() <= Capacity),
        size(size_of_code(code)),
        values(code.axes.size()),
        problem(code.problem) {
    if (!fits) return;
    for (std::size_t i = 0; i != size.ops; ++i) ops[i] = code.ops[i];
    for (std::size_t i = 0; i != size.inputs; ++i) input_axes[i] = code.axes[i];
    for (std::size_t o = 0; o != size.outputs; ++o) {
      outputs[o] = code.outputs[o];
      output_axes[o] = code.output_axes[o];
    }
  }
  /// Returns the code again, to transform it in another constant expression: each has its own limit of steps.
  constexpr traced_code code() const {
    traced_code made;
    made.axes.reserve(values);
    made.ops.reserve(size.ops);
    for (std::size_t i = 0; i != size.inputs; ++i) made.add_input(input_axes[i]);
    for (std::size_t i = 0; i != size.ops; ++i) made.add(ops[i]);
    for (std::size_t o = 0; o != size.outputs; ++o) made.add_output(outputs[o], output_axes[o]);
    made.problem = problem;
    return made;
  }
};

/// Arrays of a net of known size: a structural type, which can be a template argument.
template <traced_size Size>
struct traced_arrays {
  std::array<traced_op, Size.ops> ops = {};
  std::array<std::uint16_t, Size.inputs> inputs = {};
  std::array<std::uint16_t, Size.outputs> outputs = {};
  std::array<std::uint8_t, Size.inputs> input_axes = {};    // cell_axes
  std::array<std::uint8_t, Size.outputs> output_axes = {};  // cell_axes
  std::size_t values = 0;

  template <std::size_t Capacity>
  constexpr explicit traced_arrays(traced_block<Capacity> const& block) : values(block.values) {
    for (std::size_t i = 0; i != Size.ops; ++i) ops[i] = block.ops[i];
    for (std::size_t i = 0; i != Size.inputs; ++i) {
      inputs[i] = static_cast<std::uint16_t>(i);
      input_axes[i] = block.input_axes[i];
    }
    for (std::size_t o = 0; o != Size.outputs; ++o) {
      outputs[o] = block.outputs[o];
      output_axes[o] = block.output_axes[o];
    }
  }
  friend constexpr bool operator==(traced_arrays const&, traced_arrays const&) = default;
};

/// A net of a static cell. Models typed_net: ops and blobs are numbers, and op types those of the same ops at run time.
/// Refers to traced_arrays, so that analyses are instantiated once for all cells.
class traced_net {
 public:
  using op_type = std::uint32_t;
  using name_type = std::uint16_t;

  template <traced_size Size>
  constexpr explicit traced_net(traced_arrays<Size> const& of)
      : list_(of.ops),
        inputs_(of.inputs),
        outputs_(of.outputs),
        input_axes_(of.input_axes),
        output_axes_(of.output_axes),
        values_(of.values) {}

  // ---- net_traits
  constexpr auto ops() const noexcept { return std::views::iota(op_type{0}, static_cast<op_type>(list_.size())); }
  constexpr std::string_view type(op_type op) const { return list_[op].info().name; }
  constexpr std::span<name_type const> inputs(op_type op) const {
    return std::span<name_type const>(list_[op].inputs).first(list_[op].input_count);
  }
  constexpr auto outputs(op_type op) const {
    return std::views::iota(list_[op].output, static_cast<name_type>(list_[op].output + list_[op].output_count));
  }
  constexpr std::span<name_type const> external_inputs() const noexcept { return inputs_; }
  constexpr std::span<name_type const> external_outputs() const noexcept { return outputs_; }

  // ---- cells
  constexpr std::span<traced_op const> list() const noexcept { return list_; }
  constexpr std::size_t value_count() const noexcept { return values_; }
  /// Returns what an input varies with, as cell_axes.
  constexpr std::uint8_t input_axes(std::size_t i) const { return input_axes_[i]; }
  constexpr std::uint8_t output_axes(std::size_t o) const { return output_axes_[o]; }
  /// Returns the code again, to transform it.
  constexpr traced_code code() const {
    traced_code made;
    for (std::uint8_t const varies : input_axes_) made.add_input(varies);
    for (traced_op const& op : list_) made.add(op);
    for (std::size_t o = 0; o != outputs_.size(); ++o) made.add_output(outputs_[o], output_axes_[o]);
    return made;
  }

 private:
  std::span<traced_op const> list_;
  std::span<name_type const> inputs_;
  std::span<name_type const> outputs_;
  std::span<std::uint8_t const> input_axes_;
  std::span<std::uint8_t const> output_axes_;
  std::size_t values_;
};

}  // namespace plait
