// Stacked LSTMs in one step net, with and without the executor that overlaps time steps.
//
//   plait_steps [--case T,N,LAYERS,H]... [--threads N]
//
// Prints one line per case and mode: milliseconds (median, then the fastest) of a run. "serial": one thread, in order;
// "in order": in order on the threads of oneTBB, which parallelise large ops; "overlapping": with rnn_executor. Results
// are bit-identical.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layers.hpp>

#include "lstm.hpp"
#include "lstm_net.hpp"

namespace {

struct stack_case {
  std::int64_t t, n, layers, h;
};

struct stack {
  plait::netdef net;
  std::map<std::string, plait::shape> parameters = {};
  std::string output;

  stack(stack_case const& c, bool trains, std::int64_t threads) {
    plait::trained_model model("net");
    plait::multi_cell const cells{
        std::vector<plait::any_cell>(static_cast<std::size_t>(c.layers), plait::lstm_cell{c.h, c.h}), {}};
    plait::recurrent_layer_options o{
        .sequence = model.net.external_input("x"), .learn_initial = true, .forward_only = !trains};
    auto const layer = plait::add_recurrent_layer(model, "r", cells, o);
    output = layer.output.name();
    net = model.net.net();
    for (std::string const& p : model.parameters()) parameters.emplace(p, model.parameter_shape(p));
    if (trains) {
      std::vector<plait::gradient_seed> const seeds{{output, "dy"}};
      plait::add_gradient_ops(net, seeds, plait::gradient_rules::standard(), {.only = model.parameters()});
    }
    using traits = plait::net_traits<plait::netdef>;
    for (plait::op_def& op : net.op) {
      if (!net.text(op.type).starts_with("RecurrentNetwork")) continue;
      traits::set_argument(net, op, {"enable_rnn_executor", std::int64_t{threads != 1}});
      traits::set_argument(net, op, {"rnn_executor.num_threads", threads});
    }
  }
};

template <plait::backend B>
void time_stack(char const* name, stack_case const& c, bool trains, std::int64_t threads, unsigned allowed) {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, allowed);
  stack const s(c, trains, threads);
  plait::workspace<B> blobs;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-0.05f, 0.05f);
  auto const feed = [&](std::string const& blob, plait::shape const& dims) {
    std::vector<float> values(static_cast<std::size_t>(dims.size()));
    for (float& value : values) value = number(random);
    blobs.template feed<float>(blob, values, dims);
  };
  feed("x", {c.t, c.n, c.h});
  if (trains) feed("dy", {c.t, c.n, c.h});
  for (auto const& [parameter, dims] : s.parameters) feed(parameter, dims);
  plait::operators<B> table = bench::lstm_operators<B>();
  plait::add_fill_operators(table);
  auto plan = plait::compile(s.net, table, blobs, {.fetch = {s.output}});
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  double sum = 0;
  for (int i = 0; i != 2; ++i) plan.run();
  while (sum < 500 || times.size() < 5) {
    clock::time_point const start = clock::now();
    plan.run();
    times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
    sum += times.back();
  }
  double const fastest = *std::ranges::min_element(times);
  std::printf("%-12s %u\t%8.3f\t%8.3f\t%ld,%ld,%ld,%ld %s\n", name, allowed, bench::median(times), fastest, c.t, c.n,
              c.layers, c.h, trains ? "train" : "infer");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<stack_case> cases;
  auto threads = static_cast<unsigned>(tbb::info::default_concurrency());
  for (int i = 1; i + 1 < argc; i += 2) {
    stack_case c{};
    if (std::string_view(argv[i]) == "--threads")
      threads = static_cast<unsigned>(std::max(1, std::atoi(argv[i + 1])));
    else if (std::sscanf(argv[i + 1], "%ld,%ld,%ld,%ld", &c.t, &c.n, &c.layers, &c.h) == 4)
      cases.push_back(c);
    else
      return std::fprintf(stderr, "no case T,N,LAYERS,H: %s\n", argv[i + 1]), 2;
  }
  if (cases.empty()) cases = {{100, 1, 4, 64}, {100, 1, 4, 256}, {100, 8, 4, 256}, {50, 64, 4, 256}};
  for (stack_case const& c : cases)
    for (bool const trains : {false, true}) {
      time_stack<plait::serial>("serial", c, trains, 1, 1);
      time_stack<plait::tbb>("in order", c, trains, 1, threads);
      time_stack<plait::tbb>("overlapping", c, trains, threads, threads);
    }
}
