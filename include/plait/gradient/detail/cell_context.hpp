// Context of gradient rules at compile time: an op of a static cell, whose gradient ops are appended to the cell's
// code. Has the members of gradient_context that the rules of rules/elementwise_rules.hpp use.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/gradient/detail/gradient_operand.hpp>
#include <plait/net/detail/traced_net.hpp>

namespace plait {

namespace detail {
/// Throws net_error: a rule does what static cells do not support. Not a constant expression, so that compilers
/// name the call where a cell is differentiated.
[[noreturn]] inline void fail_cell_rule(char const* why) {
  raise(net_error(std::string("plait: the gradient of a static cell: ") + why));
}
}  // namespace detail

/// Name of a blob of a static cell, whose values have none.
struct no_blob_name {
  friend constexpr no_blob_name operator+(no_blob_name, std::string_view) { return {}; }
};

/// Builder for an op that a rule has emitted.
class made_cell_op {
 public:
  constexpr made_cell_op(traced_code& code, std::size_t at) : code_(&code), at_(at) {}

  template <class T>
  constexpr made_cell_op& argument(std::string_view key, T const& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      traced_op& op = code_->ops[at_];
      for (std::size_t i = 0; i != 2; ++i)
        if (op.info().arguments[i] == key) op.arguments[i] = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
    return *this;
  }
  constexpr made_cell_op& named(std::string_view) { return *this; }
  constexpr made_cell_op& own_arguments() {
    code_->ops[at_].arguments = {};
    return *this;
  }

 private:
  traced_code* code_;
  std::size_t at_;
};

/// An op of a cell under differentiation. Operands are numbers of values of the code; those that a rule requests have
/// numbers above `unplaced` until an op defines them.
class cell_context {
 public:
  using text_type = std::string_view;
  using operand_list = std::vector<gradient_operand>;
  static constexpr std::uint32_t unplaced = 1u << 16;

  /// `op`: the op's number; `adjoints`: by value of the forward net, npos where there is none.
  constexpr cell_context(traced_code& code, std::size_t op, std::vector<std::uint32_t> const& adjoints)
      : code_(&code), op_(code.ops[op]), adjoints_(&adjoints) {}

  // ---- the op
  constexpr std::string_view type() const { return op_.info().name; }
  constexpr std::size_t listed_input_count() const { return op_.input_count; }
  constexpr std::size_t input_count() const { return op_.input_count; }
  constexpr std::size_t output_count() const { return op_.output_count; }
  constexpr std::string_view input_name(std::size_t) const { return {}; }
  constexpr std::string_view output_name(std::size_t) const { return {}; }
  constexpr gradient_operand input(std::size_t i) const { return {op_.inputs[i]}; }
  constexpr gradient_operand output(std::size_t i) const { return {static_cast<std::uint32_t>(op_.output + i)}; }
  template <class T>
  constexpr T argument(std::string_view key, T fallback = T()) const {
    if constexpr (std::is_arithmetic_v<T>)
      for (std::size_t i = 0; i != 2; ++i)
        if (op_.info().arguments[i] == key) return static_cast<T>(op_.number(i));
    return fallback;
  }
  constexpr bool has_argument(std::string_view key) const {
    return op_.info().arguments[0] == key || op_.info().arguments[1] == key;
  }
  constexpr bool as_caffe2() const { return false; }
  /// Returns false: the gradient of an operand that varies with less than the result is summed by the backward pass.
  constexpr bool numpy_broadcasting() const { return false; }

  // ---- gradients
  constexpr bool has_gradient(std::size_t o) const { return (*adjoints_)[op_.output + o] != npos; }
  constexpr gradient_operand output_gradient(std::size_t o) const {
    if (!has_gradient(o)) detail::fail_cell_rule("an output of the op has no gradient");
    return {(*adjoints_)[op_.output + o]};
  }
  constexpr bool is_wanted(std::size_t) const { return true; }
  constexpr no_blob_name gradient_name(std::size_t) const { return {}; }
  constexpr gradient_operand input_gradient(std::size_t i) {
    results_[i] = {unplaced + made_++, true};
    return {results_[i].value};
  }
  constexpr void pass(std::size_t i, gradient_operand gradient) { results_[i] = {gradient.id, false}; }
  template <class... Names>
  constexpr gradient_operand temporary(Names const&...) {
    return {unplaced + made_++};
  }
  constexpr gradient_operand in_place_of(gradient_operand) { return temporary(); }

  // ---- ops
  template <class Inputs = std::initializer_list<gradient_operand>,
            class Outputs = std::initializer_list<gradient_operand>>
  constexpr made_cell_op op(std::string_view type, Inputs const& inputs, Outputs const& outputs) {
    std::size_t const function = find_cell_op(type);
    if (function == cell_op_count) detail::fail_cell_rule("a gradient op is no function of static cells");
    traced_op made{.function = static_cast<cell_op>(function),
                   .output_count = static_cast<std::uint8_t>(std::size(outputs))};
    bool const is_fill = made.info().kind == cell_op_class::fill;  // of the shape of its input
    for (gradient_operand const v : inputs)
      if (!is_fill) made.inputs[made.input_count++] = static_cast<std::uint16_t>(placed(v));
    // Max and Min of a value and itself have fewer.
    bool const may_have_fewer = made.info().outputs == 2 && made.info().inputs == 4;
    if ((made.input_count != made.info().inputs && !may_have_fewer) || made.output_count > made.info().outputs)
      detail::fail_cell_rule("a gradient op has another number of operands in static cells");
    if (has_equal_arguments(made.info())) made.arguments = op_.arguments;
    std::uint16_t next = code_->add(made);
    for (gradient_operand const v : outputs) {
      if (v.id - unplaced >= places_.size()) detail::fail_cell_rule("a rule computes more than 16 values");
      places_[v.id - unplaced] = next++;
      is_placed_[v.id - unplaced] = true;
    }
    return {*code_, code_->ops.size() - 1};
  }
  constexpr void refuse_unless(bool holds, std::string_view) const {
    if (!holds) detail::fail_cell_rule("the op has no gradient");
  }

  // ---- for the backward pass
  /// Gradient of an input.
  struct result {
    std::uint32_t value = npos;
    bool is_made = false;  ///< by an op of the rule
  };
  /// Returns the gradients by input, as values of the code.
  constexpr std::array<result, 4> results() const {
    std::array<result, 4> made = results_;
    for (result& r : made)
      if (r.value != npos) r.value = placed({r.value});
    return made;
  }

 private:
  constexpr std::uint32_t placed(gradient_operand v) const {
    if (v.id < unplaced) return v.id;
    if (v.id - unplaced >= places_.size() || !is_placed_[v.id - unplaced])
      detail::fail_cell_rule("a rule reads a value before one of its ops computes it");
    return places_[v.id - unplaced];
  }
  // Gradient ops inherit the arguments of the same names.
  constexpr bool has_equal_arguments(cell_op_info const& made) const {
    return !made.arguments[0].empty() && made.arguments[0] == op_.info().arguments[0];
  }

  traced_code* code_;
  traced_op op_;
  std::vector<std::uint32_t> const* adjoints_;
  std::uint32_t made_ = 0;
  std::array<std::uint32_t, 16> places_ = {};  // by requested value
  std::array<bool, 16> is_placed_ = {};
  std::array<result, 4> results_ = {};
};

}  // namespace plait
