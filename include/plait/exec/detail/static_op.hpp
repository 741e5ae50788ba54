// Static cells as op types: schema, kernel, fusion pattern and gradient rule of a cell and of its gradient.
//
//   constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto c) { … });
//   operators.add(plait::static_op<lstm>);   // op types "lstm" and "lstmGradient"
//   rules.add(plait::static_op<lstm>);       // the gradient of "lstm"
//
// All ops of the cell run in one loop, with every value in a register, on any backend; the bits are those of the same
// ops in a net (detail/operators/cell_pass.hpp). An op reads, in order, the inputs of the cell; x, the first that has
// an element for each of rows and columns, gives the shape: the last axis is that of the columns. A per_row input has
// the shape of x without its last axis, or has extent 1 there; a per_column input has the columns; a scalar is one
// number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/cell_pass.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/gradient/detail/net_cell.hpp>
#include <plait/gradient/detail/rules/lists.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/static_cell.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Kernel of an op type that a cell computes: float and double, on devices also the 16-bit floating-point types,
/// which are computed in float.
template <backend B, class Cell>
class cell_kernel final : public op_kernel<B> {
  using facts = detail::cell_facts<Cell>;
  static constexpr std::size_t inputs = Cell::input_count;
  static constexpr std::size_t outputs = Cell::output_count;
  static constexpr std::uint8_t axes(std::size_t input) { return Cell::net().input_axes(input); }
  static constexpr std::size_t shaping_input = [] {
    std::size_t i = 0;
    while (i != inputs && axes(i) != cell_elements) ++i;
    return i;
  }();
  static_assert(shaping_input != inputs, "plait: no input of the cell has an element for each row and column");

 public:
  explicit cell_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    if constexpr (B::on_device)
      c.template expect_type<float, double, float16, bfloat16>(0);
    else
      c.template expect_type<float, double>(0);
    c.expect_rank(shaping_input, 1);
    shape const& x = c.dims(shaping_input);
    std::int64_t const columns = x[x.rank() - 1];
    shape row = x;
    row.erase(x.rank() - 1);
    for (std::size_t i = 0; i != inputs; ++i) {
      c.expect_same_type(0, i);
      shape const& dims = c.dims(i);
      if (axes(i) == cell_elements) {
        c.expect_same_dims(shaping_input, i);
      } else if (axes(i) == cell_rows) {
        bool const has_column = dims.rank() == x.rank() && dims[dims.rank() - 1] == 1;
        c.expect(dims.size() == row.size() && (has_column || dims == row), i, "have a number for each row of ",
                 c.input_text(shaping_input));
      } else if (axes(i) == cell_columns) {
        c.expect(dims.size() == columns, i, "have a number for each of the ", columns, " columns of ",
                 c.input_text(shaping_input));
      } else {
        c.expect(dims.size() == 1, i, "be one number");
      }
    }
    for (std::size_t o = 0; o != outputs; ++o)
      c.output(o, c.type(0), Cell::net().output_axes(o) == cell_elements ? x : row);
  }
  void run(op_context<B>& c) override {
    auto const run_as = [&]<class T>(T) {
      shape const& x = c.dims(shaping_input);
      auto const columns = static_cast<std::size_t>(x[x.rank() - 1]);
      if (columns == 0 && !facts::has_whole_rows) return;
      using computed = std::conditional_t<std::is_floating_point_v<T>, T, float>;
      detail::cell_pass<Cell, computed, detail::cell_rounding::of_ops, T> pass{};
      pass.width = columns;
      for (std::size_t i = 0; i != inputs; ++i) pass.in[i] = c.template input<T>(i);
      for (std::size_t o = 0; o != outputs; ++o) pass.out[o] = c.template output<T>(o);
      detail::run_cell<B>(static_cast<std::size_t>(x.size_to(x.rank() - 1)), pass);
    };
    if constexpr (B::on_device)
      visit_type<float, double, float16, bfloat16>(c.type(0), run_as);
    else
      visit_type<float, double>(c.type(0), run_as);
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    std::size_t const work = c.size(shaping_input) * facts::cost;
    if (work == 0) return;
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i != inputs && i != 64; ++i)
      if ((axes(i) & cell_rows) == 0) whole |= std::uint64_t{1} << i;
    // A row of a vector is an element.
    if (c.dims(shaping_input).rank() >= 2 || facts::is_elementwise)
      to.push_back({.kind = pattern_kind::rows, .work = work, .whole_inputs = whole});
    if constexpr (facts::is_elementwise)
      if (function_of_elements<B> const made = function(c.type(0)))
        to.push_back({.kind = pattern_kind::elements, .work = work, .does = made});
  }

 private:
  static function_of_elements<B> function(element_type type) {
    function_of_elements<B> made;
    visit_type<float, double>(type, [&]<class T>(T) {
      if constexpr (!B::on_device)
        made.run = &detail::run_cell_elements<Cell, T>;
      else if constexpr (inputs <= device_function::most_inputs && outputs == 1)
        made = on_device<T>(std::make_index_sequence<inputs>());
    });
    return made;
  }
  template <class T, std::size_t... K>
  static device_function on_device(std::index_sequence<K...>) {
    return device_function::of<B, decltype(static_cast<void>(K), T())...>(detail::cell_call<Cell, T>());
  }
};

/// An op type of a cell: the type `name`, with the inputs and outputs of the cell, and `name`Gradient, with those of
/// its gradient (static_cell.hpp). Ops may list the saved values of the gradient as further outputs; without them the
/// gradient computes these again.
template <class Cell>
class cell_op_type {
 public:
  using gradient = cell_gradient<Cell>;
  using plain_gradient = cell_gradient<Cell, cell_saves::outputs>;

  constexpr explicit cell_op_type(std::string_view name) : name_(name) {}
  /// Returns the op type with another name.
  constexpr cell_op_type named(std::string_view name) const { return cell_op_type(name); }
  constexpr std::string_view name() const noexcept { return name_; }

  template <backend B>
  void add_to(operators<B>& table) const {
    add_cell<B, Cell>(table, std::string(name_));
    add_cell<B, plain_gradient>(table, gradient_name());
    if constexpr (keeps) {
      add_cell<B, typename gradient::forward>(table, std::string(name_) + keeping);
      add_cell<B, gradient>(table, gradient_name() + keeping);
    }
  }
  void add_to(gradient_rules& rules) const {
    rules.set(name_, [type = gradient_name()](gradient_context& c) { add_gradient<plain_gradient>(c, type); });
    if constexpr (keeps)
      rules.set(std::string(name_) + keeping,
                [type = gradient_name() + keeping](gradient_context& c) { add_gradient<gradient>(c, type); });
  }

  /// True if the gradient is faster where the forward op keeps more than its outputs: then there are the op types
  /// `name`Keeping, with further outputs, and `name`GradientKeeping.
  static constexpr bool keeps = gradient::forward::output_count != Cell::output_count;

 private:
  static constexpr char const* keeping = "Keeping";

  std::string gradient_name() const { return std::string(name_) + "Gradient"; }

  template <backend B, class C>
  static void add_cell(operators<B>& table, std::string const& type) {
    using facts = detail::cell_facts<C>;
    op_schema schema(type);
    schema.inputs(C::input_count).outputs(C::output_count).checks_first().without_caffe2_schema();
    for (std::size_t i = 0; i != C::input_count; ++i)
      for (std::size_t o = 0; o != C::output_count; ++o)
        if (facts::may_overwrite(i, o)) schema.in_place(i, o);
    // Rows of matrices; inputs that are the same for all rows come last.
    if constexpr (row_inputs<C>() != C::input_count + 1)
      schema.rows_independent([](op_arguments const&, std::size_t rows) { return rows == row_inputs<C>(); });
    table.template add<cell_kernel<B, C>>(schema.describe("a static cell"));
  }
  // Number of inputs that have rows; one more than there are inputs if others come between them.
  template <class C>
  static constexpr std::size_t row_inputs() {
    std::size_t last = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i != C::input_count; ++i)
      if ((C::net().input_axes(i) & cell_rows) != 0) {
        last = i + 1;
        ++count;
      }
    return count == last ? last : C::input_count + 1;
  }

  template <class Gradient>
  static void add_gradient(gradient_context& c, std::string const& type) {
    std::vector<gradient_operand> reads;
    std::vector<gradient_operand> writes;
    for (std::size_t i = 0; i != Cell::input_count; ++i) reads.push_back(c.input(i));
    for (std::size_t const o : Gradient::saved()) reads.push_back(c.output(o));
    for (std::size_t o = 0; o != Cell::output_count; ++o) reads.push_back(detail::gradient_or_zeros(c, o));
    for (std::size_t i = 0; i != Cell::input_count; ++i) {
      bool const is_shared = (Cell::net().input_axes(i) & cell_rows) == 0;
      writes.push_back(is_shared ? c.temporary(c.gradient_name(i) + "_autogen_pre_red") : c.input_gradient(i));
    }
    c.op(type, reads, writes);
    for (std::size_t i = 0; i != Cell::input_count; ++i)
      if ((Cell::net().input_axes(i) & cell_rows) == 0) detail::unbroadcast(c, i, writes[i]);
  }

  std::string_view name_;
};

namespace detail {

template <auto const& Cell>
consteval std::string_view name_of_variable() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("Cell = ") + 7);
  text = text.substr(0, text.find_first_of(";]"));
  std::size_t const scope = text.rfind("::");
  return scope == std::string_view::npos ? text : text.substr(scope + 2);
}

}  // namespace detail

/// The op type of a cell, which is a variable at namespace scope, or static; its name is that of the variable, unless
/// named() gives another.
template <auto const& Cell>
inline constexpr cell_op_type<std::remove_cvref_t<decltype(Cell)>> static_op{detail::name_of_variable<Cell>()};

}  // namespace plait

PLAIT_KERNELS_END
