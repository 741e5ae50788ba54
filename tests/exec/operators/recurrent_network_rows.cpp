// Row-parallel time steps, and steps of a single row: the same bits as on one thread.
#include <plait/exec/detail/operators/recurrent_network.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/basic_rnn.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/layer_norm_lstm.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>

namespace {

constexpr std::int64_t steps = 70, inputs = 5;  // more steps than are deferred at a time

struct layer : test::trained_layer {
  layer(plait::any_cell const& cell, plait::recurrent_layer_options const& o) : trained_layer(cell, o) {
    for (plait::op_def& op : net.op)  // sequential steps
      if (net.text(op.type).starts_with("RecurrentNetwork"))
        plait::net_traits<plait::netdef>::set_argument(net, op, {"enable_rnn_executor", std::int64_t{0}});
  }

  template <class B>
  std::vector<std::vector<float>> run(std::int64_t batch, std::int64_t hidden) const {
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {steps, batch, inputs}, 1);
    test::feed_some<float>(blobs, "dy", {steps, batch, hidden}, 2);
    for (std::size_t p = 0; p != parameters.size(); ++p)
      test::feed_some<float>(blobs, parameters[p].first, parameters[p].second, p + 3);
    std::vector<std::int32_t> lengths;
    for (std::int32_t row = 0; row != batch; ++row) lengths.push_back((row * 73 + 41) % 71);
    blobs.template feed<std::int32_t>("lengths", lengths, {batch});
    auto plan = plait::compile(net, test::table<B>(), blobs, plait::compile_options{fetch});
    std::vector<std::vector<float>> made;
    for (int run = 0; run != 2; ++run) {
      plan.run();
      for (std::string const& name : fetch) made.push_back(blobs.template fetch<float>(name));
    }
    return made;
  }
};

TEST_CASE("RecurrentNetwork: row-parallel steps and steps of one row give the bits of one thread") {
  using namespace plait;
  struct {
    std::int64_t batch, hidden;
  } size;
  SUBCASE("row-parallel") { size = {33, 64}; }
  SUBCASE("one row") { size = {1, 192}; }
  auto const [batch, hidden] = size;
  test::some_threads threads;
  for (any_cell const& cell :
       {any_cell(lstm_cell{inputs, hidden}), any_cell(gru_cell{inputs, hidden}),
        any_cell(basic_rnn_cell{inputs, hidden}), any_cell(layer_norm_lstm_cell{inputs, hidden})})
    for (recurrent_layer_options const& how : {recurrent_layer_options{},
                                               {.lengths = "lengths"},
                                               {.recompute = true},
                                               {.forward_only = true},
                                               {.lengths = "lengths", .forward_only = true}}) {
      layer const made(cell, how);
      CHECK(threads.execute([&, batch = batch, hidden = hidden] { return made.run<plait::tbb>(batch, hidden); }) ==
            made.run<plait::serial>(batch, hidden));
    }
}

TEST_CASE("RecurrentNetwork: weights that exceed a thread's cache give the bits of one thread, for few and many rows") {
  constexpr std::int64_t hidden = 264;  // 1.1 MB
  test::some_threads threads;
  layer const made(plait::lstm_cell{inputs, hidden}, {});
  for (std::int64_t const batch : {12, 33})
    CHECK(threads.execute([&] { return made.run<plait::tbb>(batch, hidden); }) ==
          made.run<plait::serial>(batch, hidden));
}

/// y = x + step / 64. Throws at the step `refused`; counts how many steps begin before the rows of one run.
template <class B>
struct watch_kernel : plait::op_kernel<B> {
  explicit watch_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float>(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override { run_rows(c); }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    to.push_back(
        {.kind = plait::pattern_kind::rows, .work = 8 * c.size(0), .whole_inputs = 0b10, .whole_outputs = 0b10});
  }
  void run_part(plait::op_context<B>& c, plait::op_part const& part) override {
    if (part.kind == plait::op_part::kinds::outputs)
      ++begun;
    else
      run_rows(c);
  }
  void run_rows(plait::op_context<B>& c) {
    std::int32_t const step = *c.template input<std::int32_t>(1);
    if (step == refused) throw std::runtime_error("no such step");
    int const ahead = begun - (last == 0 ? step : last - step);
    for (int most = most_ahead; most < ahead && !most_ahead.compare_exchange_weak(most, ahead);) {
    }
    for (std::size_t i = 0; i != c.size(0); ++i)
      c.template output<float>(0)[i] = c.template input<float>(0)[i] + static_cast<float>(step) / 64;
  }

  static inline int refused = -1;
  static inline int last = 0;  // backward: the step that runs first
  static inline std::atomic<int> begun = 0;
  static inline std::atomic<int> most_ahead = 0;  // steps begun before the rows of one ran
};

TEST_CASE("RecurrentNetwork: row-parallel steps give the bits of one thread, and errors name the step") {
  constexpr int length = 150, rows = 40, width = 64;
  test::some_threads threads;
  test::recurrence r = test::simple_cell();
  r.step = test::op_text("FC", {"h_prev", "w", "b"}, {"s"}, "arg { name: \"axis\" i: 2 }") +
           test::op_text("Sum", {"s", "x_t"}, {"s"}) + test::op_text("Watch", {"s", "timestep"}, {"u"}) +
           test::op_text("Tanh", {"u"}, {"h"});
  r.more = "arg { name: \"enable_rnn_executor\" i: 0 } ";
  plait::netdef const net = plait::read_netdef_text(r.op());
  auto const run = [&]<class B>(B, plait::run_options const& options) {
    plait::operators<B> operators = test::table<B>();
    operators.template add<watch_kernel>(plait::op_schema("Watch").inputs(2).outputs(1));
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {length, rows, width}, 1);
    test::feed_some<float>(blobs, "h0", {1, rows, width}, 2);
    test::feed_some<float>(blobs, "w", {width, width}, 3);
    test::feed_some<float>(blobs, "b", {width}, 4);
    auto plan = plait::compile(net, operators, blobs, {.fetch = {"all"}});
    watch_kernel<B>::begun = 0;
    watch_kernel<B>::most_ahead = 0;
    plan.run(options);
    return blobs.template fetch<float>("all");
  };
  using watch = watch_kernel<plait::tbb>;
  std::vector<float> const wanted = run(plait::serial(), {});
  CHECK(threads.execute([&] { return run(plait::tbb(), {}); }) == wanted);

  std::stop_source stop;  // a request to stop is noticed between blocks of 64 steps
  CHECK(threads.execute([&] { return run(plait::tbb(), {.stop = stop.get_token()}); }) == wanted);
  CHECK(watch::most_ahead.load() <= 64);

  watch::refused = 77;
  CHECK_THROWS_WITH_AS(threads.execute([&] { return run(plait::tbb(), {}); }),
                       doctest::Contains("step_net at step 77: op 2 (Watch)"), plait::exec_error);
  watch::refused = -1;
}

TEST_CASE("RecurrentNetworkGradient: row-parallel steps that add output gradients give the bits of one thread") {
  constexpr int length = 150, rows = 40, width = 64;
  std::string const axis = "arg { name: \"axis\" i: 2 }";
  test::some_threads threads;
  test::recurrence r = test::simple_cell();
  r.trains = true;
  r.backward_step = test::op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"}) +
                    test::op_text("FCGradient", {"h_prev", "w", "s_grad"}, {"w_grad", "b_grad", "p_grad"}, axis) +
                    test::op_text("Watch", {"p_grad", "timestep"}, {"h_prev_grad"});
  r.more = "arg { name: \"enable_rnn_executor\" i: 0 } ";
  plait::netdef const net = plait::read_netdef_text(r.op() + r.gradient_op());
  auto const run = [&]<class B>(B, plait::run_options const& options) {
    plait::operators<B> operators = test::table<B>();
    operators.template add<watch_kernel>(plait::op_schema("Watch").inputs(2).outputs(1));
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {length, rows, width}, 1);
    test::feed_some<float>(blobs, "h0", {1, rows, width}, 2);
    test::feed_some<float>(blobs, "w", {width, width}, 3);
    test::feed_some<float>(blobs, "b", {width}, 4);
    test::feed_some<float>(blobs, "all_grad", {length, rows, width}, 5);
    test::feed_some<float>(blobs, "last_grad", {1, rows, width}, 6);
    auto plan = plait::compile(net, operators, blobs);
    watch_kernel<B>::begun = 0;
    watch_kernel<B>::most_ahead = 0;
    watch_kernel<B>::last = length - 1;
    plan.run(options);
    watch_kernel<B>::last = 0;
    std::vector<std::vector<float>> made;
    for (char const* name : {"x_grad", "w_grad", "b_grad", "h0_grad"})
      made.push_back(blobs.template fetch<float>(name));
    return made;
  };
  using watch = watch_kernel<plait::tbb>;
  auto const wanted = run(plait::serial(), {});
  CHECK(threads.execute([&] { return run(plait::tbb(), {}); }) == wanted);

  std::stop_source stop;
  CHECK(threads.execute([&] { return run(plait::tbb(), {.stop = stop.get_token()}); }) == wanted);
  CHECK(watch::most_ahead.load() <= 64);

  watch::refused = 77;
  CHECK_THROWS_WITH_AS(threads.execute([&] { return run(plait::tbb(), {}); }),
                       doctest::Contains("backward_step_net at step 77: op 2 (Watch)"), plait::exec_error);
  watch::refused = -1;
  watch::last = 0;
}

}  // namespace
