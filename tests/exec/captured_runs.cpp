// captured_runs on the emulated device: replayed runs equal plain runs.
#include <plait/exec/detail/captured_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/emulated_device.hpp>
#include <support/recurrent_nets.hpp>
#include <support/run_op.hpp>
#include <support/trained_layer.hpp>

namespace {

using device = test::emulated_device;
using plait::captured_runs;
using floats = std::vector<float>;

/// Kernel y = 2 x that can throw, or synchronise with the device.
struct twice_kernel : plait::op_kernel<device> {
  explicit twice_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float>(0), c.dims(0)); }
  void run(plait::op_context<device>& c) override {
    ++runs;
    if (fails) throw std::runtime_error("not now");
    if (waits) device::synchronize();
    float const* const x = c.template input<float>(0);
    float* const y = c.template output<float>(0);
    auto const besides = plait::pooled_memory<device>(c.size(0) * sizeof(float));
    float* const kept = static_cast<float*>(besides.get());
    plait::for_each_index<device>(c.size(0), [=](std::size_t i) { kept[i] = x[i]; });
    plait::for_each_index<device>(c.size(0), [=](std::size_t i) { y[i] = 2 * kept[i]; });
  }

  static inline int runs = 0;
  static inline bool fails = false;
  static inline bool waits = false;
};

struct one_op {
  plait::operators<device> table;
  plait::workspace<device> blobs;
  plait::plan<device> plan;
  captured_runs<device> runs;

  explicit one_op(std::string const& net = "op { type: 'Twice' input: 'x' output: 'y' } external_output: 'y'")
      : table([] {
          plait::operators<device> made = test::table<device>();
          made.add<twice_kernel>(plait::op_schema("Twice").inputs(1).outputs(1));
          return made;
        }()),
        plan([&] {
          feed({1, 2, 3});
          return plait::compile(plait::read_netdef_text(net), table, blobs);
        }()),
        runs(plan) {
    twice_kernel::runs = 0;
    twice_kernel::fails = twice_kernel::waits = false;
  }
  void feed(floats const& x) { blobs.feed("x", plait::tensor<device>::from(x, {static_cast<std::int64_t>(x.size())})); }
  void write(floats const& x) { blobs.refill("x", x); }
  floats y() { return blobs.fetch<float>("y"); }
};

TEST_CASE("captured_runs: the second run is captured, later runs replay it without calling ops") {
  one_op net;
  net.runs.run();
  CHECK_FALSE(net.runs.is_captured());
  CHECK(net.y() == floats{2, 4, 6});
  net.write({4, 5, 6});
  net.runs.run();
  CHECK(net.runs.is_captured());
  CHECK(net.y() == floats{8, 10, 12});
  CHECK(twice_kernel::runs == 2);
  for (float x : {7.0f, -1.0f}) {
    net.write({x, 0, 1});
    net.runs.run();
    CHECK(net.y() == floats{2 * x, 0, 2});
  }
  CHECK(twice_kernel::runs == 2);
}

TEST_CASE("captured_runs: runs with moved or resized tensors are captured again") {
  one_op net;
  auto const captured = [&](floats const& x) {
    net.runs.run();
    floats wanted;
    for (float const each : x) wanted.push_back(2 * each);
    CHECK(net.y() == wanted);
    return net.runs.is_captured();
  };
  for (int i = 0; i != 3; ++i) CHECK(captured({1, 2, 3}) == (i != 0));
  net.feed({5, 6, 7});
  for (int i = 0; i != 3; ++i) CHECK(captured({5, 6, 7}) == (i != 0));
  net.feed({8, 9});
  for (int i = 0; i != 3; ++i) CHECK(captured({8, 9}) == (i != 0));
  net.plan.run();  // may move any value
  for (int i = 0; i != 3; ++i) CHECK(captured({8, 9}) == (i != 0));
  net.blobs.feed("y", plait::tensor<device>::from(floats{0}, {1}));
  for (int i = 0; i != 3; ++i) CHECK(captured({8, 9}) == (i != 0));
}

TEST_CASE("captured_runs: an output that another plan has published is computed again") {
  one_op net;
  net.runs.run();
  net.runs.run();
  plait::tensor<device> const held = net.blobs.view("y");
  CHECK(net.runs.is_captured());
  net.write({-1, -2, -3});
  plait::plan<device> other =
      plait::compile(plait::read_netdef_text("op { type: 'Twice' input: 'x' output: 'y' } external_output: 'y'"),
                     net.table, net.blobs);
  other.run();
  net.write({1, 1, 1});
  net.runs.run();  // y belongs to the other plan
  CHECK(net.y() == floats{2, 2, 2});
}

TEST_CASE("captured_runs: memory of a capture is not given out again") {
  one_op net;
  net.runs.run();
  net.runs.run();
  REQUIRE(net.runs.is_captured());
  // A replay must not write to any block that the pool gives out now.
  std::vector<plait::tensor<device>> others;
  for (int i = 0; i != 20; ++i) others.push_back(plait::tensor<device>::from(floats{9, 9, 9}, {3}));
  net.runs.run();
  for (auto const& other : others) CHECK(other.values<float>() == floats{9, 9, 9});
}

TEST_CASE("captured_runs: values known on the host do not prevent a capture") {
  one_op net(
      "op { type: 'Twice' input: 'x' output: 'z' } op { type: 'Shape' input: 'z' output: 's' } "
      "op { type: 'Concat' input: 'z' input: 'x' output: 'y' output: 'parts' arg { name: 'axis' i: 0 } } "
      "op { type: 'Reshape' input: 'y' output: 'r' output: 'before' arg { name: 'shape' ints: 2 ints: -1 } } "
      "external_output: 's' external_output: 'y' external_output: 'parts' external_output: 'before'");
  for (int i = 0; i != 3; ++i) {
    net.runs.run();
    CHECK(net.runs.is_captured() == (i != 0));
    CHECK(net.y() == floats{2, 4, 6, 1, 2, 3});
    CHECK(net.blobs.fetch<std::int64_t>("s") == std::vector<std::int64_t>{3});
    CHECK(net.blobs.fetch<std::int32_t>("parts") == std::vector<std::int32_t>{3, 3});
    CHECK(net.blobs.fetch<std::int64_t>("before") == std::vector<std::int64_t>{6});
  }
}

TEST_CASE("captured_runs: nets that synchronise or differ by run are not captured") {
  SUBCASE("an op that synchronises is detected once") {
    one_op net;
    twice_kernel::waits = true;
    for (int i = 0; i != 4; ++i) {
      net.write({1, 2, static_cast<float>(i)});
      net.runs.run();
      CHECK_FALSE(net.runs.is_captured());
      CHECK(net.y() == floats{2, 4, 2 * static_cast<float>(i)});
    }
    CHECK(twice_kernel::runs == 5);
  }
  SUBCASE("random numbers") {
    one_op net(
        "op { type: 'Twice' input: 'x' output: 'z' } op { type: 'Dropout' input: 'z' output: 'y' output: 'm' } "
        "external_output: 'y'");
    CHECK(net.plan.differs_by_run());
    one_op const still(
        "op { type: 'Dropout' input: 'x' output: 'y' arg { name: 'is_test' i: 1 } } external_output: 'y'");
    CHECK_FALSE(still.plan.differs_by_run());
    std::vector<floats> made;
    for (int i = 0; i != 8; ++i) {
      net.runs.run();
      CHECK_FALSE(net.runs.is_captured());
      made.push_back(net.y());
    }
    CHECK(std::ranges::any_of(made, [&](floats const& y) { return y != made[0]; }));
  }
  SUBCASE("a counter inside the op; one in a blob is an operand") {
    one_op net(
        "op { type: 'Iter' output: 'n' } op { type: 'Cast' input: 'n' output: 'y' arg { name: 'to' i: 1 } }"
        "external_output: 'y'");
    for (int i = 1; i != 7; ++i) {
      net.runs.run();
      CHECK_FALSE(net.runs.is_captured());
      CHECK(net.y() == floats{static_cast<float>(i)});
    }
    plait::workspace<device> blobs;
    blobs.feed<std::int64_t>("n", {0}, {1});
    auto plan = plait::compile(plait::read_netdef_text("op { type: 'Iter' input: 'n' output: 'n' }"),
                               test::table<device>(), blobs);
    captured_runs<device> runs(plan);
    for (std::int64_t i = 1; i != 7; ++i) {
      runs.run();
      CHECK(blobs.fetch<std::int64_t>("n") == std::vector<std::int64_t>{i});
    }
    CHECK(runs.is_captured());
  }
  SUBCASE("random numbers in a nested net") {
    test::recurrence r = test::simple_cell();
    r.step += test::op_text("Dropout", {"h"}, {"h", "mask"});
    plait::workspace<device> blobs;
    auto const plan = plait::compile(plait::read_netdef_text(r.op()), test::table<device>(), blobs);
    CHECK(plan.differs_by_run());
    auto const plain = plait::compile(plait::read_netdef_text(test::simple_cell().op()), test::table<device>(), blobs);
    CHECK_FALSE(plain.differs_by_run());
  }
}

TEST_CASE("captured_runs: an exception of an op propagates, and later runs succeed") {
  one_op net;
  net.runs.run();
  twice_kernel::fails = true;
  CHECK_THROWS_WITH_AS(net.runs.run(), doctest::Contains("op 0 (Twice): not now"), plait::exec_error);
  CHECK_FALSE(net.runs.is_captured());
  twice_kernel::fails = false;
  for (float x : {3.0f, 4.0f, 5.0f}) {
    net.write({x, x, x});
    net.runs.run();
    CHECK(net.y() == floats{2 * x, 2 * x, 2 * x});
  }
  CHECK(net.runs.is_captured());

  std::stop_source stop;
  net.runs.run({.stop = stop.get_token()});
  CHECK_FALSE(net.runs.is_captured());
  CHECK(net.y() == floats{10, 10, 10});
}

// Steps are launched without synchronising; otherwise they could not be captured.
TEST_CASE("captured_runs: an LSTM and its training step are captured again after a change of shape") {
  test::trained_layer const layer(plait::any_cell(plait::lstm_cell{5, 8}), {});
  plait::workspace<device> blobs;
  for (std::size_t p = 0; p != layer.parameters.size(); ++p)
    test::feed_some<float>(blobs, layer.parameters[p].first, layer.parameters[p].second, p + 3);
  auto const feed = [&](std::int64_t steps, std::uint64_t seed) {
    test::feed_some<float>(blobs, "x", {steps, 3, 5}, seed);
    test::feed_some<float>(blobs, "dy", {steps, 3, 8}, seed + 1);
  };
  auto const results = [&] {
    std::vector<floats> made;
    for (std::string const& name : layer.fetch) made.push_back(blobs.fetch<float>(name));
    return made;
  };
  feed(4, 1);
  auto plan = plait::compile(layer.net, test::table<device>(), blobs, plait::compile_options{layer.fetch});
  captured_runs<device> runs(plan);
  for (std::int64_t const steps : {4, 7, 4}) {
    feed(steps, static_cast<std::uint64_t>(steps));
    plan.run();
    auto const wanted = results();
    for (int i = 0; i != 4; ++i) {
      runs.run();
      CHECK(results() == wanted);
    }
    CHECK(runs.is_captured());
    // Replaces the elements in place.
    floats x = blobs.fetch<float>("x");
    for (float& each : x) each = -each;
    blobs.refill("x", x);
    runs.run();
    CHECK(runs.is_captured());
    auto const got = results();
    CHECK(got != wanted);
    plan.run();
    CHECK(got == results());
  }
}

// Links are views: a step writes its state where the next step reads it.
TEST_CASE("RecurrentNetwork: the number of copies does not depend on the number of steps, forward or backward") {
  for (bool const forward_only : {true, false}) {
    CAPTURE(forward_only);
    test::trained_layer const layer(plait::any_cell(plait::lstm_cell{5, 8}), {.forward_only = forward_only});
    plait::workspace<device> blobs;
    for (std::size_t p = 0; p != layer.parameters.size(); ++p)
      test::feed_some<float>(blobs, layer.parameters[p].first, layer.parameters[p].second, p + 3);
    auto plan = plait::compile(layer.net, test::table<device>(), blobs, plait::compile_options{layer.fetch});
    auto const copies = [&](std::int64_t steps) {
      test::feed_some<float>(blobs, "x", {steps, 3, 5}, 1);
      if (!forward_only) test::feed_some<float>(blobs, "dy", {steps, 3, 8}, 2);
      for (int run = 0; run != 2; ++run) plan.run();  // step numbers are copied once
      std::size_t const before = device::copies;
      plan.run();
      return device::copies - before;
    };
    // Broadcasts of both initial states: a copy to the first row, and copies of it to rows two and three.
    CHECK(copies(3) == 6);
    CHECK(copies(40) == 6);
  }
}

}  // namespace
