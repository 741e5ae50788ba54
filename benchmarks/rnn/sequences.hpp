// Shared code of the programs that time cells over sequences: cases, options, timing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// T steps of N rows of I numbers, H units.
struct sequence_case {
  std::int64_t t, n, i, h;

  static sequence_case read(char const* text) {
    sequence_case made{};
    if (std::sscanf(text, "%ld,%ld,%ld,%ld", &made.t, &made.n, &made.i, &made.h) != 4) {
      std::fprintf(stderr, "no case T,N,I,H: %s\n", text);
      std::exit(2);
    }
    return made;
  }
  /// Returns the operations in the matrix products of a cell with so many gates; for training without those of the
  /// gradient of x, which is not computed.
  double flops(bool trains, int gates) const {
    double const units = 2.0 * gates * static_cast<double>(t * n * h);
    return trains ? units * static_cast<double>(2 * i + 3 * h) : units * static_cast<double>(i + h);
  }
  std::string text(bool trains) const {
    return std::to_string(t) + ',' + std::to_string(n) + ',' + std::to_string(i) + ',' + std::to_string(h) +
           (trains ? " train" : " infer");
  }
};

/// Words, and [--case T,N,I,H]... [--steps N] [--infer | --train], and --<more> VALUE... for each of `more`.
struct sequence_options {
  std::vector<std::string_view> words = {};
  std::vector<sequence_case> cases = {};
  int steps = 0;
  bool infers = true;
  bool trains = true;
  std::vector<std::vector<std::string>> values = {};  ///< values of each option in `more`

  static sequence_options read(int argc, char** argv, std::vector<std::string_view> const& more = {},
                               std::vector<std::string_view> const& usual_words = {"serial", "omp", "tbb"}) {
    sequence_options made;
    made.values.resize(more.size());
    for (int i = 1; i < argc; ++i) {
      std::string_view const word = argv[i];
      auto const own = std::ranges::find(more, word);
      bool const has_value = i + 1 < argc;
      if (word == "--steps" && has_value)
        made.steps = std::max(0, std::atoi(argv[++i]));
      else if (word == "--case" && has_value)
        made.cases.push_back(sequence_case::read(argv[++i]));
      else if (word == "--infer")
        made.trains = false;
      else if (word == "--train")
        made.infers = false;
      else if (own != more.end() && has_value)
        made.values[static_cast<std::size_t>(own - more.begin())].push_back(argv[++i]);
      else
        made.words.push_back(word);
    }
    if (made.words.empty()) made.words = usual_words;
    if (made.cases.empty())
      made.cases = {{100, 1, 256, 256}, {50, 32, 512, 512}, {20, 64, 1024, 1024}, {200, 16, 128, 128}};
    return made;
  }
  /// Calls f(case, trains) for everything to be timed.
  template <class F>
  void for_each_case(F&& f) const {
    for (sequence_case const& c : cases)
      for (bool const training : {false, true})
        if (training ? trains : infers) f(c, training);
  }
};

[[noreturn]] inline void refuse_word(std::string_view word) {
  std::fprintf(stderr, "no such word: %s\n", std::string(word).c_str());
  std::exit(2);
}

inline double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Runs a few times first, then `steps` times, or for about a second, and prints a line: the name, threads,
/// milliseconds (median, then the fastest), `what`, GFLOP/s.
template <class Run>
void time_runs(char const* name, unsigned threads, std::string const& what, double flops, int steps, Run run) {
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
  std::printf("%s\t%u\t%.3f\t%.3f\t%s\t%.1f\n", name, threads, median(times), fastest, what.c_str(),
              flops / fastest / 1e6);
  std::fflush(stdout);
}

}  // namespace bench
