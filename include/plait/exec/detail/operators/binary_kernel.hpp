// Binary element-wise ops with broadcasting: the kernel template.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

namespace functions {
struct add;  // arithmetic.hpp
}

/// C = F(A, B) for A and B of one type out of Ts; C has the type that F returns.
template <backend B, class F, element... Ts>
class binary_kernel : public op_kernel<B> {
 public:
  explicit binary_kernel(op_arguments const& a) : broadcast_(a) {}

  void infer(shape_context& c) override {
    c.template expect_type<Ts...>(0);
    c.expect_same_type(0, 1);
    auto const shapes = broadcast_.match(c.dims(0), c.dims(1));
    right_ = shapes.right;
    visit_type<Ts...>(c.type(0),
                      [&]<class T>(T) { c.output(0, element_type_of<std::invoke_result_t<F, T, T>>, shapes.result); });
  }
  void prepare(op_context<B>& c) override { layout_ = broadcast_layout(c.output_spec(0).dims, c.dims(0), right_); }
  void run(op_context<B>& c) override { run_as(layout_, c); }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    shape const& made = c.output_spec(0).dims;
    op_pattern<B> rows{.kind = pattern_kind::rows, .work = c.output_size(0)};
    if (add_operand(rows, 0, c.dims(0), made) && add_operand(rows, 1, right_, made)) {
      rows.is_sum = std::is_same_v<F, functions::add> && rows.whole_inputs == 0;
      to.push_back(rows);
    }
    function_of_elements<B> const does = element_function_for(c);
    if (does) to.push_back({.kind = pattern_kind::elements, .width = repeated_width(c), .does = does});
  }
  void run_part(op_context<B>& c, op_part const&) override {
    shape const& rows = c.output_spec(0).dims;
    auto const operand = [&](std::size_t i) {
      return c.dims(i).size() == rows.size() ? rows : shape{c.dims(i).size()};
    };
    run_as(broadcast_layout(rows, operand(0), operand(1)), c);
  }

 private:
  function_of_elements<B> element_function_for(op_context<B> const& c) const {
    if constexpr (B::on_device)
      return on_device(c);
    else
      return on_host(c);
  }
  // Returns true if an operand is one row for all rows of the result.
  static bool is_repeated(shape const& operand, shape const& made) {
    return operand.size() > 1 && operand.size() != made.size() &&
           operand.size_from(operand.rank() - 1) == operand.size();
  }
  std::size_t repeated_width(op_context<B> const& c) const {
    shape const& made = c.output_spec(0).dims;
    bool const repeats = is_repeated(c.dims(0), made) || is_repeated(right_, made);
    return repeats ? static_cast<std::size_t>(made[made.rank() - 1]) : 0;
  }
  element_function on_host(op_context<B> const& c) const {
    static constexpr broadcast_layout layouts[] = {broadcast_layout::of_vector(false, true),
                                                   broadcast_layout::of_vector(true, false),
                                                   broadcast_layout::of_vector(true, true)};
    std::size_t const count = c.output_size(0);
    shape const& to = c.output_spec(0).dims;
    bool const left = c.size(0) == count || is_repeated(c.dims(0), to);
    bool const right = c.size(1) == count || is_repeated(right_, to);
    element_function made;
    if ((left || c.size(0) == 1) && (right || c.size(1) == 1))
      visit_type<Ts...>(c.type(0), [&]<class T>(T) {
        made = {&detail::broadcast_some<F, T, std::invoke_result_t<F, T, T>>, &layouts[!left ? 0 : !right ? 1 : 2]};
        made.is<F, T>();
      });
    return made;
  }
  device_function on_device(op_context<B> const& c) const {
    device_function made;
    if (layout_.rank > 2) return made;
    visit_type<Ts...>(c.type(0), [&]<class T>(T) { made = device_function::of<B, T, T>(F()); });
    std::size_t const inner = broadcast_layout::at(layout_.rank - 1);
    if (layout_.rank == 2) made.width = static_cast<std::size_t>(layout_.extent[inner]);
    for (std::size_t i = 0; i != 2; ++i) {
      strides const& steps = i == 0 ? layout_.left : layout_.right;
      bool const along_rows = steps[inner] != 0;
      bool const along_columns = layout_.rank == 2 ? steps[0] != 0 : along_rows;
      made.moves[i] = along_rows && along_columns ? operand_moves::with_elements
                      : along_rows                ? operand_moves::with_columns
                      : along_columns             ? operand_moves::with_rows
                                                  : operand_moves::never;
    }
    return made;
  }
  void run_as(broadcast_layout const& layout, op_context<B>& c) const {
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      broadcast<B, F>(layout, c.template input<T>(0), c.template input<T>(1),
                      c.template output<std::invoke_result_t<F, T, T>>(0));
    });
  }
  // Returns true if an operand has the rows of the result, or one row for all, which is marked as a whole input.
  static bool add_operand(op_pattern<B>& rows, std::size_t i, shape const& operand, shape const& made) {
    if (operand == made) return true;
    if (operand.rank() != 0 && operand.size_to(operand.rank() - 1) != 1) return false;
    rows.whole_inputs |= std::uint64_t{1} << i;
    return true;
  }

  broadcast_arguments broadcast_;
  shape right_;
  broadcast_layout layout_;
};

}  // namespace plait
