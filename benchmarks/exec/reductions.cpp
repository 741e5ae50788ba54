// Row reductions: Softmax, LayerNorm and row sums against hand-written loops that the compiler vectorises.
//
// GBPS: bandwidth of plait, each operand counted once. LOOP: time of the loop as a multiple of plait's, median of
// interleaved runs. The loops make the same number of passes over memory, use the exponential of vector_math.hpp, and
// are compiled for the same instruction sets.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/normalize.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/softmax.hpp>

namespace {

using namespace plait;

// Sixteen partial sums, which let the compiler choose the vectors: a single sum of floats is not vectorised at all.
constexpr std::size_t sums = 16;

struct sum_by_hand {
  void operator()(float const* x, float* y, std::size_t rows, std::size_t width) const {
    for (std::size_t r = 0; r < rows; ++r) {
      float const* const row = x + r * width;
      float part[sums] = {};
      std::size_t i = 0;
      for (; i + sums <= width; i += sums)
        for (std::size_t l = 0; l < sums; ++l) part[l] += row[i + l];
      float total = 0;
      for (; i < width; ++i) total += row[i];
      for (float const p : part) total += p;
      y[r] = total;
    }
  }
};

struct column_sum_by_hand {
  void operator()(float const* x, float* y, std::size_t rows, std::size_t width) const {
    for (std::size_t c = 0; c < width; ++c) y[c] = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      float const* const row = x + r * width;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < width; ++c) y[c] += row[c];
    }
  }
};

struct softmax_by_hand {
  void operator()(float const* x, float* y, std::size_t rows, std::size_t width) const {
    for (std::size_t r = 0; r < rows; ++r) {
      float const* const from = x + r * width;
      float* const to = y + r * width;
      float part[sums];
      for (float& p : part) p = from[0];
      std::size_t i = 0;
      for (; i + sums <= width; i += sums)
        for (std::size_t l = 0; l < sums; ++l) part[l] = part[l] > from[i + l] ? part[l] : from[i + l];
      float highest = part[0];
      for (float const p : part) highest = highest > p ? highest : p;
      for (; i < width; ++i) highest = highest > from[i] ? highest : from[i];
      PLAIT_INDEPENDENT
      for (i = 0; i < width; ++i) to[i] = math::exp(from[i] - highest);
      float total = 0;
      sum_by_hand()(to, &total, 1, width);
      float const scale = 1 / total;
      PLAIT_INDEPENDENT
      for (i = 0; i < width; ++i) to[i] *= scale;
    }
  }
};

struct layer_norm_by_hand {
  void operator()(float const* x, float* y, std::size_t rows, std::size_t width) const {
    for (std::size_t r = 0; r < rows; ++r) {
      float const* const from = x + r * width;
      float* const to = y + r * width;
      float total = 0;
      sum_by_hand()(from, &total, 1, width);
      float const mean = total / static_cast<float>(width);
      float part[sums] = {};
      std::size_t i = 0;
      for (; i + sums <= width; i += sums)
        for (std::size_t l = 0; l < sums; ++l) part[l] += (from[i + l] - mean) * (from[i + l] - mean);
      float squares = 0;
      for (; i < width; ++i) squares += (from[i] - mean) * (from[i] - mean);
      for (float const p : part) squares += p;
      float const scale = 1 / std::sqrt(squares / static_cast<float>(width) + 1e-5f);
      PLAIT_INDEPENDENT
      for (i = 0; i < width; ++i) to[i] = (from[i] - mean) * scale;
    }
  }
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

// Times ours(x, y, rows, width, scratch) and the loop on one thread.
template <class Hand, class Ours>
void compare(benchmark::State& state, Ours ours, std::size_t outputs, std::size_t scratch, double passes) {
  auto const rows = static_cast<std::size_t>(state.range(0));
  auto const width = static_cast<std::size_t>(state.range(1));
  std::vector<float> x(rows * width);
  std::mt19937 random(1);
  for (float& value : x) value = static_cast<float>(random() >> 8) / 8388608.0f - 1.0f;
  std::vector<float> y(std::max(outputs, rows));
  std::vector<float> memory(scratch + 2 * rows);
  // A run takes at least some 100 us.
  std::size_t const repeats = 1 + 200'000 / (rows * width);
  std::vector<double> times;
  std::vector<double> ratios;
  for (auto _ : state) {
    double const start = seconds();
    for (std::size_t i = 0; i != repeats; ++i) {
      ours(x.data(), y.data(), rows, width, memory.data());
      benchmark::ClobberMemory();
    }
    double const middle = seconds();
    for (std::size_t i = 0; i != repeats; ++i) {
      vectorized(Hand(), static_cast<float const*>(x.data()), y.data(), rows, width);
      benchmark::ClobberMemory();
    }
    double const end = seconds();
    times.push_back((middle - start) / static_cast<double>(repeats));
    ratios.push_back((end - middle) / (middle - start));
    state.SetIterationTime(end - start);
  }
  state.counters["GBPS"] = passes * 4e-9 * static_cast<double>(rows * width) / median(times);
  state.counters["NS_A_ROW"] = 1e9 * median(times) / static_cast<double>(rows);
  state.counters["LOOP"] = median(ratios);
}

template <class B>
void row_sum(benchmark::State& state) {
  auto const rows = static_cast<std::size_t>(state.range(0));
  auto const width = static_cast<std::size_t>(state.range(1));
  compare<sum_by_hand>(
      state,
      [](float const* x, float* y, std::size_t r, std::size_t n, float* scratch) {
        reduce_rows<B, sum_reduction, float>(r, n, detail::mapped_rows<float, as_it_is>{x, n, {}}, y, scratch);
      },
      rows, row_partials(rows, width), 1);
}

template <class B>
void column_sum(benchmark::State& state) {
  auto const rows = static_cast<std::size_t>(state.range(0));
  auto const width = static_cast<std::size_t>(state.range(1));
  compare<column_sum_by_hand>(
      state,
      [](float const* x, float* y, std::size_t r, std::size_t n, float* scratch) {
        reduce_columns<B, sum_reduction>(x, 1, r, n, as_it_is(), y, scratch);
      },
      width, column_partials(1, rows, width), 1);
}

template <class B>
void softmax_rows(benchmark::State& state) {
  auto const size = static_cast<std::size_t>(state.range(0) * state.range(1));
  compare<softmax_by_hand>(
      state, [](float const* x, float* y, std::size_t r, std::size_t n, float*) { softmax<B>(x, y, r, n); }, size, 0,
      2);
}

template <class B>
void layer_norm_rows(benchmark::State& state) {
  auto const size = static_cast<std::size_t>(state.range(0) * state.range(1));
  compare<layer_norm_by_hand>(
      state,
      [](float const* x, float* y, std::size_t r, std::size_t n, float* scratch) {
        layer_norm<B, float>(x, nullptr, nullptr, y, scratch, scratch + r, r, n, 1e-5f);
      },
      size, 0, 2);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rows", "width"})
      ->Args({64, 10})
      ->Args({64, 128})
      ->Args({64, 1024})
      ->Args({64, 32'768})
      ->Args({4'096, 1'024})
      ->Args({16'384, 4'096})
      ->UseManualTime();
}

#define PLAIT_BENCH(f)                 \
  BENCHMARK(f<serial>)->Apply(shapes); \
  BENCHMARK(f<omp>)->Apply(shapes)

PLAIT_BENCH(row_sum);
PLAIT_BENCH(column_sum);
PLAIT_BENCH(softmax_rows);
PLAIT_BENCH(layer_norm_rows);

}  // namespace
