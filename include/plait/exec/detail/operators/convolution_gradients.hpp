// The gradient of Conv.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Kernel of ConvGradient. Inputs X, W, dY; outputs dW, [db], [dX], without db if `no_bias`.
template <backend B>
class convolution_gradient_kernel final : public op_kernel<B> {
 public:
  explicit convolution_gradient_kernel(op_arguments const& a) : s_(a), out_(a) {}

  void infer(shape_context& c) override {
    element_type const type = c.type(0);
    shape const y = s_.infer(c);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == y, 2, "be ", y, ", as the output is");
    c.output(0, type, c.dims(1));
    if (out_.with_bias) c.output(1, type, {s_.units});
    if (out_.with_x) c.output(out_.x(), type, c.dims(0));
    bias_ = s_.last ? reduction_axes({s_.images * s_.count, s_.units}, {true, false}, size_of(type))
                    : reduction_axes({s_.images, s_.units, s_.count}, {true, false, true}, size_of(type));
    c.scratch(std::max(s_.columns, out_.with_bias ? bias_.scratch() : 0) * size_of(type));
  }

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* x = c.template input<T>(0);
      T const* const w = c.template input<T>(1);
      T const* dy = c.template input<T>(2);
      T* const dw = c.template output<T>(0);
      T* dx = out_.with_x ? c.template output<T>(out_.x()) : nullptr;
      T* const scratch = static_cast<T*>(c.scratch());
      if (out_.with_bias) reduce_axes<B, sum_reduction>(bias_, dy, as_it_is{}, c.template output<T>(1), scratch);
      if (s_.images == 0) fill<B>(dw, c.size(1), T(0));
      for (std::int64_t image = 0; image != s_.images; ++image, x += s_.image(), dy += s_.output()) {
        add_weights(s_.template columns_of<B>(x, {0, s_.count}, scratch), dy, dw, image == 0 ? T(0) : T(1));
        if (!out_.with_x) continue;
        T* const columns = s_.direct ? dx : scratch;
        put_columns(w, dy, columns);
        if (!s_.direct && s_.last) columns_to_windows<B>(s_.w, columns, dx, s_.channels, s_.groups);
        if (!s_.direct && !s_.last) columns_to_windows<B>(s_.w, columns, dx, s_.channels);
        dx += s_.image();
      }
    });
  }

 private:
  template <class T>
  void add_weights(T const* columns, T const* dy, T* dw, T beta) const {
    std::int64_t const units = s_.group_units();
    if (s_.last)
      gemm_batched<B>({.m = units,
                       .n = s_.taps,
                       .k = s_.count,
                       .transpose_a = true,
                       .lda = s_.units,
                       .ldb = s_.column_pitch(),
                       .bf16x3 = s_.bf16x3},
                      {s_.groups, units, s_.column_stride(s_.count), units * s_.taps}, dy, columns, dw, 1, beta);
    else
      gemm_batched<B>({.m = units, .n = s_.taps, .k = s_.count, .transpose_b = true, .bf16x3 = s_.bf16x3},
                      {s_.groups, units * s_.count, s_.column_stride(s_.count), units * s_.taps}, dy, columns, dw, 1,
                      beta);
  }
  template <class T>
  void put_columns(T const* w, T const* dy, T* columns) const {
    std::int64_t const units = s_.group_units();
    if (s_.last)
      gemm_batched<B>(
          {.m = s_.count, .n = s_.taps, .k = units, .lda = s_.units, .ldc = s_.column_pitch(), .bf16x3 = s_.bf16x3},
          {s_.groups, units, units * s_.taps, s_.column_stride(s_.count)}, dy, w, columns);
    else
      gemm_batched<B>({.m = s_.taps, .n = s_.count, .k = units, .transpose_a = true, .bf16x3 = s_.bf16x3},
                      {s_.groups, units * s_.taps, units * s_.count, s_.column_stride(s_.count)}, w, dy, columns);
  }

  detail::convolution_shape s_;
  detail::convolution_gradients out_;
  reduction_axes bias_;
};

/// Adds ConvGradient: float and double.
template <backend B>
void add_convolution_gradient_operators(operators<B>& table) {
  op_schema schema("ConvGradient");
  detail::describe_windows(schema)
      .argument("group", std::int64_t{1}, "groups of channels, each for as many units of its own")
      .checks_first()
      .no_doubles_in_caffe2();
  detail::describe_convolution_gradients(schema);
  table.template add<convolution_gradient_kernel>(std::move(schema));
}

}  // namespace plait
