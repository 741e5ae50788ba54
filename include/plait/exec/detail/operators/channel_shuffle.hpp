// ChannelShuffle and its gradient: interleaves groups of channels, so that the next grouped convolution reads all
// groups.
//
// After X. Zhang, X. Zhou, M. Lin, J. Sun, "ShuffleNet", CVPR 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/transpose.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/channel_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Moves channel k of group g, of `group` with K channels each, to channel k * group + g; Back inverts this.
template <backend B, bool Back>
class channel_shuffle_kernel final : public op_kernel<B> {
 public:
  explicit channel_shuffle_kernel(op_arguments const& a)
      : groups_(detail::group_argument(a)), last_(detail::channels_are_last(a)) {}
  void infer(shape_context& c) override {
    auto const extents = detail::image_extents::of(c, last_);
    auto const channels = static_cast<std::int64_t>(extents.channels);
    auto const items = static_cast<std::int64_t>(extents.items);
    auto const places = static_cast<std::int64_t>(extents.places);
    c.expect(channels % groups_ == 0, 0, "have channels for ", groups_, " groups");
    std::int64_t const each = channels / groups_;
    shape const from = last_ ? shape{items * places, Back ? each : groups_, Back ? groups_ : each, 1}
                             : shape{items, Back ? each : groups_, Back ? groups_ : each, places};
    static constexpr std::size_t order[] = {0, 2, 1, 3};
    permutation_ = transposition(from, order);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_word(c.type(0), [&]<class T>(T) {
      permutation_.run<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)));
    });
  }

 private:
  std::int64_t groups_;
  bool last_;
  transposition permutation_;
};

/// Adds ChannelShuffle, ChannelShuffleGradient: any element type.
template <backend B>
void add_channel_shuffle_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    return op_schema(type)
        .inputs(1)
        .outputs(1)
        .rows_independent(1)
        .checks_first()
        .argument("group", std::int64_t{1}, "groups of channels")
        .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
        .no_doubles_in_caffe2();
  };
  table.template add<channel_shuffle_kernel<B, false>>(
      schema("ChannelShuffle").describe("channel k of group g becomes channel k * group + g"));
  table.template add<channel_shuffle_kernel<B, true>>(
      schema("ChannelShuffleGradient").describe("dX of ChannelShuffle (input dY)"));
}

}  // namespace plait
