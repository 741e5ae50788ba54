// Gradient ops of unary element-wise ops: the kernel template.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/map_several.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

/// dX = F<T>(the element of each of N inputs, one of which is dY), for inputs of one shape, float or double.
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
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    function_of_elements<B> made;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      F<T> const& f = std::get<F<T>>(functions_);
      if constexpr (B::on_device)
        made = as_function(f, std::make_index_sequence<N>());
      else
        made = {&detail::map_several_of<F<T>, T, N>, &f};
    });
    add_elements(made, 2 * c.size(0), to);
  }

 private:
  template <class T, std::size_t... K>
  static device_function as_function(F<T> const& f, std::index_sequence<K...>) {
    return device_function::of<B, decltype(static_cast<void>(K), T())...>(f);
  }

  std::tuple<F<float>, F<double>> functions_;
};

/// Returns the schema of an op with a gradient_kernel, which may run in place of any input.
[[nodiscard]] inline op_schema gradient_schema(std::string_view type, std::size_t inputs = 2) {
  op_schema made(type);
  made.inputs(inputs).outputs(1).rows_independent().checks_first();
  for (std::size_t i = 0; i != inputs; ++i) made.in_place(i, 0);
  return made;
}

}  // namespace plait
