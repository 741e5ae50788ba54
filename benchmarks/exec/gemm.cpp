// GEMM: plait's kernel with b pre-packed, with b packed in each call, and a BLAS as the rival.
//
// c of m by 4k = a of m by k times b of k by 4k, float. GFLOPS: throughput reached. PEAK: the fraction of peak, which
// is measured with fused multiply-adds on registers alone, interleaved with the GEMM, since the clock depends on the
// vectors in use and on how long they have been in use. Both are medians of interleaved runs. GBPS: bandwidth at which
// b is read, the roofline of a product of one row.
//
// RIVAL: time of the BLAS as a multiple of plait's, median of interleaved runs.
//
// TWO: speed-up of two threads that OpenMP wakes up; TEAM: of oneTBB's threads that spin until the next loop, as within
// a recurrence. APART: speed-up of two threads with half of b each that share nothing and have no barrier: 2, unless
// the processors share resources. OF_APART: TEAM as a fraction of APART, from the same interleaved runs.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>
#include <boost/align/aligned_allocator.hpp>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>

#ifdef PLAIT_BENCH_CBLAS
#include <cblas.h>
#endif

namespace {

using namespace plait;

// Returns the thread's CPU time where the system has one, which other programs disturb less than wall time.
template <bool Threads>
double seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  if constexpr (!Threads) {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Accumulators in registers, more than the latency of an addition needs. Assembly, as the compiler must neither shorten
// nor vectorise this.
#if PLAIT_X86_DISPATCH
#define PLAIT_BENCH_FMA(x) asm volatile("vfmadd231ps %1, %1, %0" : "+v"(x) : "v"(factor))
#define PLAIT_BENCH_PEAK(NAME, TARGET, BYTES)                              \
  TARGET __attribute__((noinline)) std::int64_t NAME(std::int64_t turns) { \
    typedef float vec __attribute__((vector_size(BYTES)));                 \
    vec a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{};                  \
    vec const factor{};                                                    \
    for (std::int64_t turn = 0; turn != turns; ++turn) {                   \
      PLAIT_BENCH_FMA(a);                                                  \
      PLAIT_BENCH_FMA(b);                                                  \
      PLAIT_BENCH_FMA(c);                                                  \
      PLAIT_BENCH_FMA(d);                                                  \
      PLAIT_BENCH_FMA(e);                                                  \
      PLAIT_BENCH_FMA(f);                                                  \
      PLAIT_BENCH_FMA(g);                                                  \
      PLAIT_BENCH_FMA(h);                                                  \
      PLAIT_BENCH_FMA(i);                                                  \
      PLAIT_BENCH_FMA(j);                                                  \
    }                                                                      \
    return turns * 10 * 2 * (BYTES) / 4;                                   \
  }
PLAIT_BENCH_PEAK(fma_avx2, PLAIT_TARGET_AVX2, 32)
PLAIT_BENCH_PEAK(fma_avx512, PLAIT_TARGET_AVX512, 64)
#endif

// Returns the peak in floating point operations per second; 0 where no measurement is implemented.
double peak() {
#if PLAIT_X86_DISPATCH
  auto const fma = available_instructions() == instruction_set::avx512 ? fma_avx512 : fma_avx2;
  if (available_instructions() == instruction_set::portable) return 0;
  double const start = seconds<false>();
  auto const operations = static_cast<double>(fma(10'000));
  return operations / (seconds<false>() - start);
#else
  return 0;
#endif
}

// Aligned arrays: loads that cross cache lines would take the rival up to twice as long, and plait's packed matrix is
// aligned.
using numbers = std::vector<float, boost::alignment::aligned_allocator<float, 64>>;

struct operands {
  std::int64_t m, n, k;
  numbers a, b, c;

  operands(std::int64_t m_, std::int64_t k_) : m(m_), n(4 * k_), k(k_), a(size(m, k)), b(size(k, n)), c(size(m, n)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-1, 1);
    for (float& x : a) x = number(random);
    for (float& x : b) x = number(random);
  }
  static std::size_t size(std::int64_t rows, std::int64_t columns) { return static_cast<std::size_t>(rows * columns); }
  double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }

  void rival([[maybe_unused]] bool transposed = false) {
#ifdef PLAIT_BENCH_CBLAS
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, static_cast<int>(m),
                static_cast<int>(n), static_cast<int>(k), 1, a.data(), static_cast<int>(k), b.data(),
                static_cast<int>(transposed ? k : n), 0, c.data(), static_cast<int>(n));
#endif
  }
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Runs of about a quarter of a millisecond, so that the clock and other load change little within one.
template <bool Threads, class F>
double time_of(int repetitions, F const& f) {
  double const start = seconds<Threads>();
  for (int i = 0; i != repetitions; ++i) f();
  return (seconds<Threads>() - start) / repetitions;
}

// Warms the caches after another rival's run. L3 keeps what is read repeatedly, as weights are: after one pass over
// 16 MB it still holds much of the other rival's data.
template <class F>
void take_caches(F const& f) {
  for (int i = 0; i != 4; ++i) f();
}

// Sets the number of threads of OpenBLAS, by default that of the processors.
void let_rival_take([[maybe_unused]] int threads) {
#if defined(PLAIT_BENCH_CBLAS) && defined(OPENBLAS_VERSION)
  openblas_set_num_threads(threads);
#endif
}

// Waits until OpenBLAS's threads are parked: they spin for 2^26 cycles and occupy the processors. plait's threads stay
// busy meanwhile: after a sleep the system might wake them up on one processor, and the clock would have to rise again.
template <class F>
void wait_for_rival(F const& busy) {
  for (double const until = seconds<true>() + 0.04; seconds<true>() < until;) busy();
}

// Measurements of interleaved runs.
struct turns {
  std::vector<double> speed, of_peak, of_rival;

  template <bool Threads, class F, class Rival>
  double take(operands& x, F const& multiply, Rival const& rival, int repetitions) {
    if (Threads) wait_for_rival(multiply);
    take_caches(multiply);
    double const before = peak();
    double const own = time_of<Threads>(repetitions, multiply);
    double const after = peak();
    let_rival_take(Threads ? 2 : 1);
    take_caches(rival);
    double const other = time_of<Threads>(std::max(1, repetitions / 2), rival);
    speed.push_back(x.operations() / own);
    if (before != 0) of_peak.push_back(x.operations() / own / ((before + after) / 2));
    of_rival.push_back(other / own);
    return own;
  }
  void tell(benchmark::State& state, operands const& x) const {
    state.counters["GFLOPS"] = median(speed) * 1e-9;
    state.counters["PEAK"] = median(of_peak);
#ifdef PLAIT_BENCH_CBLAS
    state.counters["RIVAL"] = median(of_rival);
#endif
#if defined(PLAIT_BENCH_CBLAS) && defined(OPENBLAS_VERSION)
    state.SetLabel(openblas_get_corename());  // "Prescott" where it does not know the processor: see OPENBLAS_CORETYPE
#endif
    state.counters["GBPS"] = median(speed) / static_cast<double>(2 * x.m) * 4e-9;
  }
};

// Returns the number of repetitions that take a quarter of a millisecond.
template <bool Threads, class F>
int repetitions_of(F const& multiply) {
  multiply();
  return std::max(1, static_cast<int>(2.5e-4 / time_of<Threads>(3, multiply)));
}

template <backend B>
packed_matrix<float, B> packed_weights(operands const& x, std::int64_t columns) {
  packed_matrix<float, B> b;
  b.pack(x.k, columns, x.b.data(), false, x.n, x.m);
  return b;
}

void packed(benchmark::State& state) {
  operands x(state.range(1), state.range(0));
  auto const b = packed_weights<serial>(x, x.n);
  auto const multiply = [&] { b.multiply(x.m, x.a.data(), x.c.data()); };
  int const repetitions = repetitions_of<false>(multiply);
  turns of;
  for (auto _ : state)
    state.SetIterationTime(of.take<false>(
        x, multiply, [&] { x.rival(); }, repetitions));
  of.tell(state, x);
}

void packed_two_threads(benchmark::State& state) {
  operands x(state.range(1), state.range(0));
  auto const one = packed_weights<serial>(x, x.n);
  auto const two = packed_weights<omp>(x, x.n);
  auto const multiply = [&] { two.multiply(x.m, x.a.data(), x.c.data()); };
  int const repetitions = repetitions_of<true>(multiply);
  turns of;
  std::vector<double> threads;
  for (auto _ : state) {
    double const time = of.take<true>(
        x, multiply, [&] { x.rival(); }, repetitions);
    state.SetIterationTime(time);
    auto const alone = [&] { one.multiply(x.m, x.a.data(), x.c.data()); };
    take_caches(alone);
    threads.push_back(time_of<true>(repetitions, alone) / time);
  }
  of.tell(state, x);
  state.counters["TWO"] = median(threads);
}

// Returns the products per second of two threads with half of b each that share nothing and have no barrier. The one
// that finishes first goes on until the other has finished.
template <class Each>
double rate_apart(int repetitions, Each const& each) {
  std::array<double, 2> rates = {};
  std::atomic<int> come = 0;
  std::atomic<int> through = 0;
  auto const run = [&](std::size_t thread) {
    each(thread);
    for (++come; come != 2;) each(thread);
    rates[thread] = 0.5 / time_of<true>(repetitions, [&] { each(thread); });
    for (++through; through != 2;) each(thread);
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  return rates[0] + rates[1];
}

// Without the rival, whose threads would spin.
void packed_team(benchmark::State& state) {
  operands x(state.range(1), state.range(0));
  auto const one = packed_weights<serial>(x, x.n);
  auto const of_team = packed_weights<plait::tbb>(x, x.n);
  std::array<packed_matrix<float, serial>, 2> halves = {packed_weights<serial>(x, x.n / 2),
                                                        packed_weights<serial>(x, x.n / 2)};
  std::vector<operands> own(2, operands(x.m, x.k));
  auto const alone = [&] { one.multiply(x.m, x.a.data(), x.c.data()); };
  auto const shared = [&] { of_team.multiply(x.m, x.a.data(), x.c.data()); };
  auto const each = [&](std::size_t thread) {
    halves[thread].multiply(x.m, own[thread].a.data(), own[thread].c.data());
  };
  int const repetitions = repetitions_of<true>(alone);
  std::vector<double> speed, apart, team, share;
  ::tbb::task_arena(2).execute([&] {
    for (auto _ : state) {
      take_caches(alone);
      double const by_one = time_of<true>(repetitions, alone);
      double const by_two = 1 / rate_apart(repetitions, each);
      detail::spinning_pool<plait::tbb> const standing;
      take_caches([&] { time_of<true>(repetitions, shared); });
      double const by_team = time_of<true>(repetitions, shared);
      state.SetIterationTime(by_team);
      speed.push_back(x.operations() / by_team);
      apart.push_back(by_one / by_two);
      team.push_back(by_one / by_team);
      share.push_back(by_two / by_team);
    }
  });
  state.counters["GFLOPS"] = median(speed) * 1e-9;
  state.counters["TEAM"] = median(team);
  state.counters["APART"] = median(apart);
  state.counters["OF_APART"] = median(share);
}

template <bool Transposed>
void unpacked(benchmark::State& state) {
  operands x(state.range(1), state.range(0));
  auto const multiply = [&] {
    gemm<serial>({.m = x.m, .n = x.n, .k = x.k, .transpose_b = Transposed}, x.a.data(), x.b.data(), x.c.data());
  };
  int const repetitions = repetitions_of<false>(multiply);
  turns of;
  for (auto _ : state)
    state.SetIterationTime(of.take<false>(
        x, multiply, [&] { x.rival(Transposed); }, repetitions));
  of.tell(state, x);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"k", "m"})->ArgsProduct({{128, 256, 512, 1024}, {1, 4, 16, 32, 64}})->UseManualTime()->Iterations(50);
}

}  // namespace

BENCHMARK(packed)->Apply(sizes);
BENCHMARK(packed_two_threads)->Apply(sizes);
BENCHMARK(packed_team)->Apply(sizes);
BENCHMARK(unpacked<false>)->Apply(sizes);
BENCHMARK(unpacked<true>)->Apply(sizes);
