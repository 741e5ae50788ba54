// Ops that are a function of two elements.
#pragma once

#include <type_traits>

#include <plait/exec/kernels/broadcast.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators/broadcast_arguments.hpp>

namespace plait {

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
  void run(op_context<B>& c) override {
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      broadcast<B, F>(layout_, c.template input<T>(0), c.template input<T>(1),
                      c.template output<std::invoke_result_t<F, T, T>>(0));
    });
  }

 private:
  broadcast_arguments broadcast_;
  shape right_;
  broadcast_layout layout_;
};

}  // namespace plait
