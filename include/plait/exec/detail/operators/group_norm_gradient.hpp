// The gradient of GroupNorm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/channel_sums.hpp>
#include <plait/exec/detail/kernels/column_sums.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/operators/group_norm.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Contribution of an element to its channel's sums of dY N and dY, with N = (X - mean) * inverse.
template <class T>
struct group_norm_parameter_part {
  struct element {
    T const* x;
    T const* dy;
    T middle;
    T inverse;
    PLAIT_HOST_DEVICE two_sums<T> operator()(std::size_t i) const {
      return {dy[i] * ((x[i] - middle) * inverse), dy[i]};
    }
  };
  T const* x;
  T const* dy;
  T const* mean;
  T const* inverse;
  std::size_t each;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const {
    return {x, dy, mean[channel / each], inverse[channel / each]};
  }
};

// Means of scale dY N and scale dY over a group.
template <class T>
struct group_norm_means {
  T const* along;  ///< sums of dY N by item and channel
  T const* plain;  ///< sums of dY
  T const* scale;
  T* mean_along;
  T* mean;
  std::size_t groups;  ///< per item
  std::size_t each;
  T count;
  PLAIT_HOST_DEVICE void operator()(std::size_t group) const {
    std::size_t const channel = group % groups * each;
    T a = 0;
    T b = 0;
    for (std::size_t k = 0; k < each; ++k) {
      a += scale[channel + k] * along[group * each + k];
      b += scale[channel + k] * plain[group * each + k];
    }
    mean_along[group] = count == T(0) ? T(0) : a / count;
    mean[group] = count == T(0) ? T(0) : b / count;
  }
};

template <class T>
struct group_norm_dx {
  struct element {
    T const* x;
    T const* dy;
    T* dx;
    T middle;
    T inverse;
    T scale;
    T along;
    T mean;
    PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
      dx[i] = (dy[i] * scale - mean - (x[i] - middle) * inverse * along) * inverse;
    }
  };
  T const* x;
  T const* dy;
  T* dx;
  T const* mean_of_x;
  T const* inverse;
  T const* scale;
  T const* along;
  T const* mean;
  std::size_t channels;
  std::size_t each;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const {
    std::size_t const g = channel / each;
    return {x, dy, dx, mean_of_x[g], inverse[g], scale[channel % channels], along[g], mean[g]};
  }
};

}  // namespace detail

/// Kernel of GroupNormGradient: dY, X, scale, bias, and the mean and 1 / sqrt(variance + epsilon) of each item's
/// groups, to the gradients of X, scale and bias.
template <backend B>
class group_norm_gradient_kernel final : public op_kernel<B> {
 public:
  explicit group_norm_gradient_kernel(op_arguments const& a)
      : groups_(detail::group_argument(a)), last_(detail::channels_are_last(a)) {}
  void infer(shape_context& c) override {
    x_ = detail::group_places::of(c, 1, groups_, last_);
    for (std::size_t i : {0U, 2U, 3U, 4U, 5U}) c.expect_same_type(1, i);
    c.expect_same_dims(0, 1);
    for (std::size_t i : {2U, 3U})
      c.expect(static_cast<std::size_t>(c.dims(i).size()) == x_.channels, i, "have a number for each of ", x_.channels,
               " channels");
    for (std::size_t i : {4U, 5U})
      c.expect(static_cast<std::size_t>(c.dims(i).size()) == x_.moments(), i, "have a number for each of ",
               x_.moments(), " groups");
    c.output(0, c.type(1), c.dims(1));
    c.output(1, c.type(1), c.dims(2));
    c.output(2, c.type(1), c.dims(3));
    partials_ = std::max(two_channel_partials(x_.by_channel), column_partials(1, x_.items, x_.channels));
    c.scratch((2 * x_.items * x_.channels + 2 * x_.moments() + partials_) * size_of(c.type(1)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) const {
    T const* const scale = c.template input<T>(2);
    std::size_t const by_items = x_.items * x_.channels;
    std::size_t const each = x_.channels_of_group();
    T* const along = static_cast<T*>(c.scratch());
    T* const plain = along + by_items;
    T* const mean_along = plain + by_items;
    T* const mean = mean_along + x_.moments();
    T* const partials = mean + x_.moments();
    // Sums come first, since dX may overwrite dY or X.
    for (std::size_t pass = 0; pass != x_.passes; ++pass) {
      std::size_t const at = pass * x_.elements();
      std::size_t const group = pass * x_.by_group.channels;
      std::size_t const channel = pass * x_.by_channel.channels;
      two_channel_sums<B>(
          x_.by_channel,
          detail::group_norm_parameter_part<T>{c.template input<T>(1) + at, c.template input<T>(0) + at,
                                               c.template input<T>(4) + group, c.template input<T>(5) + group, each},
          along + channel, plain + channel, partials);
    }
    reduce_columns<B, sum_reduction>(static_cast<T const*>(along), 1, x_.items, x_.channels, as_it_is{},
                                     c.template output<T>(1), partials);
    reduce_columns<B, sum_reduction>(static_cast<T const*>(plain), 1, x_.items, x_.channels, as_it_is{},
                                     c.template output<T>(2), partials);
    for_each_index<B>(x_.moments(), detail::group_norm_means<T>{along, plain, scale, mean_along, mean, x_.groups, each,
                                                                static_cast<T>(x_.by_group.count())});
    for (std::size_t pass = 0; pass != x_.passes; ++pass) {
      std::size_t const at = pass * x_.elements();
      std::size_t const group = pass * x_.by_group.channels;
      for_each_in_channels<B>(x_.by_channel,
                              detail::group_norm_dx<T>{c.template input<T>(1) + at, c.template input<T>(0) + at,
                                                       c.template output<T>(0) + at, c.template input<T>(4) + group,
                                                       c.template input<T>(5) + group, scale, mean_along + group,
                                                       mean + group, x_.channels, each});
    }
  }

  std::int64_t groups_;
  bool last_;
  std::size_t partials_ = 0;
  detail::group_places x_;
};

template <backend B>
void add_group_norm_gradient_operator(operators<B>& table) {
  table.template add<group_norm_gradient_kernel<B>>(
      op_schema("GroupNormGradient")
          .inputs(6)
          .outputs(3)
          .in_place(0, 0)
          .in_place(1, 0)
          .argument("group", std::int64_t{32}, "groups of channels, of which each item has as many")
          .argument("epsilon", 1e-5f, "of no effect: the sixth input has it")
          .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
          .checks_first()
          .no_doubles_in_caffe2()
          .describe("dX, dscale, dbias from dY, X, scale, bias, mean, inverse = 1 / sqrt(variance + epsilon) of each "
                    "group of an item's channels [N, group]: with N = (X - mean) * inverse, dbias = the sum of dY and "
                    "dscale = that of dY N by channel; dX = (dY scale - the mean of dY scale - N (that of dY scale N)) "
                    "* inverse, means by item and group"));
}

}  // namespace plait

PLAIT_KERNELS_END
