// Pooling over images of one to three dimensions, and its gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <plait/exec/detail/kernels/pooling.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Arguments and shapes that pooling and its gradient share.
class pooling_shape {
 public:
  explicit pooling_shape(op_arguments const& a) : arguments_(a), last(arguments_.channels_last()) {}

  /// Returns the shape of Y, for X being input 0.
  shape infer(shape_context const& c) {
    c.expect_type<float, double>(0);
    w = arguments_.infer(c, 0);
    for (std::size_t axis = 0; axis != w.out.size(); ++axis)
      for (std::int64_t window = 0; window != w.out[axis]; ++window)
        c.expect(seen_by(w, axis, window) != 0, 0, "not have a window that lies in the padding");
    images = c.dims(0)[0];
    channels = arguments_.channels(c.dims(0));
    return arguments_.outputs(w, c.dims(0), channels);
  }

 private:
  window_arguments arguments_;

 public:
  bool last;
  windows w;
  std::int64_t images = 0;
  std::int64_t channels = 0;
};

}  // namespace detail

/// MaxPool, AveragePool.
template <backend B, bool Max>
class pooling_kernel final : public op_kernel<B> {
 public:
  explicit pooling_kernel(op_arguments const& a) : s_(a), padding_counts_(!Max && a.flag("count_include_pad")) {}
  void infer(shape_context& c) override {
    c.output(0, c.type(0), s_.infer(c));
    if (!s_.w.is_whole()) return;
    auto const places = static_cast<std::int64_t>(s_.w.places());
    std::size_t const bytes = size_of(c.type(0));
    whole_ = s_.last ? reduction_axes({s_.images, places, s_.channels}, {false, true}, bytes)
                     : reduction_axes({s_.images * s_.channels, places}, {false, true}, bytes);
    c.scratch(whole_.scratch() * bytes);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T* const y = c.template output<T>(0);
      if (s_.w.is_whole())
        pool_whole<Max ? pooling::maximum : pooling::mean, B>(whole_, x, y, static_cast<T*>(c.scratch()));
      else if constexpr (Max)
        pool<pooling::maximum, B>(s_.w, x, y, s_.images, s_.channels, s_.last);
      else if (padding_counts_)
        pool<pooling::mean_with_padding, B>(s_.w, x, y, s_.images, s_.channels, s_.last);
      else
        pool<pooling::mean, B>(s_.w, x, y, s_.images, s_.channels, s_.last);
    });
  }

 private:
  detail::pooling_shape s_;
  bool padding_counts_;
  reduction_axes whole_;  ///< if there is one window
};

/// MaxPoolGradient, AveragePoolGradient: inputs X, Y, dY.
template <backend B, bool Max>
class pooling_gradient_kernel final : public op_kernel<B> {
 public:
  explicit pooling_gradient_kernel(op_arguments const& a)
      : s_(a), padding_counts_(!Max && a.flag("count_include_pad")) {}
  void infer(shape_context& c) override {
    shape const y = s_.infer(c);
    for (std::size_t const i : {1U, 2U}) {
      c.expect_same_type(0, i);
      c.expect(c.dims(i) == y, i, "be ", y, ", as the output is");
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const y = c.template input<T>(1);
      T const* const dy = c.template input<T>(2);
      T* const dx = c.template output<T>(0);
      if constexpr (Max)
        unpool<pooling::maximum, B>(s_.w, x, y, dy, dx, s_.images, s_.channels, s_.last);
      else if (padding_counts_)
        unpool<pooling::mean_with_padding, B>(s_.w, x, y, dy, dx, s_.images, s_.channels, s_.last);
      else
        unpool<pooling::mean, B>(s_.w, x, y, dy, dx, s_.images, s_.channels, s_.last);
    });
  }

 private:
  detail::pooling_shape s_;
  bool padding_counts_;
};

/// MaxPool, AveragePool and their gradients: float and double.
template <backend B>
void add_pooling_operators(operators<B>& table) {
  auto const add = [&]<class Kernel>(op_schema schema, std::size_t inputs, bool mean, std::string_view text) {
    detail::describe_windows(schema).inputs(inputs).outputs(1).rows_independent().checks_first().describe(text);
    if (mean)
      schema.argument("count_include_pad", std::int64_t{0}, "whether padding counts as elements of 0")
          .ignored_in_caffe2("count_include_pad");
    table.template add<Kernel>(std::move(schema));
  };
  add.template operator()<pooling_kernel<B, true>>(op_schema("MaxPool").no_doubles_in_caffe2(), 1, false,
                                                   "Y = the maximum of what each window of X sees, by channel");
  add.template operator()<pooling_kernel<B, false>>(op_schema("AveragePool").no_doubles_in_caffe2(), 1, true,
                                                    "Y = the mean of what each window of X sees, by channel");
  add.template operator()<pooling_gradient_kernel<B, true>>(
      op_schema("MaxPoolGradient"), 3, false,
      "dX = the sum of dY of the windows whose maximum Y is X (inputs X, Y, dY)");
  add.template operator()<pooling_gradient_kernel<B, false>>(
      op_schema("AveragePoolGradient"), 3, true,
      "dX = the sum of dY divided by what the window sees, of windows that see X (inputs X, Y, dY)");
}

}  // namespace plait
