// Gradient of Div; gradients of sums, differences and products are composed of other ops.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/map_several.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// -a b.
struct negated_product {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return -(a * b);
  }
};

}  // namespace functions

namespace detail {

template <class T>
struct divide_gradient_loop {
  T const* b;
  T const* c;
  T const* dc;
  T* da;
  T* db;

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T const quotient = dc[i] / b[i];
    da[i] = quotient;
    db[i] = -(quotient * c[i]);
  }
  void operator()(std::size_t first, std::size_t last) const {
    divide_gradient_loop const f = *this;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) f(i);
  }
};

}  // namespace detail

/// Kernel of DivGradient. Sums the gradient of a broadcast operand to its shape. Only the shape of A is read; without A
/// it is that of C.
template <backend B>
class divide_gradient_kernel : public op_kernel<B> {
 public:
  explicit divide_gradient_kernel(op_arguments const& a) : broadcast_(a) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    for (std::size_t i = 1; i != c.input_count(); ++i) c.expect_same_type(0, i);
    c.expect_same_dims(1, 2);
    shape const& result = c.dims(1);
    shape const& left = c.dims(c.input_count() == 4 ? 3 : 1);
    auto const shapes = broadcast_.match(left, c.dims(0));
    c.expect(shapes.result == result, 1, "have the shape of a quotient of ", left, " and ", c.dims(0));
    right_ = shapes.right;
    std::size_t const bytes = size_of(c.type(0));
    left_axes_ = reduction_axes(result, repeated_axes(result, left), bytes);
    right_axes_ = reduction_axes(result, repeated_axes(result, right_), bytes);
    left_repeated_ = left.size() != result.size();
    right_repeated_ = c.dims(0).size() != result.size();
    if (left_repeated_ || right_repeated_)
      c.scratch(
          (parts(static_cast<std::size_t>(result.size())) + std::max(left_axes_.scratch(), right_axes_.scratch())) *
          bytes);
    c.output(0, c.type(0), left);
    c.output(1, c.type(0), c.dims(0));
  }
  void prepare(op_context<B>& c) override { layout_ = broadcast_layout(c.dims(1), c.dims(1), right_); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const count = c.size(1);
      T const* const b = c.template input<T>(0);
      T const* const quotient = c.template input<T>(1);
      T const* const dc = c.template input<T>(2);
      T* const da = c.template output<T>(0);
      T* const db = c.template output<T>(1);
      if (!left_repeated_ && !right_repeated_) {
        detail::divide_gradient_loop<T> const loop{b, quotient, dc, da, db};
        if constexpr (B::on_device)
          for_each_index<B>(count, loop);
        else
          for_each_tile<B>(count, tile_size, loop);
        return;
      }
      auto* const each = static_cast<T*>(c.scratch());
      T* const partials = each + parts(count);
      T* const left = left_repeated_ ? each : da;
      T* const right = right_repeated_ ? each : db;
      broadcast<B, functions::divide>(layout_, dc, b, left);
      if (left_repeated_) reduce_axes<B, sum_reduction>(left_axes_, left, as_it_is(), da, partials);
      map_several<B, functions::negated_product, T, 2>({left, quotient}, right, count);
      if (right_repeated_) reduce_axes<B, sum_reduction>(right_axes_, right, as_it_is(), db, partials);
    });
  }

 private:
  static std::size_t parts(std::size_t count) { return (count + 63) / 64 * 64; }  // whole cache lines

  broadcast_arguments broadcast_;
  shape right_;
  broadcast_layout layout_;
  reduction_axes left_axes_;
  reduction_axes right_axes_;
  bool left_repeated_ = false;
  bool right_repeated_ = false;
};

/// Adds DivGradient.
template <backend B>
void add_arithmetic_gradient_operators(operators<B>& table) {
  op_schema schema("DivGradient");
  schema.inputs(3, 4).outputs(2).in_place(2, 0).checks_first();
  table.template add<divide_gradient_kernel>(broadcast_arguments::describe(
      schema.describe("dA, dB from B, C, dC[, A]: dA = dC / B, dB = -dA C, summed to the shapes of A and B")));
}

}  // namespace plait

PLAIT_KERNELS_END
