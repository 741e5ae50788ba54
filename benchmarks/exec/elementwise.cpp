// Element-wise ops in a plan, and the overhead of a plan per op.
//
// chain: y = (a + b) c of floats, two ops; relu, sigmoid, tanh: one op. LOOP: time of hand-written loops, one per op,
// as a multiple of the plan's, median of interleaved runs; FUSED: of one fused loop for the whole chain; BOUND: of one
// fused loop against plan::run_bound, which does not check for changes. The loops are compiled for the same instruction
// sets as plait's, and write to a std::vector; ALIGNED: FUSED with a loop that writes to the plan's memory, where
// 64-byte vectors do not cross cache lines.
//
// tiny_ops: a plan of 1,000 additions of one number each, ns per op, against a list of std::function with the same
// work.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/text.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using plait::serial;

plait::operators<serial> const& table() {
  static plait::operators<serial> const made = [] {
    plait::operators<serial> t;
    plait::add_activation_operators(t);
    plait::add_arithmetic_operators(t);
    return t;
  }();
  return made;
}

// Returns the thread's CPU time where the system has one, which other programs disturb less than wall time.
double seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

// Times a run after a warm-up that is not counted: the rivals have evicted the caches.
template <class F>
double timed(F const& f, int times) {
  f();
  double const start = seconds();
  for (int i = 0; i != times; ++i) f();
  return (seconds() - start) / times;
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return all[all.size() / 2];
}

struct add_loop {
  void operator()(float const* x, float const* y, float* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = x[i] + y[i];
  }
};
struct multiply_loop {
  void operator()(float const* x, float const* y, float* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = x[i] * y[i];
  }
};
struct fused_loop {
  void operator()(float const* a, float const* b, float const* c, float* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] + b[i]) * c[i];
  }
};
template <class F>
struct function_loop {
  void operator()(float const* x, float* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = F()(x[i]);
  }
};
struct relu {
  float operator()(float x) const { return x < 0 ? 0 : x; }
};
struct sigmoid {
  float operator()(float x) const { return plait::math::sigmoid(x); }
};
struct tanh {
  float operator()(float x) const { return plait::math::tanh(x); }
};

struct fed_plan {
  plait::workspace<serial> blobs;
  plait::plan<serial> plan;
  float const* a;
  float const* b;
  float const* c;

  fed_plan(std::string const& net, std::size_t count)
      : plan([&] {
          std::vector<float> numbers(count);
          for (std::size_t i = 0; i != count; ++i) numbers[i] = static_cast<float>(i % 1'000) * 0.01f - 5;
          for (char const* name : {"a", "b", "c"})
            blobs.feed(name, plait::tensor<serial>::from(numbers, {static_cast<std::int64_t>(count)}));
          return plait::compile(plait::read_netdef_text(net), table(), blobs);
        }()),
        a(blobs.view("a").data<float>()),
        b(blobs.view("b").data<float>()),
        c(blobs.view("c").data<float>()) {}
};

// Interleaves runs of the plan and its rivals, so that other load on the machine affects all of them.
void report(benchmark::State& state, std::size_t count, plait::plan<serial>& plan, std::function<void()> const& loop,
            std::function<void()> const& fused = {}, std::function<void()> const& aligned = {}) {
  int const times = static_cast<int>(std::max<std::size_t>(1, 2'000'000 / count));
  auto const run = [&] { plan.run(); };
  std::vector<double> own;
  std::vector<double> loops;
  std::vector<double> fusions;
  std::vector<double> bound;
  std::vector<double> alignments;
  timed(run, times);
  timed(loop, times);
  for (auto _ : state) {
    double const time = timed(run, times);
    own.push_back(time / static_cast<double>(count));
    loops.push_back(timed(loop, times) / time);
    if (!fused) continue;
    fusions.push_back(timed(fused, times) / time);
    double const bare = timed([&] { plan.run_bound(); }, times);
    bound.push_back(fusions.back() * time / bare);
    alignments.push_back(timed(aligned, times) / time);
  }
  state.counters["ns_per_element"] = 1e9 * median(own);
  state.counters["LOOP"] = median(loops);
  if (!fused) return;
  state.counters["FUSED"] = median(fusions);
  state.counters["BOUND"] = median(bound);
  state.counters["ALIGNED"] = median(alignments);
}

void chain(benchmark::State& state) {
  auto const count = static_cast<std::size_t>(state.range(0));
  fed_plan fed(
      "op { type: 'Add' input: 'a' input: 'b' output: 't' } op { type: 'Mul' input: 't' input: 'c' output: 'y' }"
      "external_output: 'y'",
      count);
  std::vector<float> y(count);
  fed.plan.run();
  auto* const own = fed.blobs.get("y").value.data<float>();
  report(
      state, count, fed.plan,
      [&] {
        plait::vectorized(add_loop(), fed.a, fed.b, y.data(), count);
        plait::vectorized(multiply_loop(), static_cast<float const*>(y.data()), fed.c, y.data(), count);
        benchmark::ClobberMemory();
      },
      [&] {
        plait::vectorized(fused_loop(), fed.a, fed.b, fed.c, y.data(), count);
        benchmark::ClobberMemory();
      },
      [&] {
        plait::vectorized(fused_loop(), fed.a, fed.b, fed.c, own, count);
        benchmark::ClobberMemory();
      });
}

template <class F>
void function(benchmark::State& state, std::string const& type, F) {
  auto const count = static_cast<std::size_t>(state.range(0));
  fed_plan fed("op { type: '" + type + "' input: 'a' output: 'y' } external_output: 'y'", count);
  std::vector<float> y(count);
  report(state, count, fed.plan, [&] {
    plait::vectorized(function_loop<F>(), fed.a, y.data(), count);
    benchmark::ClobberMemory();
  });
}

void tiny_ops(benchmark::State& state) {
  constexpr std::size_t ops = 1'000;
  std::string net = "external_output: 'x1000'";
  for (std::size_t op = 0; op != ops; ++op)
    net += " op { type: 'Add' input: '" + (op == 0 ? std::string("a") : 'x' + std::to_string(op)) +
           "' input: 'b' output: 'x" + std::to_string(op + 1) + "' }";
  fed_plan fed(net, 1);
  std::vector<float> x(ops + 1, 1);
  float const b = 0.5f;
  std::vector<std::function<void()>> list;
  for (std::size_t op = 0; op != ops; ++op)
    list.emplace_back([from = &x[op], to = &x[op + 1], &b] { *to = *from + b; });
  auto const run = [&] { fed.plan.run(); };
  auto const loop = [&] {
    for (auto const& each : list) each();
    benchmark::ClobberMemory();
  };
  std::vector<double> own;
  std::vector<double> others;
  timed(run, 100);
  for (auto _ : state) {
    own.push_back(timed(run, 100));
    others.push_back(timed(loop, 100));
  }
  state.counters["ns_per_op"] = 1e9 * median(own) / ops;
  state.counters["std_function"] = 1e9 * median(others) / ops;
}

void sizes(benchmark::internal::Benchmark* b) {
  for (std::int64_t const count : {1'000, 10'000, 100'000, 1'000'000, 10'000'000}) b->Arg(count);
  b->Iterations(31)->Unit(benchmark::kMillisecond);
}

BENCHMARK(chain)->Apply(sizes);
BENCHMARK_CAPTURE(function, relu, "Relu", relu())->Apply(sizes);
BENCHMARK_CAPTURE(function, sigmoid, "Sigmoid", sigmoid())->Apply(sizes);
BENCHMARK_CAPTURE(function, tanh, "Tanh", tanh())->Apply(sizes);
BENCHMARK(tiny_ops)->Iterations(101)->Unit(benchmark::kMillisecond);

}  // namespace
