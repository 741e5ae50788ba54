// ConvTranspose and its gradient: the transposed convolution, by GEMM and col2im.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Shapes of a transposed convolution and of its gradient. Input 0 is X, input 1 W, of shape [channels of X, channels
/// of Y of a group, taps...] or, with channels last, [channels of X, taps..., channels of Y of a group]. Y is the image
/// whose windows are the places of X.
class transposed_convolution_shape {
 public:
  explicit transposed_convolution_shape(op_arguments const& a)
      : kernel_(read_extents(a, "kernel", "kernels", 1, 1)),
        stride_(read_extents(a, "stride", "strides", 1, 1)),
        dilation_(read_extents(a, "dilation", "dilations", 1, 1)),
        more_(read_extents(a, "adj", "adjs", 0, 0)),
        pads_(read_pads(a)),
        groups(a.integer("group")),
        last(read_channels_last(a)) {
    if (groups < 1) a.fail("group", "is less than 1");
    if (a.integers("kernels").empty() && !a.has("kernel") && !a.has("kernel_h")) a.fail("kernel", "is missing");
  }

  /// Returns the shape of Y.
  shape infer(shape_context const& c) {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect_rank(1, 3, 5);
    std::size_t const axes = c.dims(1).rank() - 2;
    c.expect_rank(0, axes + 2, axes + 2);
    shape const& dims = c.dims(0);
    std::size_t const channel_axis = last ? axes + 1 : 1;
    std::size_t const first = last ? 1 : 2;  // of the spatial axes
    images = dims[0];
    units = dims[channel_axis];
    c.expect_extent(0, channel_axis, c.dims(1)[0], 1);
    c.expect(units % groups == 0, 0, "have channels for ", groups, " groups");
    std::int64_t const of_group = c.dims(1)[channel_axis];
    channels = of_group * groups;
    shape made = {images};
    if (!last) made.push_back(channels);
    w = {};
    for (std::size_t axis = 0; axis != axes; ++axis) {
      std::size_t const at = w.in.size() - axes + axis;
      w.out[at] = dims[axis + first];
      w.kernel[at] = extent_of(c, 0, kernel_, axis, axes, "kernels");
      w.stride[at] = extent_of(c, 0, stride_, axis, axes, "strides");
      w.dilation[at] = extent_of(c, 0, dilation_, axis, axes, "dilations");
      w.head[at] = extent_of(c, 0, pads_, axis, 2 * axes, "pads");
      std::int64_t const tail = extent_of(c, 0, pads_, axes + axis, 2 * axes, "pads");
      std::int64_t const more = extent_of(c, 0, more_, axis, axes, "adjs");
      c.expect(c.dims(1)[axis + first] == w.kernel[at], 1, "have the kernel's extent of ", w.kernel[at], " in axis ",
               axis + first);
      c.expect(w.out[at] > 0 && w.out[at] <= largest_extent, 0, "have places in axis ", axis + first);
      w.in[at] = (w.out[at] - 1) * w.stride[at] + w.dilation[at] * (w.kernel[at] - 1) + 1 + more - w.head[at] - tail;
      c.expect(w.in[at] > 0 && w.in[at] <= largest_extent, 0, "have more places in axis ", axis + first,
               " than the padding cuts off");
      made.push_back(w.in[at]);
    }
    if (last) made.push_back(channels);
    taps = of_group * static_cast<std::int64_t>(w.taps());
    count = static_cast<std::int64_t>(w.count());
    columns = static_cast<std::size_t>(shape{groups, taps, count}.size());
    return made;
  }

  std::int64_t group_units() const { return units / groups; }
  std::int64_t image() const { return units * count; }
  std::int64_t output() const { return channels * static_cast<std::int64_t>(w.places()); }

 private:
  std::vector<std::int64_t> kernel_;
  std::vector<std::int64_t> stride_;
  std::vector<std::int64_t> dilation_;
  std::vector<std::int64_t> more_;
  std::vector<std::int64_t> pads_;

 public:
  std::int64_t groups;
  bool last;
  windows w;
  std::int64_t images = 0;
  std::int64_t units = 0;     ///< channels of X
  std::int64_t channels = 0;  ///< channels of Y
  std::int64_t taps = 0;      ///< in all channels of a group of Y
  std::int64_t count = 0;     ///< places of X
  std::size_t columns = 0;    ///< elements
};

// Adds the bias of a channel to its places. A row is (image, channel) or, with channels last, (image, place).
template <class T>
struct added_bias_row {
  T const* bias;
  T* y;
  std::size_t channels;
  std::size_t width;
  bool last;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t end) const {
    T* const to = y + row * width;
    if (last) {
      T const* const from = bias;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < end; ++i) to[i] += from[i];
    } else {
      T const more = bias[row % channels];
      for (std::size_t i = first; i < end; ++i) to[i] += more;
    }
  }
};

}  // namespace detail

/// ConvTranspose: inputs X, W, [b].
template <backend B>
class transposed_convolution_kernel final : public op_kernel<B> {
 public:
  explicit transposed_convolution_kernel(op_arguments const& a) : s_(a), bf16x3_(a.allows_bf16x3()) {}

  void infer(shape_context& c) override {
    shape const y = s_.infer(c);
    if (c.input_count() == 3) {
      c.expect_same_type(0, 2);
      c.expect(c.dims(2) == shape{s_.channels}, 2, "have ", s_.channels, " elements, one a channel");
    }
    c.output(0, c.type(0), y);
    c.scratch(s_.columns * size_of(c.type(0)));
  }

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* x = c.template input<T>(0);
      T* y = c.template output<T>(0);
      T* const columns = static_cast<T*>(c.scratch());
      for (std::int64_t image = 0; image != s_.images; ++image, x += s_.image(), y += s_.output()) {
        put_columns(c.template input<T>(1), x, columns);
        if (s_.last)
          columns_to_windows<B>(s_.w, columns, y, s_.channels, s_.groups);
        else
          columns_to_windows<B>(s_.w, columns, y, s_.channels);
      }
      if (c.input_count() != 3) return;
      auto const images = static_cast<std::size_t>(s_.images);
      auto const channels = static_cast<std::size_t>(s_.channels);
      std::size_t const width = s_.last ? channels : s_.w.places();
      for_each_row_part<B>(
          images * (s_.last ? s_.w.places() : channels), width, 1,
          detail::added_bias_row<T>{c.template input<T>(2), c.template output<T>(0), channels, width, s_.last});
    });
  }

 private:
  // Columns of Y from the places of X.
  template <class T>
  void put_columns(T const* w, T const* x, T* columns) const {
    std::int64_t const units = s_.group_units();
    if (s_.last)
      gemm_batched<B>({.m = s_.count, .n = s_.taps, .k = units, .lda = s_.units, .bf16x3 = bf16x3_},
                      {s_.groups, units, units * s_.taps, s_.taps * s_.count}, x, w, columns);
    else
      gemm_batched<B>({.m = s_.taps, .n = s_.count, .k = units, .transpose_a = true, .bf16x3 = bf16x3_},
                      {s_.groups, units * s_.taps, units * s_.count, s_.taps * s_.count}, w, x, columns);
  }

  detail::transposed_convolution_shape s_;
  bool bf16x3_;
};

/// ConvTransposeGradient: inputs X, W, dY; outputs dW, [db], [dX], without db if `no_bias`.
template <backend B>
class transposed_convolution_gradient_kernel final : public op_kernel<B> {
 public:
  explicit transposed_convolution_gradient_kernel(op_arguments const& a) : s_(a), bf16x3_(a.allows_bf16x3()), out_(a) {}

  void infer(shape_context& c) override {
    element_type const type = c.type(0);
    shape const y = s_.infer(c);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == y, 2, "be ", y, ", as the output is");
    c.output(0, type, c.dims(1));
    if (out_.with_bias) c.output(1, type, {s_.channels});
    if (out_.with_x) c.output(out_.x(), type, c.dims(0));
    auto const places = static_cast<std::int64_t>(s_.w.places());
    bias_ = s_.last ? reduction_axes({s_.images * places, s_.channels}, {true, false}, size_of(type))
                    : reduction_axes({s_.images, s_.channels, places}, {true, false, true}, size_of(type));
    c.scratch(std::max(s_.columns, out_.with_bias ? bias_.scratch() : 0) * size_of(type));
  }

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* x = c.template input<T>(0);
      T const* const w = c.template input<T>(1);
      T const* dy = c.template input<T>(2);
      T* const dw = c.template output<T>(0);
      T* dx = out_.with_x ? c.template output<T>(out_.x()) : nullptr;
      T* const columns = static_cast<T*>(c.scratch());
      if (out_.with_bias) reduce_axes<B, sum_reduction>(bias_, dy, as_it_is{}, c.template output<T>(1), columns);
      if (s_.images == 0) fill<B>(dw, c.size(1), T(0));
      for (std::int64_t image = 0; image != s_.images; ++image, x += s_.image(), dy += s_.output()) {
        if (s_.last)
          windows_to_columns<B>(s_.w, {0, s_.count}, dy, columns, s_.channels, s_.groups);
        else
          windows_to_columns<B>(s_.w, {0, s_.count}, dy, columns, s_.channels);
        add_weights(columns, x, dw, image == 0 ? T(0) : T(1));
        if (!out_.with_x) continue;
        put_places(w, columns, dx);
        dx += s_.image();
      }
    });
  }

 private:
  template <class T>
  void add_weights(T const* columns, T const* x, T* dw, T beta) const {
    std::int64_t const units = s_.group_units();
    if (s_.last)
      gemm_batched<B>(
          {.m = units, .n = s_.taps, .k = s_.count, .transpose_a = true, .lda = s_.units, .bf16x3 = bf16x3_},
          {s_.groups, units, s_.taps * s_.count, units * s_.taps}, x, columns, dw, T(1), beta);
    else
      gemm_batched<B>({.m = units, .n = s_.taps, .k = s_.count, .transpose_b = true, .bf16x3 = bf16x3_},
                      {s_.groups, units * s_.count, s_.taps * s_.count, units * s_.taps}, x, columns, dw, T(1), beta);
  }
  template <class T>
  void put_places(T const* w, T const* columns, T* dx) const {
    std::int64_t const units = s_.group_units();
    if (s_.last)
      gemm_batched<B>(
          {.m = s_.count, .n = units, .k = s_.taps, .transpose_b = true, .ldc = s_.units, .bf16x3 = bf16x3_},
          {s_.groups, s_.taps * s_.count, units * s_.taps, units}, columns, w, dx);
    else
      gemm_batched<B>({.m = units, .n = s_.count, .k = s_.taps, .bf16x3 = bf16x3_},
                      {s_.groups, units * s_.taps, s_.taps * s_.count, units * s_.count}, w, columns, dx);
  }

  detail::transposed_convolution_shape s_;
  bool bf16x3_;
  detail::convolution_gradients out_;
  reduction_axes bias_;
};

/// ConvTranspose, ConvTransposeGradient: float and double.
template <backend B>
void add_transposed_convolution_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    op_schema made(type);
    detail::describe_extents(made, "kernel", "kernels", "extents of a window", 0);
    detail::describe_extents(made, "stride", "strides", "from one window of Y to the next", 1);
    detail::describe_extents(made, "dilation", "dilations", "from one tap of a window to the next", 1);
    detail::describe_extents(made, "adj", "adjs", "more places after the last", 0);
    detail::describe_pads(made)
        .argument("group", std::int64_t{1}, "groups of channels, each for as many channels of Y of its own")
        .ignored_in_caffe2("group")
        .checks_first()
        .no_doubles_in_caffe2();
    return made;
  };
  table.template add<transposed_convolution_kernel>(
      schema("ConvTranspose")
          .inputs(2, 3)
          .outputs(1)
          .rows_independent(1)
          .describe("Y = b + the sum of the windows of Y that X's places are, weighted by W (inputs X, W, [b])"));
  op_schema gradient = schema("ConvTransposeGradient");
  table.template add<transposed_convolution_gradient_kernel>(detail::describe_convolution_gradients(gradient));
}

}  // namespace plait

PLAIT_KERNELS_END
