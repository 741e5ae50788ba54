// Convolutions of one to three dimensions, by GEMM.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/depthwise.hpp>
#include <plait/exec/detail/kernels/few_windows.hpp>
#include <plait/exec/detail/kernels/image_gemm.hpp>
#include <plait/exec/detail/kernels/packed_factor.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/matrix_product.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Shapes and image columns (im2col) of a convolution and of its gradient. Input 0 is X, input 1 W, of shape [units,
/// channels of a group, taps...] or, with channels last, [units, taps..., channels of a group].
class convolution_shape {
 public:
  explicit convolution_shape(op_arguments const& a)
      : arguments_(a), groups(a.integer("group")), bf16x3(a.allows_bf16x3()) {
    if (groups < 1) a.fail("group", "is less than 1");
  }

  /// Returns the shape of Y.
  shape infer(shape_context const& c) {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    return infer_shapes(c);
  }
  /// Like infer(), for any element types.
  shape infer_shapes(shape_context const& c) {
    // If ranks or channels differ, the error names the image instead of W, which belongs to the model.
    c.expect_rank(1, 3, 5);
    std::size_t const axes = arguments_.axes() != 0 ? arguments_.axes() : c.dims(1).rank() - 2;
    arguments_.expect_images(c, 0, axes);
    c.expect_rank(1, axes + 2, axes + 2);
    w = arguments_.infer(c, 0);
    last = arguments_.channels_last();
    shape const& dims = c.dims(0);
    images = dims[0];
    channels = arguments_.channels(dims);
    c.expect(channels % groups == 0, 0, "have channels for ", groups, " groups");
    std::size_t const at = last ? dims.rank() - 1 : 1;
    std::int64_t const of_group = c.dims(1)[at];
    if (groups == 1) c.expect_extent(0, at, of_group, 1);
    c.expect(channels / groups == of_group, 0, "have ", of_group, " channels for each of ", groups, " groups in axis ",
             at, ", as ", c.input_text(1));
    units = c.dims(1)[0];
    shape wanted = {units};
    if (!last) wanted.push_back(channels / groups);
    for (std::size_t i = w.in.size() - (dims.rank() - 2); i != w.in.size(); ++i) wanted.push_back(w.kernel[i]);
    if (last) wanted.push_back(channels / groups);
    c.expect(c.dims(1) == wanted, 1, "be ", wanted, ", as the input and the kernel have it");
    c.expect(units % groups == 0, 1, "have units for ", groups, " groups");
    taps = wanted.size_from(1);
    count = static_cast<std::int64_t>(w.count());
    direct = w.are_places();
    columns = direct ? 0 : static_cast<std::size_t>(shape{groups, taps, count}.size());
    return arguments_.outputs(w, dims, units);
  }

  /// Returns an image's columns, computed in `scratch`; the image itself if its places are the windows.
  template <backend B, class T>
  T const* columns_of(T const* x, window_range part, T* scratch) const {
    if (direct) return x + part.first * (last ? channels : 1);
    if (last)
      windows_to_columns<B>(w, part, x, scratch, channels, groups);
    else
      windows_to_columns<B>(w, part, x, scratch, channels);
    return scratch;
  }

  std::int64_t image() const { return channels * static_cast<std::int64_t>(w.places()); }
  std::int64_t output() const { return units * count; }
  std::int64_t group_units() const { return units / groups; }
  /// Return the strides between rows of columns, with channels last, and between groups of columns.
  std::int64_t column_pitch() const { return direct ? channels : taps; }
  std::int64_t column_stride(std::int64_t windows) const {
    if (direct) return last ? taps : taps * count;
    return taps * windows;
  }
  /// Returns true if each unit reads one channel; with channels last, of its own.
  bool is_depthwise() const { return channels == groups && groups > 1 && (!last || units == channels); }

 private:
  window_arguments arguments_;

 public:
  std::int64_t groups;
  bool bf16x3;  ///< see gemm_shape
  windows w;
  bool last = false;
  bool direct = false;
  std::int64_t images = 0;
  std::int64_t channels = 0;
  std::int64_t units = 0;
  std::int64_t taps = 0;    ///< in all channels of a group
  std::int64_t count = 0;   ///< windows
  std::size_t columns = 0;  ///< elements
};

// Broadcasts the bias of a unit to its places.
template <class T>
struct bias_row {
  T const* bias;
  T* y;
  std::size_t units;
  std::size_t width;
  bool last;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t end) const {
    T* const to = y + row * width;
    if (last) {
      T const* const from = bias;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < end; ++i) to[i] = from[i];
    } else {
      T const same = bias[row % units];
      for (std::size_t i = first; i < end; ++i) to[i] = same;
    }
  }
};

}  // namespace detail

/// Kernel of Conv, with inputs X, W, [b].
template <backend B>
class convolution_kernel : public op_kernel<B> {
 public:
  explicit convolution_kernel(op_arguments const& a) : s_(a) {}

  void infer(shape_context& c) override {
    shape const y = s_.infer(c);
    if (c.input_count() == 3) {
      c.expect_same_type(0, 2);
      c.expect(c.dims(2) == shape{s_.units}, 2, "have ", s_.units, " elements, one a unit");
    }
    c.output(0, c.type(0), y);
    std::size_t const bytes = size_of(c.type(0));
    method_ = find_method();
    block_ = s_.count;
    if (method_ == method::few_windows) {
      few_.assign(s_.w, s_.images, s_.channels, s_.units);
      c.scratch(few_.scratch() * bytes);
    } else if (method_ == method::padded || (method_ == method::depthwise && !s_.last)) {
      image_.assign(s_.w, s_.channels, s_.groups);
      c.scratch(image_.size() * bytes);
    } else if (method_ == method::columns && !s_.direct) {
      std::size_t const window = static_cast<std::size_t>(s_.groups * s_.taps) * bytes;
      if (!B::on_device && window != 0)
        block_ = std::min(s_.count, std::max(least_block, static_cast<std::int64_t>(block_bytes / window)));
      c.scratch(window * static_cast<std::size_t>(block_));
    }
  }

  void run(op_context<B>& c) override { run_part(c, {.kind = op_part::kinds::whole}); }
  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    return input == 1 && method_ == method::few_windows ? detail::pack_factor(weights_, few_.product(), c, input, to)
                                                        : 0;
  }
  void patterns(op_context<B> const&, std::vector<op_pattern<B>>& to) const override {
    if constexpr (has_epilogues<B>) to.push_back({.kind = pattern_kind::epilogue});
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c, detail::epilogue_of<T>(part)); });
  }

 private:
  enum class method : unsigned char {
    columns,      // GEMM of the image's columns (im2col), or of the image itself if its places are the windows
    padded,       // GEMM that reads the windows in a padded copy of the image
    few_windows,  // GEMM of the windows of several images by packed weights
    depthwise,
  };
  method find_method() const {
    if (s_.is_depthwise() && (s_.last || !B::on_device)) return method::depthwise;
    if (B::on_device || s_.last || s_.bf16x3) return method::columns;
    if (packed_factor<B>::packs && s_.groups == 1 && s_.count <= few_windows::most &&
        s_.units >= packed_factor<B>::least_columns && s_.taps >= few_windows::least_taps)
      return method::few_windows;
    return has_epilogues<B> && !s_.direct ? method::padded : method::columns;
  }

  template <class T>
  void run_as(op_context<B>& c, detail::gemm_epilogue<T> const& after) const {
    convolution_operands<T> const of = {c.template input<T>(0),
                                        c.template input<T>(1),
                                        c.input_count() == 3 ? c.template input<T>(2) : nullptr,
                                        after.addend,
                                        after.relu,
                                        c.template output<T>(0)};
    T* const scratch = static_cast<T*>(c.scratch());
    if (method_ == method::columns) return multiply_columns<T>(of, scratch);
    if (method_ == method::depthwise && s_.last) return depthwise_channels_last<B>(s_.w, of, s_.images, s_.units);
    if constexpr (packed_factor<B>::packs)
      if (method_ == method::few_windows) return few_.run(weights_, c.packed(1), of, scratch);
    if constexpr (!B::on_device)
      for_each_image(of, [&](convolution_operands<T> const& one) {
        image_.template copy<B>(one.x, scratch);
        if (method_ == method::depthwise)
          depthwise<B>(image_, scratch, one, s_.units);
        else
          multiply_image<B>(image_, scratch, s_.groups, s_.units, one);
      });
  }

  // Calls f with the operands of each image.
  template <class T, class F>
  void for_each_image(convolution_operands<T> of, F const& f) const {
    for (std::int64_t image = 0; image != s_.images; ++image) {
      f(of);
      of.x += s_.image();
      of.y += s_.output();
      if (of.addend != nullptr) of.addend += s_.output();
    }
  }

  template <class T>
  void multiply_columns(convolution_operands<T> const& of, T* scratch) const {
    if (of.bias != nullptr) {
      auto const units = static_cast<std::size_t>(s_.units);
      auto const count = static_cast<std::size_t>(s_.count);
      auto const images = static_cast<std::size_t>(s_.images);
      for_each_row_part<B>(images * (s_.last ? count : units), s_.last ? units : count, 1,
                           detail::bias_row<T>{of.bias, of.y, units, s_.last ? units : count, s_.last});
    }
    T const beta = of.bias != nullptr ? T(1) : T(0);
    for_each_image(of, [&](convolution_operands<T> const& one) {
      for (std::int64_t first = 0; first < s_.count; first += block_) {
        std::int64_t const count = std::min(block_, s_.count - first);
        add(s_.template columns_of<B>(one.x, {first, count}, scratch), first, one.w, one.y, beta,
            {one.addend, one.relu});
      }
    });
  }

  // Multiplies a block of columns.
  template <class T>
  void add(T const* columns, std::int64_t first, T const* w, T* y, T beta, detail::gemm_epilogue<T> after) const {
    std::int64_t const units = s_.group_units();
    std::int64_t const count = std::min(block_, s_.count - first);
    std::int64_t const stride = s_.column_stride(count);
    std::int64_t const at = s_.last ? first * s_.units : first;
    if (after.addend != nullptr) after.addend += at;
    if (s_.last)
      gemm_batched<B>({.m = count,
                       .n = units,
                       .k = s_.taps,
                       .transpose_b = true,
                       .lda = s_.column_pitch(),
                       .ldc = s_.units,
                       .bf16x3 = s_.bf16x3},
                      {s_.groups, stride, units * s_.taps, units}, columns, w, y + at, 1, beta, after);
    else
      gemm_batched<B>({.m = units,
                       .n = count,
                       .k = s_.taps,
                       .ldb = s_.direct ? s_.count : count,
                       .ldc = s_.count,
                       .bf16x3 = s_.bf16x3},
                      {s_.groups, units * s_.taps, stride, units * s_.count}, w, columns, y + at, 1, beta, after);
  }

  // Columns of a block stay in the cache between im2col and the product.
  static constexpr std::size_t block_bytes = std::size_t{1} << 19;
  static constexpr std::int64_t least_block = 64;

  method method_ = method::columns;
  padded_image image_;
  few_windows few_;
  packed_factor<B> weights_;
  std::int64_t block_ = 0;  ///< windows

 protected:
  detail::convolution_shape s_;
};

namespace detail {

/// Describes operands and arguments of Conv.
inline op_schema& describe_convolution(op_schema& schema) {
  return describe_windows(schema)
      .inputs(2, 3)
      .outputs(1)
      .argument("group", std::int64_t{1}, "groups of channels, each for as many units of its own")
      .rows_independent(1)
      .checks_first()
      .no_doubles_in_caffe2();
}

}  // namespace detail

/// Adds Conv: float and double.
template <backend B>
void add_convolution_operators(operators<B>& table) {
  op_schema schema("Conv");
  table.template add<convolution_kernel>(std::move(detail::describe_convolution(schema).describe(
      "Y[n, u, ...] = b[u] + the sum over channels and taps of W[u, c, tap] X[n, c, place of the tap] (inputs X, W, "
      "[b])")));
}

}  // namespace plait

PLAIT_KERNELS_END
