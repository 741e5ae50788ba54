// Gradient ops of functions of one element.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include <plait/exec/kernels/map_several.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators/map_kernel.hpp>

namespace plait {

/// dX = F<T>(the element of each of N inputs, dY being the last), for inputs of one shape, float or double.
template <backend B, template <class> class F, std::size_t N = 2>
class gradient_kernel : public op_kernel<B> {
 public:
  explicit gradient_kernel(op_arguments const& a)
      : functions_(detail::make_function<F<float>>(a), detail::make_function<F<double>>(a)) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    for (std::size_t i = 1; i != N; ++i) {
      c.expect_same_type(0, i);
      c.expect_same_dims(0, i);
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::array<T const*, N> x;
      for (std::size_t i = 0; i != N; ++i) x[i] = c.template input<T>(i);
      map_several<B>(x, c.template output<T>(0), c.size(0), std::get<F<T>>(functions_));
    });
  }
  row_runs by_rows(op_context<B> const& c) const override { return {.work = 2 * c.size(0), .in_pieces = true}; }
  element_function by_element(op_context<B> const& c) const override {
    element_function made;
    if constexpr (!B::on_device)
      visit_type<float, double>(c.type(0), [&]<class T>(T) {
        made = {&detail::map_several_of<F<T>, T, N>, &std::get<F<T>>(functions_)};
      });
    return made;
  }

 private:
  std::tuple<F<float>, F<double>> functions_;
};

/// The description of an op that such a kernel runs, in place of whatever it reads.
[[nodiscard]] inline op_schema gradient_schema(std::string_view type, std::size_t inputs = 2) {
  op_schema made(type);
  made.inputs(inputs).outputs(1).rows_independent().checks_first();
  for (std::size_t i = 0; i != inputs; ++i) made.in_place(i, 0);
  return made;
}

}  // namespace plait
