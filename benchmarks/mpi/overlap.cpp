// Data-parallel training of an MLP of eight layers: step time, what communication takes, and how much of it is hidden.
//
//   mpirun -np 2 --bind-to none plait_bench_mpi [MICROSECONDS]
//
// With a delay, each exchange takes at least so long, as on a slower network (mpi_options::delay). Rank 0 prints
// medians as JSON: of a step that exchanges nothing, of the exchanges alone, of a step with both, and of single sums
// by size. scaling.py makes a model of more ranks of it.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/mpi.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/standard_operators.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/data_parallel.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using clock_type = std::chrono::steady_clock;
using B = plait::serial;

constexpr std::int64_t layers = 8;
constexpr std::int64_t width = 256;
constexpr std::int64_t batch = 1024;
constexpr std::size_t parameter_bytes = (width * width + width) * sizeof(float);

struct training {
  plait::netdef init;
  plait::netdef step;
  plait::netdef exchange;  // creates the communicator
  std::vector<std::vector<std::string>> buckets;
};

training make_training(bool distributed) {
  plait::net_builder init("mlp_init");
  plait::net_builder net("mlp");
  auto const [x, label] = net.external_inputs("x", "label");
  std::vector<std::string> parameters;
  plait::blob_handle layer = x;
  for (std::int64_t i = 0; i != layers; ++i) {
    std::string const name = "fc" + std::to_string(i);
    auto const [w, b] = net.external_inputs(name + "_w", name + "_b");
    init.op("XavierFill", {}, w.name(), {{"shape", {width, width}}, {"seed", i}});
    init.constant_fill({width}, 0.0f, b.name());
    parameters.insert(parameters.end(), {w, b});
    layer = net.fc(layer, w, b, name);
    if (i + 1 != layers) net.relu(layer, layer);
  }
  auto const [probability, loss] = net.softmax_with_loss(layer, label, {"probability", "loss"});
  net.external_outputs(loss);
  training made{init.take(), net.take(), {}, {}};
  auto const gradients =
      plait::add_gradient_ops(made.step, {loss}, plait::gradient_rules::standard(), {.only = parameters});
  if (distributed) {
    // A weight and its bias are a bucket.
    auto const bytes = [](std::string_view name) {
      return static_cast<std::size_t>(name.ends_with("_w") ? width * width : width) * sizeof(float);
    };
    auto const update =
        plait::add_data_parallel(made.step, gradients, parameters, bytes, {.bucket_bytes = parameter_bytes});
    plait::add_init_ops(made.exchange, update);
    made.buckets = update.buckets;
  }
  plait::add_init_ops(made.init, plait::add_sgd(made.step, gradients, parameters, {.rate = 0.01f}));
  return made;
}

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

template <class F>
double milliseconds(F const& run) {
  auto const begin = clock_type::now();
  run();
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

template <class F>
double median_of(std::size_t times, F const& run) {
  std::vector<double> all;
  for (std::size_t i = 0; i != times; ++i) all.push_back(milliseconds(run));
  return median(all);
}

void feed(plait::workspace<B>& blobs) {
  std::vector<float> x(static_cast<std::size_t>(batch * width));
  std::vector<std::int32_t> label(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i != x.size(); ++i) x[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  for (std::size_t i = 0; i != label.size(); ++i) label[i] = static_cast<std::int32_t>(i * 7 % width);
  blobs.feed("x", x, {batch, width});
  blobs.feed("label", label, {batch});
}

}  // namespace

int main(int argc, char** argv) {
  std::chrono::microseconds const delay(argc > 1 ? std::atoll(argv[1]) : 0);
  constexpr std::size_t times = 40;

  plait::operators<B> operators = plait::standard_operators<B>();
  plait::add_mpi_operators(operators, {.delay = delay});
  int const rank = plait::mpi::rank();

  // All ranks compute at the same time in both cases.
  training const alone = make_training(false);
  training const together = make_training(true);
  plait::workspace<B> own, shared;
  plait::compile(alone.init, operators, own).run();
  plait::compile(together.init, operators, shared).run();
  plait::compile(together.exchange, operators, shared).run();
  feed(own);
  feed(shared);
  auto compute = plait::compile(alone.step, operators, own);
  auto step = plait::compile(together.step, operators, shared);

  // The sums of the gradients, one after another, without anything to compute.
  plait::workspace<B> gradients;
  gradients.bind("mpi_common_world", shared.get("mpi_common_world"));
  plait::netdef sums;
  for (std::size_t i = 0; i != together.buckets.size(); ++i) {
    plait::op_spec begin{"MPIAllreduceBegin", {"mpi_common_world"}, {"sum_" + std::to_string(i)}};
    plait::op_spec end{"MPIAllreduceEnd", begin.outputs, {}};
    for (std::string const& g : together.buckets[i]) {
      std::int64_t const count = g.ends_with("_w_grad") ? width * width : width;
      gradients.feed(g, std::vector<float>(static_cast<std::size_t>(count), 1.0f), {count});
      begin.inputs.push_back(g);
      end.inputs.push_back(g);
      end.outputs.push_back(g + "_sum");
    }
    plait::net_traits<plait::netdef>::append_op(sums, begin);
    plait::net_traits<plait::netdef>::append_op(sums, end);
  }
  step.run();
  auto exchange = plait::compile(sums, operators, gradients);

  exchange.run();
  double const compute_ms = median_of(times, [&] { compute.run(); });
  double const exchange_ms = median_of(times, [&] { exchange.run(); });
  double const step_ms = median_of(times, [&] { step.run(); });

  std::string sums_text;
  for (std::int64_t const count : {1, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20}) {
    plait::netdef sum;
    plait::net_traits<plait::netdef>::append_op(sum, {"MPIAllreduce", {"mpi_common_world", "terms"}, {"sum"}});
    gradients.feed("terms", std::vector<float>(static_cast<std::size_t>(count), 1.0f), {count});
    auto plan = plait::compile(sum, operators, gradients);
    plan.run();
    double const ms = median_of(times, [&] { plan.run(); });
    sums_text += (sums_text.empty() ? "[" : ", [") + std::to_string(4 * count) + ", " + std::to_string(ms) + ']';
  }
  if (rank == 0)
    std::printf(
        "{\"ranks\": %d, \"delay_us\": %lld, \"buckets\": %zu, \"bucket_bytes\": %zu, \"compute_ms\": %.3f, "
        "\"exchange_ms\": %.3f, \"step_ms\": %.3f, \"of_the_longer\": %.3f, \"sums\": [%s]}\n",
        plait::mpi::size(), static_cast<long long>(delay.count()), together.buckets.size(), parameter_bytes, compute_ms,
        exchange_ms, step_ms, step_ms / std::max(compute_ms, exchange_ms), sums_text.c_str());
}
