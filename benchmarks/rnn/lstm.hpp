// What plait's LSTM and its rivals in the same program share: cases, the net, and how they are timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <plait/netdef/model.hpp>

namespace bench {

/// T steps of N rows of I numbers, H units.
struct lstm_case {
  std::int64_t t, n, i, h;

  static lstm_case read(char const* text) {
    lstm_case made{};
    if (std::sscanf(text, "%ld,%ld,%ld,%ld", &made.t, &made.n, &made.i, &made.h) != 4) {
      std::fprintf(stderr, "no case T,N,I,H: %s\n", text);
      std::exit(2);
    }
    return made;
  }
  /// Of the matrix products; those of a training step, without the gradient of x, which nobody asks for.
  double flops(bool trains) const {
    double const units = 2.0 * 4 * static_cast<double>(t * n * h);
    return trains ? units * static_cast<double>(2 * i + 3 * h) : units * static_cast<double>(i + h);
  }
};

inline double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Runs a few times first, then `steps` times, or for about a second, and prints a line.
template <class Run>
void time_runs(char const* name, unsigned threads, lstm_case const& c, bool trains, int steps, Run run) {
  using clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::duration<double, std::milli>;
  for (int i = 0; i != 3; ++i) run();
  std::vector<double> times;
  double sum = 0;
  while (steps != 0 ? times.size() != static_cast<std::size_t>(steps) : (sum < 1000 || times.size() < 5)) {
    clock::time_point const start = clock::now();
    run();
    times.push_back(milliseconds(clock::now() - start).count());
    sum += times.back();
  }
  double const fastest = *std::min_element(times.begin(), times.end());
  std::printf("%s\t%u\t%.3f\t%.3f\t%ld,%ld,%ld,%ld %s\t%.1f\n", name, threads, median(times), fastest, c.t, c.n, c.i,
              c.h, trains ? "train" : "infer", c.flops(trains) / fastest / 1e6);
  std::fflush(stdout);
}

/// The net: inputs x, h0, c0 and parameters, and dy, the gradient of all hidden states, to train.
plait::netdef make_lstm(bool trains);

void time_serial(unsigned threads, lstm_case const& c, bool trains, int steps);
void time_omp(unsigned threads, lstm_case const& c, bool trains, int steps);
void time_tbb(unsigned threads, lstm_case const& c, bool trains, int steps);
void profile_lstm(lstm_case const& c, bool trains, int steps);

/// oneDNN's LSTM, forward, and backward to train.
void time_onednn(unsigned threads, lstm_case const& c, bool trains, int steps);

}  // namespace bench
