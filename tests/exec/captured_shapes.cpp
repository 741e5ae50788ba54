// captured_shapes on the emulated device: one capture per shape.
#include <plait/exec/detail/captured_shapes.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/emulated_device.hpp>
#include <support/recurrent_nets.hpp>
#include <support/run_op.hpp>
#include <support/trained_layer.hpp>

namespace {

using device = test::emulated_device;
using floats = std::vector<float>;

/// Kernel y = 3 x that counts its calls.
struct counted_kernel : plait::op_kernel<device> {
  explicit counted_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float>(0), c.dims(0)); }
  void run(plait::op_context<device>& c) override {
    ++runs;
    float const* const x = c.template input<float>(0);
    float* const y = c.template output<float>(0);
    plait::for_each_index<device>(c.size(0), [=](std::size_t i) { y[i] = 3 * x[i]; });
  }

  static inline int runs = 0;
};

struct counted_net {
  plait::operators<device> table = test::table<device>();
  plait::workspace<device> blobs;
  std::map<std::size_t, plait::tensor<device>> given;  // by size
  plait::captured_shapes<device> runs;

  explicit counted_net(std::string const& more = "", std::size_t most = 4)
      : runs(
            plait::read_netdef_text("op { type: 'Counted' input: 'x' output: 'z' } "
                                    "op { type: 'Counted' input: 'z' output: 'y' } external_output: 'y' " +
                                    more),
            [this]() -> plait::operators<device> const& {
              table.add<counted_kernel>(plait::op_schema("Counted").inputs(1).outputs(1));
              return table;
            }(),
            blobs, {}, most) {
    counted_kernel::runs = 0;
  }

  /// Feeds the tensor of this size, runs and checks y. Returns the number of kernel calls.
  int run(floats const& x) {
    plait::tensor<device>& at = given[x.size()];
    if (at.raw() == nullptr) at = plait::tensor<device>::from(x, {static_cast<std::int64_t>(x.size())});
    blobs.feed("x", at);
    blobs.refill("x", x);
    int const before = counted_kernel::runs;
    runs.run();
    floats wanted;
    for (float const each : x) wanted.push_back(9 * each);
    CHECK(blobs.fetch<float>("y") == wanted);
    return counted_kernel::runs - before;
  }
};

TEST_CASE("captured_shapes: a shape that recurs is replayed at once") {
  counted_net net;
  CHECK(net.run({1, 2, 3, 4}) == 2);
  CHECK(net.run({5, 6, 7, 8}) == 2);  // captured
  CHECK(net.runs.is_captured());
  CHECK(net.run({1, 1, 1, 1}) == 0);
  floats const seven(7, 2);
  CHECK(net.run(seven) == 2);
  CHECK_FALSE(net.runs.is_captured());
  CHECK(net.run(seven) == 2);
  for (float const x : {3.0f, 4.0f}) {
    CHECK(net.run({x, 2, 3, -x}) == 0);
    CHECK(net.run(floats(7, x)) == 0);
  }
  CHECK(net.runs.plan_count() == 2);
}

TEST_CASE("captured_shapes: a capture is not replayed if an input has moved or an output is held") {
  counted_net net;
  for (int i = 0; i != 2; ++i) net.run({1, 2, 3, 4});
  SUBCASE("another input") {
    net.run({1});
    plait::tensor<device> const before = std::exchange(net.given[4], {});
    CHECK(net.run({5, 6, 7, 8}) == 2);
    CHECK(net.run({1, 1, 1, 1}) == 2);
    CHECK(net.run({2, 2, 2, 2}) == 0);
  }
  SUBCASE("a held output") {
    plait::tensor<device> const held = net.blobs.view("y");
    net.run({1});
    CHECK(net.run({5, 6, 7, 8}) == 2);
  }
  SUBCASE("an output blob that the caller fed") {
    net.blobs.feed("y", plait::tensor<device>::from(floats{0}, {1}));
    net.run({1});
    CHECK(net.run({5, 6, 7, 8}) == 0);
  }
}

TEST_CASE("captured_shapes: the least recently run plan is evicted") {
  counted_net net("", 2);
  for (floats const& x : {floats(4, 1), floats(4, 1), floats(7, 1), floats(7, 1)}) net.run(x);
  CHECK(net.run(floats(4, 2)) == 0);
  CHECK(net.run(floats(5, 2)) == 2);  // evicts 7
  CHECK(net.run(floats(4, 3)) == 0);
  CHECK(net.run(floats(7, 2)) == 2);
  CHECK(net.runs.plan_count() == 2);
}

TEST_CASE("captured_shapes: a state carried from run to run survives changes of shape") {
  for (char const* const last : {"op { type: 'Add' input: 's' input: 'sum' output: 's' }",
                                 "op { type: 'Add' input: 's' input: 'sum' output: 't' } "
                                 "op { type: 'Copy' input: 't' output: 's' }"}) {
    CAPTURE(last);
    plait::workspace<device> blobs;
    blobs.feed("s", plait::tensor<device>::from(floats{0}, {1}));
    std::map<std::size_t, plait::tensor<device>> given;
    plait::captured_shapes<device> runs(
        plait::read_netdef_text("op { type: 'ReduceSum' input: 'x' output: 'sum' arg { name: 'keepdims' i: 1 } } " +
                                std::string(last) + " external_output: 's'"),
        test::table<device>(), blobs);
    float sum = 0;
    std::size_t captured = 0;
    for (std::size_t const size : {2u, 2u, 2u, 3u, 3u, 2u, 3u, 2u, 2u}) {
      plait::tensor<device>& x = given[size];
      if (x.raw() == nullptr) x = plait::tensor<device>::from(floats(size, 1), {static_cast<std::int64_t>(size)});
      blobs.feed("x", x);
      runs.run();
      sum += static_cast<float>(size);
      CHECK(blobs.fetch<float>("s") == floats{sum});
      captured += runs.is_captured() ? 1 : 0;
    }
    CHECK((captured == 7) == (std::string(last).find("Copy") == std::string::npos));
  }
}

TEST_CASE("captured_shapes: a net with random numbers has one plan") {
  plait::workspace<device> blobs;
  plait::captured_shapes<device> runs(
      plait::read_netdef_text("op { type: 'Dropout' input: 'x' output: 'y' output: 'm' } external_output: 'y'"),
      test::table<device>(), blobs);
  for (std::int64_t const size : {8, 9, 8}) {
    blobs.feed("x", plait::tensor<device>::from(floats(static_cast<std::size_t>(size), 1), {size}));
    runs.run();
    CHECK_FALSE(runs.is_captured());
  }
  CHECK(runs.plan_count() == 1);
}

TEST_CASE("captured_shapes: an LSTM training step with alternating shapes equals plain runs") {
  test::trained_layer const layer(plait::any_cell(plait::lstm_cell{5, 8}), {});
  plait::workspace<device> blobs;
  for (std::size_t p = 0; p != layer.parameters.size(); ++p)
    test::feed_some<float>(blobs, layer.parameters[p].first, layer.parameters[p].second, p + 3);
  std::map<std::int64_t, std::map<std::string, plait::tensor<device>>> given;
  for (std::int64_t const steps : {4, 7}) {
    test::feed_some<float>(blobs, "x", {steps, 3, 5}, static_cast<std::uint64_t>(steps));
    test::feed_some<float>(blobs, "dy", {steps, 3, 8}, static_cast<std::uint64_t>(steps + 1));
    for (char const* name : {"x", "dy"}) given[steps][name] = blobs.view(name);
  }
  auto const feed = [&](plait::workspace<device>& to, std::int64_t steps) {
    for (auto const& [name, value] : given[steps]) to.feed(name, value);
  };
  feed(blobs, 4);
  plait::captured_shapes<device> runs(layer.net, test::table<device>(), blobs, {.fetch = layer.fetch});
  int visit = 0;
  for (std::int64_t const steps : {4, 7, 4, 7, 4}) {
    plait::workspace<device> others;
    for (auto const& [name, dims] : layer.parameters) others.feed(name, blobs.view(name));
    feed(others, steps);
    auto plan = plait::compile(layer.net, test::table<device>(), others, plait::compile_options{layer.fetch});
    feed(blobs, steps);
    for (int i = 0; i != 3; ++i) {  // in the second run of a recurrence its outputs still move
      floats x = blobs.fetch<float>("x");
      for (float& each : x) each = -0.9f * each;
      blobs.refill("x", x);
      plan.run();
      runs.run();
      CHECK(runs.is_captured() == (visit > 1 || i == 2));
      for (std::string const& name : layer.fetch) CHECK(blobs.fetch<float>(name) == others.fetch<float>(name));
    }
    ++visit;
  }
}

}  // namespace
