// Static cells: a callable traced at compile time to a net, and its gradient.
//
//   constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto c) {
//     auto next = sigmoid(f) * c + sigmoid(i) * tanh(g);
//     return plait::cell_results{sigmoid(o) * tanh(next), next};
//   });
//   constexpr auto d_lstm = plait::gradient(lstm);
//   static_assert(plait::get_ssa(d_lstm.net()).op_count() < 30);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/gradient/detail/cell_context.hpp>
#include <plait/gradient/detail/cell_dependence.hpp>
#include <plait/gradient/detail/cell_saves.hpp>
#include <plait/gradient/detail/rules/elementwise_rules.hpp>
#include <plait/net/detail/cell_value.hpp>
#include <plait/net/detail/traced_net.hpp>
#include <plait/transform/detail/simplify_cell.hpp>

namespace plait {

namespace detail {

/// Rule of each function: a table entry, a composed rule, or none.
struct cell_rule {
  simple_rule const* simple = nullptr;
  composed_rule<cell_context> const* composed = nullptr;
};
inline constexpr auto cell_rules = [] {
  std::array<cell_rule, cell_op_count> made = {};
  auto const set = [&](auto const& table, auto cell_rule::*member) {
    for (auto const& entry : table)
      if (std::size_t const f = find_cell_op(entry.type); f != cell_op_count) made[f].*member = &entry;
  };
  set(elementwise_rules, &cell_rule::simple);
  set(row_reduction_rules, &cell_rule::simple);
  set(composed_elementwise_rules<cell_context>, &cell_rule::composed);
  return made;
}();

/// Backward pass over the code of a cell, as backward_engine's over a net: the same rules in the same order, and sums
/// of the same terms in the same order.
class cell_backward_pass {
 public:
  /// Returns the code of the gradient of a cell. Its inputs are those of the cell, then the gradients of its outputs;
  /// its outputs are the gradients of the inputs.
  constexpr traced_code operator()(traced_code const& forward) {
    auto const inputs = static_cast<std::uint16_t>(forward.input_count);
    auto const outputs = static_cast<std::uint16_t>(forward.outputs.size());
    auto const moved = [&](std::uint16_t v) { return v < inputs ? v : static_cast<std::uint16_t>(v + outputs); };
    code_ = {};
    for (std::size_t i = 0; i != inputs; ++i) code_.add_input(forward.axes[i]);
    for (std::size_t o = 0; o != outputs; ++o) code_.add_input(forward.output_axes[o]);
    for (traced_op op : forward.ops) {
      for (std::size_t i = 0; i != op.input_count; ++i) op.inputs[i] = moved(op.inputs[i]);
      code_.add(op);
    }
    adjoints_.assign(code_.axes.size(), npos);
    terms_.resize(code_.axes.size());
    for (std::size_t o = 0; o != outputs; ++o)
      terms_[moved(forward.outputs[o])].push_back({static_cast<std::uint32_t>(inputs + o), false});
    for (std::size_t at = forward.ops.size(); at-- != 0;) visit(at);
    for (std::size_t i = 0; i != inputs; ++i) {
      add_up(i);
      if (adjoints_[i] == npos) adjoints_[i] = code_.add_constant(0);
      auto const v = static_cast<std::uint16_t>(adjoints_[i]);
      code_.add_output(v, static_cast<std::uint8_t>(code_.axes[v] | code_.axes[i]));
    }
    return code_;
  }

  /// Returns the function of an op that has no gradient but should, cell_op_count if there is none.
  constexpr std::size_t problem() const noexcept { return problem_; }

 private:
  struct term {
    std::uint32_t value;
    bool by_op;
  };

  constexpr void visit(std::size_t at) {
    traced_op const op = code_.ops[at];
    bool any = false;
    for (std::size_t o = 0; o != op.output_count; ++o) {
      add_up(op.output + o);
      any = any || adjoints_[op.output + o] != npos;
    }
    if (!any || op.info().kind == cell_op_class::fill) return;
    cell_rule const& rule = cell_rules[op.function];
    cell_context context(code_, at, adjoints_);
    if (rule.simple != nullptr)
      apply_simple_rule(context, *rule.simple);
    else if (rule.composed != nullptr)
      rule.composed->make(context);
    else
      problem_ = op.function;
    collect(op, context);
  }
  // Terms that ops compute come first, in the order of these ops; one for several inputs is computed for the first.
  constexpr void collect(traced_op const& op, cell_context const& context) {
    auto const results = context.results();
    std::array<std::size_t, 4> order = {};
    std::size_t count = 0;
    for (std::size_t i = 0; i != op.input_count; ++i)
      if (results[i].value != npos) order[count++] = i;
    auto const rank = [&](std::size_t i) { return results[i].is_made ? results[i].value : npos; };
    for (std::size_t k = 1; k < count; ++k)
      for (std::size_t j = k; j != 0 && rank(order[j]) < rank(order[j - 1]); --j) std::swap(order[j], order[j - 1]);
    std::uint32_t before = npos;
    for (std::size_t k = 0; k != count; ++k) {
      std::size_t const i = order[k];
      bool const by_op = rank(i) != npos && rank(i) != before;
      before = rank(i);
      terms_[op.inputs[i]].push_back({unbroadcast(results[i].value, op.inputs[i]), by_op});
    }
  }
  /// Sums a gradient along rows if the value is one number for each. Sums over rows are left to the caller of the cell.
  constexpr std::uint32_t unbroadcast(std::uint32_t gradient, std::uint16_t of) {
    if ((code_.axes[of] & cell_columns) != 0 || (code_.axes[gradient] & cell_columns) == 0) return gradient;
    return code_.add(cell_op_number("ReduceBackSum"), {static_cast<std::uint16_t>(gradient)});
  }
  constexpr void add_up(std::size_t v) {
    std::vector<term>& terms = terms_[v];
    if (terms.empty()) return;
    for (std::size_t i = 0; i != terms.size(); ++i)
      if (terms[i].by_op) {
        std::swap(terms[0], terms[i]);  // as gradient_sums.hpp
        break;
      }
    std::uint32_t sum = terms[0].value;
    for (std::size_t i = 1; i != terms.size(); ++i)
      sum = code_.add(cell_op_number("Add"),
                      {static_cast<std::uint16_t>(sum), static_cast<std::uint16_t>(terms[i].value)});
    adjoints_[v] = sum;
    terms.clear();
  }

  traced_code code_;
  std::size_t problem_ = cell_op_count;
  std::vector<std::uint32_t> adjoints_;   // by forward value
  std::vector<std::vector<term>> terms_;  // by forward value
};

/// Evaluated code: a block, and the values that it saves.
template <std::size_t Capacity>
struct evaluated_code : traced_block<Capacity> {
  std::size_t saved_count = 0;
  std::array<std::uint16_t, Capacity> saved = {};
  std::size_t op_without_gradient = cell_op_count;

  constexpr explicit evaluated_code(saving_code const& made)
      : traced_block<Capacity>(made.code), saved_count(made.saved.size()), op_without_gradient(made.problem) {
    for (std::size_t i = 0; i != std::min(saved_count, Capacity); ++i) saved[i] = made.saved[i];
  }
};

template <class Code, std::size_t Capacity>
inline constexpr evaluated_code<Capacity> evaluated_code_of(Code::make());

/// Returns what Code::make() returns. Code is a type, so that it is evaluated once.
template <class Code, std::size_t Capacity = 64>
consteval auto const& code_block() {
  if constexpr (evaluated_code_of<Code, Capacity>.fits)
    return evaluated_code_of<Code, Capacity>;
  else
    return code_block<Code, 4 * Capacity>();
}

}  // namespace detail

/// Base of static cells: the net that Code::make() returns the code of.
template <class Code>
class basic_cell {
  static constexpr traced_size size = detail::code_block<Code>().size;

 public:
  /// The ops of the cell, as a value of a structural type.
  static constexpr traced_arrays<size> arrays{detail::code_block<Code>()};

 private:
  static constexpr traced_net net_{arrays};

 public:
  static constexpr std::size_t input_count = size.inputs;
  static constexpr std::size_t output_count = size.outputs;

  static constexpr traced_net const& net() noexcept { return net_; }

  /// Returns true if a result is a linear function of inputs, all together, for fixed values of the others.
  static constexpr bool is_linear(std::size_t output, std::initializer_list<std::size_t> inputs) {
    return dependence(net_, output, inputs) <= cell_dependence::linear;
  }
  /// Returns true if a result is an affine function of inputs: a scan can compute such a state.
  static constexpr bool is_affine(std::size_t output, std::initializer_list<std::size_t> inputs) {
    return dependence(net_, output, inputs) <= cell_dependence::affine;
  }
};

namespace detail {

template <class F>
struct traced_cell_code {
  static constexpr traced_code trace() { return trace_cell(F(), std::make_index_sequence<cell_input_count<F>()>()); }
  static constexpr int try_trace() {
    static_cast<void>(trace());
    return 0;
  }
  static constexpr saving_code make() {
    saving_code made;
    made.code = trace();
    if (made.code.problem == cell_problem::none) made.code = simplified_code(made.code);
    return made;
  }
};

template <int>
struct constant_int {};
// A callable whose tracing is a constant expression: it calls no function such as std::exp.
template <class F>
concept traceable = requires { typename constant_int<traced_cell_code<F>::try_trace()>; };

// Stands for a cell with a mistake, which is reported once.
struct wrong_cell_code {
  static constexpr saving_code make() { return saving_code(); }
};

// The code of a callable, if there is no mistake in it.
template <class F>
struct checked_cell_code {
  static constexpr bool is_plain = std::is_empty_v<F> && std::is_default_constructible_v<F>;
  static_assert(
      is_plain,
      "plait: the callable of a static cell captures nothing: make a number that it uses a template argument, "
      "or a parameter of type plait::scalar");
  static constexpr std::size_t inputs = cell_input_count<F>();
  static_assert(inputs <= most_cell_inputs,
                "plait: the callable of a static cell cannot be called with 1 to 48 values of a cell; its parameters "
                "are auto, plait::per_row, plait::per_column or plait::scalar");
  static constexpr cell_problem problem = [] {
    if constexpr (!is_plain || inputs > most_cell_inputs)
      return cell_problem::other;
    else if constexpr (traceable<F>)
      return code_block<traced_cell_code<F>>().problem;
    else
      return cell_problem::number;
  }();
  static constexpr bool has_number = problem == cell_problem::number;
  static_assert(!has_number,
                "plait: the cell calls a function of numbers on a value, which has none while it is traced: write "
                "exp(x), not std::exp(x); cells have the functions of docs/guide/compile-time.md");
  static constexpr bool has_branch = problem == cell_problem::branch;
  static_assert(!has_branch,
                "plait: a cell cannot branch on a value: it has none while it is traced; use select(flag, a, b), or "
                "max(a, b) instead of std::max(a, b)");
  static constexpr bool has_flag_as_number = problem == cell_problem::flag_as_number;
  static_assert(!has_flag_as_number,
                "plait: the cell uses the result of a comparison as a number: use select(flag, 1, 0)");
  static constexpr bool has_number_as_flag = problem == cell_problem::number_as_flag;
  static_assert(!has_number_as_flag, "plait: the cell uses a number as a flag, the result of a comparison: use x != 0");
  static constexpr bool has_reduction_of_row = problem == cell_problem::reduction_of_row;
  static_assert(!has_reduction_of_row,
                "plait: the cell takes the sum, mean or maximum of one number for each row, not of its elements");
  static constexpr bool has_same_for_all_rows = problem == cell_problem::same_for_all_rows;
  static_assert(!has_same_for_all_rows,
                "plait: a result of the cell is the same for all rows: it depends on no input that varies with them");
  using type = std::conditional_t<problem == cell_problem::none, traced_cell_code<F>, wrong_cell_code>;
};

/// Capacity of the first try to evaluate the code of a gradient.
template <class Cell>
inline constexpr std::size_t gradient_capacity = Cell::net().list().size() <= 12 ? 64 : 6 * Cell::net().list().size();

// Both passes, before anything is simplified.
template <class Cell>
struct cell_passes_code {
  static constexpr saving_code make() {
    cell_backward_pass pass;
    saving_code made;
    made.code = pass(Cell::net().code());
    made.problem = pass.problem();
    return made;
  }
};

template <class Cell, cell_saves Saves>
struct cell_gradient_code {
  static constexpr saving_code make() {
    auto const& both = code_block<cell_passes_code<Cell>, gradient_capacity<Cell>>();
    saving_code made;
    if (both.op_without_gradient == cell_op_count) made = with_saved_values(Cell::net().code(), both.code(), Saves);
    made.problem = both.op_without_gradient;
    return made;
  }
};

template <class Cell, cell_saves Saves>
struct checked_cell_gradient {
  static constexpr std::size_t problem = code_block<cell_gradient_code<Cell, Saves>>().op_without_gradient;
  static constexpr bool rounds = problem == cell_op_number("Floor") || problem == cell_op_number("Ceil");
  static_assert(!rounds, "plait: the cell has no gradient: floor and ceil are not differentiable");
  static constexpr bool has_rules = rounds || problem == cell_op_count;
  static_assert(has_rules, "plait: the cell has no gradient: it has ops of gradients, which have no rule in cells");
  using type = std::conditional_t<problem == cell_op_count, cell_gradient_code<Cell, Saves>, wrong_cell_code>;
};

// The cell with outputs for all values that the backward pass reads.
template <class Cell, cell_saves Saves>
struct saving_cell_code {
  static constexpr saving_code make() {
    saving_code made;
    made.code = Cell::net().code();
    auto const& gradient = code_block<cell_gradient_code<Cell, Saves>>();
    for (std::size_t i = 0; i != gradient.saved_count; ++i)
      if (std::ranges::find(made.code.outputs, gradient.saved[i]) == made.code.outputs.end())
        made.code.add_output(gradient.saved[i]);
    return made;
  }
};

// A cell with only the first results of another.
template <class Cell, std::size_t Outputs>
struct first_results_code {
  static constexpr saving_code make() {
    saving_code made;
    made.code = Cell::net().code();
    made.code.outputs.resize(Outputs);
    made.code.output_axes.resize(Outputs);
    made.code = live_code(made.code);
    return made;
  }
};
template <class Cell, std::size_t Outputs>
using first_results =
    std::conditional_t<Cell::output_count == Outputs, Cell, basic_cell<first_results_code<Cell, Outputs>>>;

}  // namespace detail

/// A cell: the net of a callable F of values, which is called once, with symbolic ones. Its parameters are `auto` for
/// values with an element each, or per_row, per_column or scalar. F captures nothing.
template <class F>
class static_cell : public basic_cell<typename detail::checked_cell_code<F>::type> {
 public:
  constexpr static_cell() = default;
  constexpr explicit static_cell(F) {}
};

/// The gradient of a cell, itself a cell. Its inputs are those of the cell, then the saved values of the forward pass
/// (saved()), then the gradients of its outputs; its outputs are the gradients of the inputs. The gradient of an input
/// that is the same in all rows is not summed over rows.
template <class Cell, cell_saves Saves = cell_saves::by_cost>
class cell_gradient : public basic_cell<typename detail::checked_cell_gradient<Cell, Saves>::type> {
 public:
  /// The cell, with an output more for each saved value that is no output of it.
  using forward = basic_cell<detail::saving_cell_code<Cell, Saves>>;
  static constexpr std::size_t saved_count = detail::code_block<detail::cell_gradient_code<Cell, Saves>>().saved_count;

  /// Returns the outputs of `forward` that are inputs of the gradient, in order.
  static constexpr auto saved() {
    std::array<std::size_t, saved_count> made = {};
    auto const& values = detail::code_block<detail::cell_gradient_code<Cell, Saves>>().saved;
    auto const outputs = forward::net().external_outputs();
    for (std::size_t i = 0; i != saved_count; ++i)
      made[i] = static_cast<std::size_t>(std::ranges::find(outputs, values[i]) - outputs.begin());
    return made;
  }
};

/// Returns the gradient of a cell, by the rules of run-time nets.
template <cell_saves Saves = cell_saves::by_cost, class Cell>
[[nodiscard]] constexpr cell_gradient<Cell, Saves> gradient(Cell) {
  return {};
}

// ---- constraints, for static_assert and requires

/// A cell a result of which is an affine function of inputs, all together: a scan can compute such a state.
template <auto const& Cell, std::size_t Output, std::size_t... Inputs>
concept affine_in = Cell.is_affine(Output, {Inputs...});

/// A cell a result of which is a linear function of inputs, all together.
template <auto const& Cell, std::size_t Output, std::size_t... Inputs>
concept linear_in = Cell.is_linear(Output, {Inputs...});

/// A cell that has a gradient: all of its ops have rules.
template <class Cell>
concept differentiable_cell =
    detail::code_block<detail::cell_gradient_code<Cell, cell_saves::by_cost>>().op_without_gradient == cell_op_count;

/// A cell of at most so many ops.
template <auto const& Cell, std::size_t Most>
concept ops_at_most = Cell.net().ops().size() <= Most;

}  // namespace plait
