// The gradient of Dropout.
#pragma once

#include <cstddef>

#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/dropout.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct dropout_gradient_loop {
  T const* dy;
  unsigned char const* mask;  // of 0 and 1: GCC does not vectorise loads of bool
  T* dx;
  T scale;

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    dx[i] = math::detail::choose(mask[i] != 0, dy[i] * scale, T(0));
  }
  void operator()(std::size_t first, std::size_t last) const {
    dropout_gradient_loop const f = *this;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) f(i);
  }
};

}  // namespace detail

/// Kernel of DropoutGrad: dX is dY scaled for kept elements, else zero. With is_test, dX = dY and no mask is needed.
template <backend B>
class dropout_gradient_kernel final : public op_kernel<B> {
 public:
  explicit dropout_gradient_kernel(op_arguments const& a) : arguments_(a) {
    if (!arguments_.is_test && a.input_count() != 2) shape_context::fail("there is no input 1, the mask");
  }

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    if (!arguments_.is_test) {
      c.template expect_type<bool>(1);
      c.expect_same_dims(0, 1);
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    if (arguments_.is_test) {
      if (c.raw_output(0) != c.raw_input(0)) B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
      return;
    }
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::dropout_gradient_loop<T> const loop{c.template input<T>(0),
                                                  reinterpret_cast<unsigned char const*>(c.template input<bool>(1)),
                                                  c.template output<T>(0), arguments_.template scale<T>()};
      if constexpr (B::on_device)
        for_each_index<B>(c.size(0), loop);
      else
        for_each_tile<B>(c.size(0), tile_size, loop);
    });
  }

 private:
  dropout_arguments arguments_;
};

/// Adds DropoutGrad: float and double.
template <backend B>
void add_dropout_gradient_operators(operators<B>& table) {
  op_schema schema("DropoutGrad");
  schema.inputs(1, 2).outputs(1).in_place(0, 0).rows_independent().checks_first();
  table.template add<dropout_gradient_kernel>(dropout_arguments::describe(
      schema.describe("dX = dY / (1 - ratio), or 0 where the mask says so, from dY[, mask: bool]")));
}

}  // namespace plait

PLAIT_KERNELS_END
