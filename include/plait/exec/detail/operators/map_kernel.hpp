// Unary element-wise ops: the kernel template.
#pragma once

#include <tuple>
#include <type_traits>
#include <vector>

#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

namespace detail {

/// Constructs a scalar function, from op_arguments if it has parameters.
template <class F>
F make_function(op_arguments const& a) {
  if constexpr (std::is_constructible_v<F, op_arguments const&>)
    return F(a);
  else
    return F();
}

}  // namespace detail

/// Y = F<T>(X) for X of a type out of Ts; F<T> comes from make_function. Y has the type that it returns.
template <backend B, template <class> class F, element... Ts>
class map_kernel : public op_kernel<B> {
 public:
  explicit map_kernel(op_arguments const& a) : functions_(detail::make_function<F<Ts>>(a)...) {}

  void infer(shape_context& c) override {
    c.template expect_type<Ts...>(0);
    visit_type<Ts...>(c.type(0), [&]<class T>(T) { c.output(0, element_type_of<result<T>>, c.dims(0)); });
  }
  void run(op_context<B>& c) override {
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      map<B>(c.template input<T>(0), c.template output<result<T>>(0), c.size(0), std::get<F<T>>(functions_));
    });
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    function_of_elements<B> made;
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      F<T> const& f = std::get<F<T>>(functions_);
      if constexpr (B::on_device) {
        made = device_function::of<B, T>(f);
      } else {
        made = {&detail::map_some<F<T>, T, result<T>>, &f};
        made.template is<F<T>, T>();
      }
    });
    add_elements(made, 2 * c.size(0), to);
  }

 private:
  template <class T>
  using result = std::invoke_result_t<F<T>, T>;

  std::tuple<F<Ts>...> functions_;
};

/// Returns the schema of an op with a map_kernel, which may run in place.
[[nodiscard]] inline op_schema map_schema(std::string_view type) {
  return op_schema(type).inputs(1).outputs(1).in_place(0, 0).rows_independent().checks_first();
}

}  // namespace plait
