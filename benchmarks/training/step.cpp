// Training step of a multilayer perceptron, batch 64, 784-1024-1024-10, SGD with momentum: forward, backward and update
// in one plan. benchmarks/rivals/mlp.py is the same step in PyTorch and JAX; benchmarks/rivals/compare.sh interleaves
// their runs.
//
//   plait_training_step [serial | omp | tbb | profile]... [--steps N]      default: serial omp tbb, 100
//
// Prints one line per backend: its name, threads, milliseconds per step (median, then the fastest). `profile`: time by
// op in a step, on one thread. OMP_NUM_THREADS and --steps are the only settings; tbb takes as many threads as omp.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/global_control.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/reductions.hpp>
#include <plait/exec/operators/training.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>

namespace {

constexpr std::int64_t batch = 64;
constexpr std::int64_t widths[] = {784, 1024, 1024, 10};

struct model {
  plait::netdef init;
  plait::netdef step;
};

model make_model() {
  plait::net_builder init("mlp_init");
  plait::net_builder net("mlp");
  auto const [x, label] = net.external_inputs("x", "label");
  std::vector<std::string> parameters;
  plait::blob_handle layer = x;
  for (std::size_t i = 1; i != std::size(widths); ++i) {
    std::string const name = "fc" + std::to_string(i);
    auto const [w, b] = net.external_inputs(name + "_w", name + "_b");
    init.op("XavierFill", {}, w.name(), {{"shape", {widths[i], widths[i - 1]}}, {"seed", 1}});
    init.constant_fill({widths[i]}, 0.0f, b.name());
    parameters.insert(parameters.end(), {w.name(), b.name()});
    layer = net.fc(layer, w, b, name);
    if (i + 1 != std::size(widths)) net.relu(layer, layer);
  }
  auto const [probability, loss] = net.softmax_with_loss(layer, label, {"probability", "loss"});
  net.external_outputs(loss);

  model made{init.take(), net.take()};
  auto const gradients =
      plait::add_gradient_ops(made.step, {loss.name()}, plait::gradient_rules::standard(), {.only = parameters});
  plait::add_init_ops(made.init, plait::add_sgd(made.step, gradients, parameters, {.rate = 0.01f, .momentum = 0.9f}));
  return made;
}

template <plait::backend B>
plait::operators<B> table() {
  plait::operators<B> made;
  plait::add_activation_operators(made);
  plait::add_activation_gradient_operators(made);
  plait::add_fill_operators(made);
  plait::add_learning_rate_operators(made);
  plait::add_fully_connected_operators(made);
  plait::add_matmul_operators(made);
  plait::add_fully_connected_gradient_operators(made);
  plait::add_optimizer_operators(made);
  plait::add_random_fill_operators(made);
  plait::add_softmax_with_loss_operators(made);
  plait::add_softmax_with_loss_gradient_operators(made);
  plait::add_sum_operators(made);
  return made;
}

double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <plait::backend B>
class training {
 public:
  training() {
    model const made = make_model();
    plait::compile(made.init, table_, blobs_).run();
    std::mt19937 random(1);
    std::normal_distribution<float> pixel;
    std::vector<float> x(static_cast<std::size_t>(batch * widths[0]));
    for (float& value : x) value = pixel(random);
    std::vector<std::int32_t> label(static_cast<std::size_t>(batch));
    for (std::size_t i = 0; i != label.size(); ++i) label[i] = static_cast<std::int32_t>(i % 10);
    blobs_.template feed<float>("x", x, {batch, widths[0]});
    blobs_.template feed<std::int32_t>("label", label, {batch});
    plan_ = std::make_unique<plait::plan<B>>(made.step, table_, blobs_);
    for (int i = 0; i != 5; ++i) plan_->run();
  }

  void time(char const* name, unsigned threads, int steps) {
    using clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (int i = 0; i != steps; ++i) {
      clock::time_point const start = clock::now();
      plan_->run();
      times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
    }
    double const middle = median(times);
    std::printf("plait_%s\t%u\t%.3f\t%.3f\n", name, threads, middle, *std::ranges::min_element(times));
  }

  // Medians over the steps, of each op.
  void profile(int steps) {
    std::map<std::size_t, std::vector<double>> times;
    std::map<std::size_t, std::string> names;
    for (int i = 0; i != steps; ++i) {
      plait::time_observer<B> observer;
      plan_->run({.observer = &observer});
      for (auto const& r : observer.records()) {
        times[r.op].push_back(std::chrono::duration<double, std::micro>(r.end - r.begin).count());
        names[r.op] = r.type + " -> " + r.output;
      }
    }
    for (auto& [op, all] : times) std::printf("%10.1f us  %s\n", median(all), names[op].c_str());
  }

 private:
  plait::operators<B> table_ = table<B>();
  plait::workspace<B> blobs_;
  std::unique_ptr<plait::plan<B>> plan_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> wanted;
  int steps = 100;
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    if (word == "--steps" && i + 1 < argc)
      steps = std::max(1, std::atoi(argv[++i]));
    else
      wanted.push_back(word);
  }
  if (wanted.empty()) wanted = {"serial", "omp", "tbb"};
  auto const threads = static_cast<unsigned>(omp_get_max_threads());
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  for (std::string_view const word : wanted) {
    if (word == "serial")
      training<plait::serial>().time("serial", 1, steps);
    else if (word == "omp")
      training<plait::omp>().time("omp", threads, steps);
    else if (word == "tbb")
      training<plait::tbb>().time("tbb", threads, steps);
    else if (word == "profile")
      training<plait::serial>().profile(steps);
    else
      return std::fprintf(stderr, "no such backend: %s\n", std::string(word).c_str()), 2;
  }
}
