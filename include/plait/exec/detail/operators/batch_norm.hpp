// SpatialBN: batch normalisation by channel, with the statistics of the batch in training.
//
// After S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
// Shift", ICML 2015. Variances by T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for Computing the Sample
// Variance", The American Statistician 37, 1983, pp. 242-247 (corrected two-pass algorithm, without cancellation).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/channel_sums.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/channel_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns the channels of input 0. If there is only one, its elements are contiguous, whatever its axis.
inline channel_places channel_places_of(shape_context const& c, bool channels_last) {
  c.expect_type<float, double>(0);
  c.expect_rank(0, 2);
  shape const& dims = c.dims(0);
  std::size_t const axis = channels_last ? dims.rank() - 1 : 1;
  auto const size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
  if (dims[axis] == 1) return {1, 1, size(dims.size())};
  return {size(dims.size_to(axis)), size(dims[axis]), size(dims.size_from(axis + 1))};
}
/// Throws unless input i has one number per channel. If the scale, input 1, has another number of channels than the
/// data, the error names the data; the other parameters have to agree with both.
inline void expect_channel_numbers(shape_context const& c, std::size_t i, channel_places const& x, bool last) {
  c.expect_same_type(0, i);
  if (i == 1 && c.dims(i).rank() == 1) c.expect_extent(0, last ? c.dims(0).rank() - 1 : 1, c.dims(i)[0], i);
  c.expect(c.dims(i) == shape{static_cast<std::int64_t>(x.channels)}, i, "have a number for each of ", x.channels,
           " channels, as ", c.input_text(0));
}

// ---- by element

template <class T>
struct batch_norm_elements {
  struct element {
    T const* x;
    T* y;
    T middle;
    T factor;
    T shift;
    PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = (x[i] - middle) * factor + shift; }
  };
  T const* x;
  T* y;
  T const* mean;
  T const* factor;
  T const* bias;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const {
    return {x, y, mean[channel], factor[channel], bias[channel]};
  }
};

// Deviation of an element from the mean, and its square.
template <class T>
struct beside_mean {
  struct element {
    T const* x;
    T middle;
    PLAIT_HOST_DEVICE two_sums<T> operator()(std::size_t i) const {
      T const left = x[i] - middle;
      return {left, left * left};
    }
  };
  T const* x;
  T const* mean;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const { return {x, mean[channel]}; }
};

// ---- by channel

// The mean of no elements is 0.
template <class T>
struct mean_of_sum {
  T* sums;
  T count;
  PLAIT_HOST_DEVICE void operator()(std::size_t channel) const {
    sums[channel] = count == T(0) ? T(0) : sums[channel] / count;
  }
};

template <class T>
struct inverse_deviation {
  T const* variance;
  T* inverse;
  T epsilon;
  PLAIT_HOST_DEVICE void operator()(std::size_t channel) const {
    inverse[channel] = T(1) / std::sqrt(variance[channel] + epsilon);
  }
};

template <class T>
struct product_by_channel {
  T const* a;
  T const* b;
  T* to;
  PLAIT_HOST_DEVICE void operator()(std::size_t channel) const { to[channel] = a[channel] * b[channel]; }
};

template <class T>
struct variance_of_sums {
  T const* left;
  T* squares;  ///< sums of squares, overwritten by the variance
  T count;
  PLAIT_HOST_DEVICE void operator()(std::size_t channel) const {
    T const rest = left[channel];
    T const variance = count == T(0) ? T(0) : (squares[channel] - rest * rest / count) / count;
    squares[channel] = variance < T(0) ? T(0) : variance;
  }
};

template <class T>
struct running_moments {
  T const* mean;
  T const* variance;
  T const* old_mean;
  T const* old_variance;
  T* new_mean;
  T* new_variance;
  T momentum;
  PLAIT_HOST_DEVICE void operator()(std::size_t channel) const {
    T const m = old_mean[channel];  // read before either is written: they may alias
    T const v = old_variance[channel];
    new_mean[channel] = momentum * m + (T(1) - momentum) * mean[channel];
    new_variance[channel] = momentum * v + (T(1) - momentum) * variance[channel];
  }
};

/// Computes the mean and the variance of each channel of x; both are 0 for no elements. `sums` reduces all axes of
/// [outer, channels, inner] but the middle one; `scratch` has moments_scratch elements.
template <backend B, class T>
void find_channel_moments(channel_places const& places, reduction_axes const& sums, T const* x, T* mean, T* variance,
                          T* scratch) {
  auto const count = static_cast<T>(places.count());
  T* const left = scratch;
  T* const partials = left + places.channels;
  reduce_axes<B, sum_reduction>(sums, x, as_it_is{}, mean, partials);
  for_each_index<B>(places.channels, mean_of_sum<T>{mean, count});
  two_channel_sums<B>(places, beside_mean<T>{x, mean}, left, variance, partials);
  for_each_index<B>(places.channels, variance_of_sums<T>{left, variance, count});
}
inline reduction_axes channel_sums_of(channel_places const& x, element_type type) {
  auto const extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return reduction_axes({extent(x.outer), extent(x.channels), extent(x.inner)}, {true, false, true}, size_of(type));
}
inline std::size_t moments_scratch(channel_places const& x, reduction_axes const& sums) {
  return x.channels + std::max(sums.scratch(), two_channel_partials(x));
}

/// Predicate for op_schema::rows_independent: with is_test, items of the batch are independent rows of X alone.
inline bool batch_norm_rows(op_arguments const& a, std::size_t rows) { return a.flag("is_test") && rows == 1; }

}  // namespace detail

/// Kernel of SpatialBN: X, scale, bias, mean, variance to Y; without is_test also to the running mean and variance, and
/// to the batch's mean and 1 / sqrt(variance + epsilon), which the gradient reads. Variances are biased. Mean and
/// variance of no elements are 0; for an empty batch the last output is 0, as in Caffe2.
template <backend B>
class spatial_bn_kernel final : public op_kernel<B> {
 public:
  explicit spatial_bn_kernel(op_arguments const& a)
      : epsilon_(a.real("epsilon")),
        momentum_(a.real("momentum")),
        test_(a.flag("is_test")),
        last_(detail::channels_are_last(a)) {
    std::size_t const outputs = test_ ? 1 : 5;
    if (a.output_count() != outputs)
      a.fail("is_test", "is " + std::string(test_ ? "1" : "0") + ", with which there should be " +
                            std::to_string(outputs) + " outputs, not " + std::to_string(a.output_count()));
  }
  void infer(shape_context& c) override {
    x_ = detail::channel_places_of(c, last_);
    for (std::size_t i = 1; i != 5; ++i) detail::expect_channel_numbers(c, i, x_, last_);
    no_items_ = c.dims(0)[0] == 0;
    c.output(0, c.type(0), c.dims(0));
    for (std::size_t o = 1; o != c.output_count(); ++o) c.output(o, c.type(0), c.dims(1));
    std::size_t more = 0;
    if (!test_) {
      sums_ = detail::channel_sums_of(x_, c.type(0));
      more = x_.channels + detail::moments_scratch(x_, sums_);
    }
    c.scratch((x_.channels + more) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) {
    T const* const mean = test_ ? c.template input<T>(3) : c.template output<T>(3);
    T* const factor = static_cast<T*>(c.scratch());
    T* const variance = factor + x_.channels;
    T const* inverse = factor;
    if (test_) {
      for_each_index<B>(x_.channels,
                        detail::inverse_deviation<T>{c.template input<T>(4), factor, static_cast<T>(epsilon_)});
    } else {
      detail::find_channel_moments<B>(x_, sums_, c.template input<T>(0), c.template output<T>(3), variance,
                                      variance + x_.channels);
      inverse = c.template output<T>(4);
      for_each_index<B>(x_.channels,
                        detail::inverse_deviation<T>{variance, c.template output<T>(4), static_cast<T>(epsilon_)});
    }
    for_each_index<B>(x_.channels, detail::product_by_channel<T>{c.template input<T>(1), inverse, factor});
    for_each_in_channels<B>(x_, detail::batch_norm_elements<T>{c.template input<T>(0), c.template output<T>(0), mean,
                                                               factor, c.template input<T>(2)});
    if (test_) return;
    for_each_index<B>(x_.channels,
                      detail::running_moments<T>{mean, variance, c.template input<T>(3), c.template input<T>(4),
                                                 c.template output<T>(1), c.template output<T>(2),
                                                 static_cast<T>(no_items_ ? 1 : momentum_)});
    if (no_items_) fill<B>(c.template output<T>(4), x_.channels, T(0));
  }

  float epsilon_;
  float momentum_;
  bool test_;
  bool last_;
  bool no_items_ = false;
  channel_places x_;
  reduction_axes sums_;
};

namespace detail::caffe2 {

/// Checks Caffe2's restrictions of SpatialBN.
inline shape_check spatial_bn(op_arguments const& a) {
  if (!a.has("is_test")) a.fail("is_test", "is missing");
  if (a.real("epsilon") <= 0) a.fail("epsilon", "should be above 0");
  if (a.real("momentum") < 0 || a.real("momentum") > 1) a.fail("momentum", "should be from 0 to 1");
  if (a.output_count() > 1) {
    expect_in_place(a, {3, 1});
    expect_in_place(a, {4, 2});
  }
  return least_rank_of_first<3>(a);
}

}  // namespace detail::caffe2

template <backend B>
void add_batch_norm_operator(operators<B>& table) {
  table.template add<spatial_bn_kernel<B>>(
      op_schema("SpatialBN")
          .inputs(5)
          .outputs(1, 5)
          .in_place(0, 0)
          .in_place(3, 1)
          .in_place(4, 2)
          .rows_independent(&detail::batch_norm_rows)
          .argument("is_test", std::int64_t{0}, "1: mean and variance are those given, and Y is the only output")
          .argument("epsilon", 1e-5f, "added to the variance")
          .argument("momentum", 0.9f, "how much of the running mean and variance is kept")
          .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
          .checks_first()
          .in_caffe2(detail::caffe2::spatial_bn)
          .no_doubles_in_caffe2()
          .describe("Y = (X - mean) * scale / sqrt(variance + epsilon) + bias, each by channel [C]. Inputs X, scale, "
                    "bias, mean, variance; without is_test Y is by those of X, and comes with the running mean and "
                    "variance (momentum of the old ones, the rest of X's), X's mean, and 1 / sqrt(its variance + "
                    "epsilon)"));
}

}  // namespace plait

PLAIT_KERNELS_END
