// Symbolic values, on which a callable is traced to the net of a static cell.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/net/detail/traced_net.hpp>

namespace plait {

namespace detail {
template <class T>
concept cell_number = std::integral<T> || std::floating_point<T>;
}  // namespace detail

class cell_value;

namespace detail {
// Exact matches, so that none of the compiler's own operators is as good by a conversion of the value.
template <class A, class B>
concept cell_operands =
    (std::derived_from<A, cell_value> || std::derived_from<B, cell_value>)&&std::convertible_to<A, cell_value> &&
    std::convertible_to<B, cell_value>;
}  // namespace detail

/// A value of the cell that is traced: arithmetic, comparisons and the functions below append ops to its net. Numbers
/// convert to constants. Flags, the results of comparisons, combine with &&, || and !, both sides of which are
/// computed, and select(flag, a, b) chooses.
class cell_value {
 public:
  constexpr cell_value(detail::cell_number auto number) : constant_(static_cast<double>(number)) {}
  constexpr cell_value(traced_code& code, std::uint16_t value) : code_(&code), value_(value) {}

  constexpr traced_code* code() const noexcept { return code_; }
  constexpr bool is_flag() const noexcept { return is_flag_; }
  /// Returns the number of the value in `code`, to which a constant is appended.
  constexpr std::uint16_t value_in(traced_code& code) const {
    return code_ == nullptr ? code.add_constant(constant_) : value_;
  }

  /// Reports a branch: a value has no number yet. Returns false.
  constexpr explicit operator bool() const {
    if (code_ != nullptr) code_->report(cell_problem::branch);
    return false;
  }
  /// Reports a function of numbers: std::exp(x). Without the conversion, compilers list all overloads.
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>)
  constexpr explicit(!std::same_as<T, double>) operator T() const {
    if (code_ != nullptr) code_->report(cell_problem::number);
    return T();
  }

  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator+(A a, B b) {
    return made("Add", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator-(A a, B b) {
    return made("Sub", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator*(A a, B b) {
    return made("Mul", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator/(A a, B b) {
    return made("Div", {a, b});
  }
  friend constexpr cell_value operator-(cell_value a) { return made("Negative", {a}); }
  constexpr cell_value& operator+=(cell_value b) { return *this = *this + b; }
  constexpr cell_value& operator-=(cell_value b) { return *this = *this - b; }
  constexpr cell_value& operator*=(cell_value b) { return *this = *this * b; }
  constexpr cell_value& operator/=(cell_value b) { return *this = *this / b; }

  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator<(A a, B b) {
    return made("LT", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator<=(A a, B b) {
    return made("LE", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator>(A a, B b) {
    return made("GT", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator>=(A a, B b) {
    return made("GE", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator==(A a, B b) {
    return made("EQ", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator!=(A a, B b) {
    return made("NE", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator&&(A a, B b) {
    return made("And", {a, b});
  }
  template <class A, class B>
    requires detail::cell_operands<A, B>
  friend constexpr cell_value operator||(A a, B b) {
    return made("Or", {a, b});
  }
  friend constexpr cell_value operator!(cell_value a) { return made("Not", {a}); }
  /// Returns a where the flag holds, else b.
  friend constexpr cell_value select(cell_value flag, cell_value a, cell_value b) {
    return made("Where", {flag, a, b});
  }
  friend constexpr cell_value max(cell_value a, cell_value b) { return made("Max", {a, b}); }
  friend constexpr cell_value min(cell_value a, cell_value b) { return made("Min", {a, b}); }

  friend constexpr cell_value abs(cell_value x) { return made("Abs", {x}); }
  friend constexpr cell_value cbrt(cell_value x) { return made("Cbrt", {x}); }
  friend constexpr cell_value ceil(cell_value x) { return made("Ceil", {x}); }
  friend constexpr cell_value cos(cell_value x) { return made("Cos", {x}); }
  friend constexpr cell_value cosh(cell_value x) { return made("Cosh", {x}); }
  friend constexpr cell_value cube(cell_value x) { return made("Cube", {x}); }
  friend constexpr cell_value erf(cell_value x) { return made("Erf", {x}); }
  friend constexpr cell_value exp(cell_value x) { return made("Exp", {x}); }
  friend constexpr cell_value floor(cell_value x) { return made("Floor", {x}); }
  friend constexpr cell_value log(cell_value x) { return made("Log", {x}); }
  friend constexpr cell_value log1p(cell_value x) { return made("Log1p", {x}); }
  friend constexpr cell_value reciprocal(cell_value x) { return made("Reciprocal", {x}); }
  friend constexpr cell_value relu(cell_value x) { return made("Relu", {x}); }
  friend constexpr cell_value rsqrt(cell_value x) { return made("Rsqrt", {x}); }
  friend constexpr cell_value sigmoid(cell_value x) { return made("Sigmoid", {x}); }
  friend constexpr cell_value sin(cell_value x) { return made("Sin", {x}); }
  friend constexpr cell_value softplus(cell_value x) { return made("Softplus", {x}); }
  friend constexpr cell_value softsign(cell_value x) { return made("Softsign", {x}); }
  friend constexpr cell_value sqrt(cell_value x) { return made("Sqrt", {x}); }
  friend constexpr cell_value square(cell_value x) { return made("Sqr", {x}); }
  friend constexpr cell_value swish(cell_value x) { return made("Swish", {x}); }
  friend constexpr cell_value tanh(cell_value x) { return made("Tanh", {x}); }
  friend constexpr cell_value clip(cell_value x, double least, double most) { return made("Clip", {x}, least, most); }
  friend constexpr cell_value elu(cell_value x, double alpha = 1) { return made("Elu", {x}, alpha); }
  friend constexpr cell_value hard_sigmoid(cell_value x, double alpha = 0.2f, double beta = 0.5) {
    return made("HardSigmoid", {x}, alpha, beta);
  }
  friend constexpr cell_value leaky_relu(cell_value x, double alpha = 0.01f) { return made("LeakyRelu", {x}, alpha); }
  friend constexpr cell_value pow(cell_value x, double exponent) { return made("Pow", {x}, exponent); }

  // ---- reductions of a row
  friend constexpr cell_value sum(cell_value x) { return reduced("ReduceBackSum", x); }
  friend constexpr cell_value mean(cell_value x) { return reduced("ReduceBackMean", x); }
  friend constexpr cell_value max(cell_value x) { return reduced("ReduceBackMax", x); }

 private:
  static constexpr cell_value made(std::string_view function, std::initializer_list<cell_value> operands, double a = 0,
                                   double b = 0) {
    traced_op op{.function = static_cast<cell_op>(find_cell_op(function)),
                 .arguments = {std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)}};
    bool const is_select = function == "Where";
    bool const takes_flags = function == "And" || function == "Or" || function == "Not";
    traced_code* code = nullptr;
    for (cell_value const& v : operands)
      if (v.code_ != nullptr) code = v.code_;
    for (cell_value const& v : operands) {
      bool const wants_flag = takes_flags || (is_select && op.input_count == 0);
      if (v.is_flag_ != wants_flag)
        code->report(wants_flag ? cell_problem::number_as_flag : cell_problem::flag_as_number);
      op.inputs[op.input_count++] = v.value_in(*code);
    }
    cell_value result(*code, code->add(op));
    result.is_flag_ = op.info().kind == cell_op_class::flag;
    return result;
  }
  static constexpr cell_value reduced(std::string_view function, cell_value x) {
    if (x.code_ != nullptr && (x.code_->axes[x.value_] & cell_columns) == 0)
      x.code_->report(cell_problem::reduction_of_row);
    return made(function, {x});
  }

  traced_code* code_ = nullptr;
  std::uint16_t value_ = 0;
  double constant_ = 0;
  bool is_flag_ = false;
};

namespace detail {
// Base of the parameter types of a cell: as its arguments convert to them, they say what the input varies with.
template <std::uint8_t Axes>
struct cell_parameter : cell_value {
  constexpr cell_parameter(cell_value input) : cell_value(input) {
    input.code()->axes[input.value_in(*input.code())] = Axes;
  }
};
}  // namespace detail

/// Parameter of a cell that is one number for each row.
struct per_row : detail::cell_parameter<cell_rows> {
  using cell_parameter::cell_parameter;
};
/// Parameter of a cell that is one number for each column, the same in all rows: a bias, a peephole.
struct per_column : detail::cell_parameter<cell_columns> {
  using cell_parameter::cell_parameter;
};
/// Parameter of a cell that is one number for all elements.
struct scalar : detail::cell_parameter<cell_constant> {
  using cell_parameter::cell_parameter;
};

/// Results of a cell with several: return plait::cell_results{h, c}.
template <class... Values>
struct cell_results {
  static_assert((std::convertible_to<Values, cell_value> && ...),
                "plait: the results of a cell are values that it computes from its inputs, or numbers");
  std::array<cell_value, sizeof...(Values)> values;
  constexpr cell_results(Values... of) : values{cell_value(of)...} {}
};
template <class... Values>
cell_results(Values...) -> cell_results<Values...>;

namespace detail {

template <class T>
struct is_cell_results : std::false_type {};
template <class... Values>
struct is_cell_results<cell_results<Values...>> : std::true_type {};

template <class F, std::size_t... I>
constexpr bool is_cell_of(std::index_sequence<I...>) {
  return requires(F const& f) { f((static_cast<void>(I), std::declval<cell_value>())...); };
}

inline constexpr std::size_t most_cell_inputs = 48;

/// Returns the least number of values that F can be called with, most_cell_inputs + 1 if there is none.
template <class F, std::size_t N = 1>
consteval std::size_t cell_input_count() {
  if constexpr (N > most_cell_inputs || is_cell_of<F>(std::make_index_sequence<N>()))
    return N;
  else
    return cell_input_count<F, N + 1>();
}

/// Traces f.
template <class F, std::size_t... I>
constexpr traced_code trace_cell(F const& f, std::index_sequence<I...>) {
  traced_code code;
  for (std::size_t i = 0; i != sizeof...(I); ++i) code.add_input(cell_elements);
  auto const made = f(cell_value(code, static_cast<std::uint16_t>(I))...);
  auto const add_output = [&](cell_value const& v) {
    code.add_output(v.value_in(code));
    if (v.is_flag()) code.report(cell_problem::flag_as_number);
    if ((code.output_axes.back() & cell_rows) == 0) code.report(cell_problem::same_for_all_rows);
  };
  if constexpr (is_cell_results<std::remove_const_t<decltype(made)>>::value)
    for (cell_value const& v : made.values) add_output(v);
  else
    add_output(made);
  return code;
}

}  // namespace detail

}  // namespace plait
