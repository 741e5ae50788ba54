#include <plait/exec/detail/operators/recurrent_network_executor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/gradient/backward_pass.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/cells/basic_rnn.hpp>
#include <plait/rnn/detail/cells/dropout.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/layer_norm_lstm.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/multi.hpp>
#include <plait/rnn/recurrent_net.hpp>

#include <support/counted_new.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>

namespace {

using B = plait::tbb;
using test::op_text;
using test::recurrence;

/// Sets the number of threads for the steps; 0: steps run one by one, without the executor.
void set_executor(plait::netdef& n, int threads, int in_flight = 4) {
  using traits = plait::net_traits<plait::netdef>;
  for (plait::op_def& op : n.op) {
    if (!n.text(op.type).starts_with("RecurrentNetwork")) continue;
    traits::set_argument(n, op, {"enable_rnn_executor", std::int64_t{threads != 0}});
    traits::set_argument(n, op, {"rnn_executor.num_threads", std::int64_t{threads}});
    traits::set_argument(n, op, {"rnn_executor.max_parallel_timesteps", std::int64_t{in_flight}});
  }
}

using bits = std::vector<std::vector<float>>;

/// Returns the fetched blobs of six runs on x, T x 3 x 4, with four different lengths T.
bits results(plait::netdef const& n, std::vector<std::string> const& fetch,
             std::vector<std::pair<std::string, plait::shape>> const& parameters, std::vector<std::string> const& seeds,
             plait::operators<B> const& table = test::table<B>()) {
  bits made;
  plait::workspace<B> blobs;
  for (std::size_t p = 0; p != parameters.size(); ++p)
    test::feed_some<float>(blobs, parameters[p].first, parameters[p].second, p + 1);
  blobs.feed<std::int32_t>("lengths", {5, 2, 9}, {3});
  std::unique_ptr<plait::plan<B>> plan;
  for (std::int64_t const steps : {1, 2, 9, 30, 9, 30}) {
    test::feed_some<float>(blobs, "x", {steps, 3, 4}, 100);
    for (std::size_t s = 0; s != seeds.size(); ++s) test::feed_some<float>(blobs, seeds[s], {steps, 3, 4}, 200 + s);
    if (plan == nullptr) plan = std::make_unique<plait::plan<B>>(n, table, blobs, plait::compile_options{fetch});
    plan->run();
    for (std::string const& name : fetch) made.push_back(blobs.fetch<float>(name));
  }
  return made;
}

struct layer_net : test::trained_layer {
  using trained_layer::trained_layer;
  bits run(int threads, int in_flight = 4) {
    set_executor(net, threads, in_flight);
    return results(net, fetch, parameters, seeds);
  }
};

TEST_CASE("recurrent_executor: cells and stacks of cells give the same bits, forward and backward") {
  using namespace plait;
  test::some_threads threads;
  multi_cell const stack{{lstm_cell{4, 5}, gru_cell{5, 4}, basic_rnn_cell{4, 4}, lstm_cell{4, 4}}, {2}};
  auto const dropped = [](bool is_test) {
    return multi_cell{{dropout_cell{lstm_cell{4, 4}, 0.5f, is_test}, layer_norm_lstm_cell{4, 4}}, {}};
  };
  for (any_cell const& cell :
       {any_cell(stack), any_cell(dropped(true)), any_cell(dropped(false)), any_cell(lstm_cell{4, 4})})
    for (recurrent_layer_options const& how :
         {recurrent_layer_options{}, {.lengths = "lengths"}, {.forward_only = true}, {.recompute = true}}) {
      layer_net net(cell, how);
      bits const expected = net.run(0);
      CHECK(threads.execute([&] { return net.run(4); }) == expected);
      CHECK(threads.execute([&] { return net.run(3, 2); }) == expected);
      CHECK(threads.execute([&] { return net.run(2, 7); }) == expected);
    }
}

TEST_CASE("recurrent_executor: by default, steps overlap in stacks of three layers on three threads or more") {
  using namespace plait;
  test::some_threads four;
  ::tbb::task_arena two(2);
  lstm_cell const lstm{64, 64};
  auto const overlaps = [](any_cell const& cell, auto& threads, cost_model const& costs = {}) {
    test::trained_layer const layer(cell, {.forward_only = true});
    workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {6, 16, 64}, 1);
    for (auto const& [name, dims] : layer.parameters) test::feed_some<float>(blobs, name, dims, 2);
    plan<B> made(layer.net, test::table<B>(), blobs, compile_options{.fetch = layer.fetch, .costs = costs});
    threads.execute([&] { made.run(); });
    auto const nets = made.schedule().nets;
    REQUIRE(nets.size() == 1);
    return nets[0].how == "steps overlap op by op after the first";
  };
  multi_cell const stack{{lstm, lstm, lstm}, {}};
  CHECK(overlaps(stack, four));
  CHECK_FALSE(overlaps(stack, two));
  CHECK_FALSE(overlaps(lstm, four));
  CHECK_FALSE(overlaps(gru_cell{64, 64}, four));
  CHECK(overlaps(lstm, two, cost_model::everything_pays()));
}

TEST_CASE("recurrent_executor: repeated runs allocate no memory") {
  test::some_threads threads;
  layer_net net(plait::lstm_cell{4, 5}, {});
  set_executor(net.net, 3);
  plait::workspace<B> blobs;
  for (std::size_t p = 0; p != net.parameters.size(); ++p)
    test::feed_some<float>(blobs, net.parameters[p].first, net.parameters[p].second, p + 1);
  test::feed_some<float>(blobs, "x", {30, 3, 4}, 100);
  test::feed_some<float>(blobs, "dy", {30, 3, 5}, 200);
  auto plan = plait::compile(net.net, test::table<B>(), blobs, {.fetch = net.fetch});
  CHECK(threads.execute([&] {
    for (int run = 0; run != 5; ++run) plan.run();
    return test::count_news([&] {
      for (int run = 0; run != 20; ++run) plan.run();
    });
  }) == 0);
}

// One value of a backward step goes to a state, the input and a parameter; output gradients are added to the state's.
TEST_CASE("recurrent_executor: a gradient that several places share equals that of sequential steps") {
  using namespace plait;
  test::some_threads threads;
  net_builder cell("cell");
  auto const [x, h, v] = cell.external_inputs("x_t", "h_prev", "v");
  cell.mul(cell.tanh(cell.sum({h, v}, "s"), "u"), x, "h");
  cell.external_outputs("h");
  netdef n;
  recurrent_net(n, {.cell = cell, .inputs = {{"x_t", "x"}}, .states = {{.in = "h_prev", .out = "h", .initial = "h0"}}});
  auto const grads = add_gradient_ops(n, {{"h_all", "dy"}}, gradient_rules::standard());
  auto const v_grad = [&](int count) {
    set_executor(n, count);
    workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {6, 3, 4}, 1);
    test::feed_some<float>(blobs, "h0", {3, 4}, 2);
    test::feed_some<float>(blobs, "v", {1, 3, 4}, 3);
    test::feed_some<float>(blobs, "dy", {6, 3, 4}, 4);
    plan<B> made(n, test::table<B>(), blobs);
    made.run();
    return blobs.fetch<float>(grads.at("v").values);
  };
  CHECK(threads.execute([&] { return v_grad(4); }) == v_grad(0));
}

TEST_CASE("recurrent_executor: a max_parallel_timesteps that exceeds memory limits nothing") {
  test::some_threads threads;
  layer_net net(plait::lstm_cell{4, 4}, {});
  bits const expected = net.run(0);
  CHECK(threads.execute([&] { return net.run(4, 2'000'000'000); }) == expected);
}

// Calls of counting_copy until one fails, detection of concurrent calls, and, if set, the source that is stopped.
std::atomic<int> runs_left = 0;
std::atomic<bool> overlapped = false;
std::stop_source* stopped = nullptr;

/// Kernel of y = x that counts runs_left down, and fails or stops at 0.
template <class Backend>
struct counting_copy : plait::op_kernel<Backend> {
  explicit counting_copy(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<Backend>& c) override {
    if (running_.exchange(true)) overlapped = true;
    if (--runs_left == 0) {
      running_ = false;
      if (stopped == nullptr) c.fail("it is over");
      stopped->request_stop();
    }
    Backend::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
    running_ = false;
  }

 private:
  std::atomic<bool> running_ = false;
};

/// Returns two recurrences in one step net, and a side branch.
recurrence two_states() {
  return {{"x", "h0", "g0"},
          {"hs", "gs"},
          {1, 2},
          {"hs", "gs"},
          {"h_all", "g_all"},
          {1, 1},
          {{"h_prev", "h", "g_prev", "g", "x_t"}, {"hs", "hs", "gs", "gs", "x"}, {0, 1, 0, 1, 0}},
          op_text("Sum", {"h_prev", "x_t"}, {"s"}) + op_text("Tanh", {"s"}, {"h"}) +
              op_text("CountingCopy", {"h"}, {"side"}) + op_text("Sum", {"g_prev", "side"}, {"r"}) +
              op_text("Sigmoid", {"r"}, {"g"})};
}

struct two_states_net {
  plait::operators<B> table = test::table<B>();
  plait::workspace<B> blobs;
  std::unique_ptr<plait::plan<B>> plan;

  explicit two_states_net(int threads) {
    table.add<counting_copy>(plait::op_schema("CountingCopy").inputs(1).outputs(1).checks_first());
    test::feed_some<float>(blobs, "x", {50, 3, 4}, 1);
    test::feed_some<float>(blobs, "h0", {1, 3, 4}, 2);
    test::feed_some<float>(blobs, "g0", {1, 3, 4}, 3);
    plait::netdef n = plait::read_netdef_text(two_states().op());
    set_executor(n, threads);
    plan = std::make_unique<plait::plan<B>>(n, table, blobs);
  }
};

TEST_CASE("recurrent_executor: errors name step and op, and runs after errors or cancellation succeed") {
  test::some_threads threads;
  two_states_net alone(0);
  runs_left = 1'000'000;
  alone.plan->run();
  auto const expected = alone.blobs.fetch<float>("g_all");
  two_states_net net(4);
  overlapped = false;
  for (int const at : {1, 2, 20, 50}) {
    runs_left = at;
    try {
      threads.execute([&] { net.plan->run(); });
      FAIL("it fails");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 0);
      CHECK(std::string(e.what()).find("step_net at step " + std::to_string(at - 1) + ": op 2 (CountingCopy): it is") !=
            std::string::npos);
    }
    std::stop_source source;
    stopped = &source;
    runs_left = at;
    CHECK_THROWS_AS(threads.execute([&] { net.plan->run({.stop = source.get_token()}); }), plait::run_cancelled);
    stopped = nullptr;
    runs_left = 1'000'000;
    threads.execute([&] { net.plan->run(); });
    CHECK(net.blobs.fetch<float>("g_all") == expected);
  }
  CHECK_FALSE(overlapped);  // an op never runs for two steps at once
}

/// Kernel whose y has 1 + x / 10 elements at step x.
template <class Backend>
struct tens_kernel : plait::op_kernel<Backend> {
  explicit tens_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context&) override {}
  void run(plait::op_context<Backend>& c) override {
    std::int64_t const count = 1 + *c.template input<std::int32_t>(0) / 10;
    c.result(0).value = plait::tensor<Backend>::from(std::vector<float>(static_cast<std::size_t>(count), 1), {count});
    c.result(0).is_set = true;
  }
};
/// Kernel of y = x / (number of elements of k).
template <class Backend>
struct share_kernel : plait::op_kernel<Backend> {
  explicit share_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<Backend>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i)
      c.template output<float>(0)[i] = c.template input<float>(0)[i] / static_cast<float>(c.size(1));
  }
};

TEST_CASE("recurrent_executor: steps run in order from the first one whose shapes differ from step 0") {
  test::some_threads threads;
  recurrence r{{"x", "h0"},
               {"hs"},
               {1},
               {"hs"},
               {"all"},
               {1},
               {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               op_text("Tens", {"timestep"}, {"k"}) + op_text("Sum", {"h_prev", "x_t"}, {"h"})};
  r.trains = true;
  r.backward = {{"h_grad", "h_prev_grad", "s_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.backward_step = op_text("Share", {"h_grad", "k"}, {"s_grad"}) + op_text("Copy", {"s_grad"}, {"h_prev_grad"});
  r.outputs_with_grads = {0};
  auto table = test::table<B>();
  table.add<tens_kernel>(plait::op_schema("Tens").inputs(1).outputs(1).results_after_run());
  table.add<share_kernel>(plait::op_schema("Share").inputs(2).outputs(1).checks_first());
  bits made;
  for (int const count : {0, 4}) {
    plait::netdef n = plait::read_netdef_text(r.op() + r.gradient_op());
    set_executor(n, count);
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {37, 3, 4}, 1);
    test::feed_some<float>(blobs, "h0", {1, 3, 4}, 2);
    test::feed_some<float>(blobs, "all_grad", {37, 3, 4}, 3);
    auto plan = plait::compile(n, table, blobs);
    for (int run = 0; run != 2; ++run) {
      threads.execute([&] { plan.run(); });
      made.push_back(blobs.fetch<float>("x_grad"));
      made.push_back(blobs.fetch<float>("h0_grad"));
    }
  }
  CHECK(made[0].size() == 37 * 3 * 4);
  for (std::size_t i = 2; i != made.size(); ++i) CHECK(made[i] == made[i % 2]);
}

TEST_CASE("recurrent_executor: negative numbers of threads and no steps in flight are refused") {
  plait::netdef n = plait::read_netdef_text(test::simple_cell().op());
  plait::workspace<B> blobs;
  set_executor(n, -1);
  CHECK_THROWS_AS(static_cast<void>(plait::compile(n, test::table<B>(), blobs)), plait::exec_error);
  set_executor(n, 2, 0);
  CHECK_THROWS_AS(static_cast<void>(plait::compile(n, test::table<B>(), blobs)), plait::exec_error);
}

}  // namespace
