// GroupNorm: groups of an item's channels, normalised to mean 0 and variance 1, then scaled and shifted by channel.
//
// After Y. Wu, K. He, "Group Normalization", ECCV 2018.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/channel_sums.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/batch_norm.hpp>
#include <plait/exec/detail/operators/channel_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Layout of the groups of GroupNorm and its gradient. With channels last, each item is a separate tensor with strided
/// groups and channels; else all items are one tensor with contiguous groups and channels.
struct group_places {
  std::size_t items = 0;
  std::size_t channels = 0;  ///< per item
  std::size_t groups = 0;    ///< per item
  std::size_t passes = 0;    ///< tensors, traversed one by one
  channel_places by_group;   ///< per tensor
  channel_places by_channel;

  std::size_t moments() const noexcept { return items * groups; }
  std::size_t elements() const noexcept { return by_group.rows() * by_group.inner; }
  std::size_t channels_of_group() const noexcept { return channels / groups; }

  /// Returns the layout of input i.
  static group_places of(shape_context const& c, std::size_t i, std::int64_t groups, bool last) {
    c.expect_type<float, double>(i);
    c.expect_rank(i, 2);
    shape const& dims = c.dims(i);
    auto const size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
    std::int64_t const channels = dims[last ? dims.rank() - 1 : 1];
    c.expect(channels % groups == 0, i, "have channels for ", groups, " groups");
    group_places made{size(dims[0]), size(channels), size(groups), 1, {}, {}};
    std::size_t const each = made.channels_of_group();
    std::size_t const places = size(last ? dims.size_from(1) / std::max<std::int64_t>(channels, 1) : dims.size_from(2));
    if (last) {
      made.passes = made.items;
      made.by_group = {places, made.groups, each};
      made.by_channel = {places, made.channels, 1};
    } else {
      made.by_group = {1, made.moments(), each * places};
      made.by_channel = {1, made.items * made.channels, places};
    }
    return made;
  }
};

/// Returns the argument `epsilon`, which the exporter of PyTorch calls `eps`.
inline float group_epsilon(op_arguments const& a) { return a.real(a.has("epsilon") ? "epsilon" : "eps"); }

// Channels are numbered across items: `each` consecutive ones form a group, `channels` an item.
template <class T>
struct group_norm_elements {
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
  T const* inverse;
  T const* scale;
  T const* bias;
  std::size_t channels;
  std::size_t each;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const {
    std::size_t const group = channel / each;
    std::size_t const own = channel % channels;
    return {x, y, mean[group], inverse[group] * scale[own], bias[own]};
  }
};

}  // namespace detail

/// Kernel of GroupNorm: X, scale, bias to Y and, optionally, the mean and 1 / sqrt(variance + epsilon) of each item's
/// groups. Variances are biased; the mean of no elements is 0.
template <backend B>
class group_norm_kernel final : public op_kernel<B> {
 public:
  explicit group_norm_kernel(op_arguments const& a)
      : groups_(detail::group_argument(a)), epsilon_(detail::group_epsilon(a)), last_(detail::channels_are_last(a)) {
    if (a.output_count() == 2) shape_context::fail("2 outputs where there should be 1 or 3");
    if (!a.flag("is_test") && a.output_count() != 3)
      a.fail("is_test", "is 0, with which there should be 3 outputs, not " + std::to_string(a.output_count()));
  }
  void infer(shape_context& c) override {
    x_ = detail::group_places::of(c, 0, groups_, last_);
    for (std::size_t i = 1; i != 3; ++i) {
      c.expect_same_type(0, i);
      if (i == 1) c.expect_extent(0, last_ ? c.dims(0).rank() - 1 : 1, c.dims(i).size(), i);
      c.expect(static_cast<std::size_t>(c.dims(i).size()) == x_.channels, i, "have a number for each of ", x_.channels,
               " channels, as ", c.input_text(0));
    }
    sums_ = detail::channel_sums_of(x_.by_group, c.type(0));
    c.output(0, c.type(0), c.dims(0));
    if (c.output_count() == 3)
      for (std::size_t o = 1; o != 3; ++o) c.output(o, c.type(0), {c.dims(0)[0], groups_});
    c.scratch((2 * x_.moments() + detail::moments_scratch(x_.by_group, sums_)) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) const {
    T* scratch = static_cast<T*>(c.scratch());
    bool const told = c.output_count() == 3;
    T* mean = told ? c.template output<T>(1) : scratch;
    T* inverse = told ? c.template output<T>(2) : scratch + x_.moments();
    scratch += 2 * x_.moments();
    T const* x = c.template input<T>(0);
    T* y = c.template output<T>(0);
    for (std::size_t pass = 0; pass != x_.passes; ++pass) {
      detail::find_channel_moments<B>(x_.by_group, sums_, x, mean, inverse, scratch);
      for_each_index<B>(x_.by_group.channels, detail::inverse_deviation<T>{inverse, inverse, static_cast<T>(epsilon_)});
      for_each_in_channels<B>(
          x_.by_channel, detail::group_norm_elements<T>{x, y, mean, inverse, c.template input<T>(1),
                                                        c.template input<T>(2), x_.channels, x_.channels_of_group()});
      x += x_.elements();
      y += x_.elements();
      mean += x_.by_group.channels;
      inverse += x_.by_group.channels;
    }
  }

  std::int64_t groups_;
  float epsilon_;
  bool last_;
  detail::group_places x_;
  reduction_axes sums_;
};

template <backend B>
void add_group_norm_operator(operators<B>& table) {
  table.template add<group_norm_kernel<B>>(
      op_schema("GroupNorm")
          .inputs(3)
          .outputs(1, 3)
          .in_place(0, 0)
          .rows_independent(1)
          .argument("group", std::int64_t{32}, "groups of channels, of which each item has as many")
          .argument("epsilon", 1e-5f, "added to the variance")
          .argument("eps", 1e-5f, "the same, where epsilon is not given")
          .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
          .argument("is_test", std::int64_t{1}, "0: the second and third outputs must be there")
          .checks_first()
          .ignored_in_caffe2("eps")
          .no_doubles_in_caffe2()
          .describe("Y = (X - mean) * inverse * scale + bias, with mean and inverse = 1 / sqrt(variance + epsilon) of "
                    "each group of an item's channels [N, group], which are the second and third outputs, and scale "
                    "and bias by channel [C]"));
}

}  // namespace plait

PLAIT_KERNELS_END
