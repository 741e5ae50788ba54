// Ops that are a function of two elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/exec/kernels/broadcast.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators/broadcast_arguments.hpp>

namespace plait {

namespace functions {
struct add;  // arithmetic.hpp
}

/// C = F(A, B) for A and B of one type, of Ts; C's type is what F returns.
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

  row_runs by_rows(op_context<B> const& c) const override {
    shape const& made = c.output_spec(0).dims;
    row_runs rows{.work = c.output_size(0), .in_pieces = true};
    if (!add_operand(rows, 0, c.dims(0), made) || !add_operand(rows, 1, right_, made)) return {};
    rows.is_sum = std::is_same_v<F, functions::add> && rows.whole_inputs == 0;
    return rows;
  }
  void run_rows(op_context<B>& c) override {
    shape const& rows = c.output_spec(0).dims;
    auto const operand = [&](std::size_t i) {
      return c.dims(i).size() == rows.size() ? rows : shape{c.dims(i).size()};
    };
    run_as(broadcast_layout(rows, operand(0), operand(1)), c);
  }

  element_function by_element(op_context<B> const& c) const override {
    static constexpr broadcast_layout layouts[] = {broadcast_layout::of_vector(false, true),
                                                   broadcast_layout::of_vector(true, false),
                                                   broadcast_layout::of_vector(true, true)};
    std::size_t const count = c.output_size(0);
    bool const left = c.size(0) == count;
    bool const right = c.size(1) == count;
    element_function made;
    if constexpr (!B::on_device)
      if ((left || c.size(0) == 1) && (right || c.size(1) == 1))
        visit_type<Ts...>(c.type(0), [&]<class T>(T) {
          made = {&detail::broadcast_some<F, T, std::invoke_result_t<F, T, T>>, &layouts[!left ? 0 : !right ? 1 : 2]};
          made.is<F, T>();
        });
    return made;
  }

 private:
  void run_as(broadcast_layout const& layout, op_context<B>& c) const {
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      broadcast<B, F>(layout, c.template input<T>(0), c.template input<T>(1),
                      c.template output<std::invoke_result_t<F, T, T>>(0));
    });
  }
  // Whether an operand has the rows of the result, or one that all of them have.
  static bool add_operand(row_runs& rows, std::size_t i, shape const& operand, shape const& made) {
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
