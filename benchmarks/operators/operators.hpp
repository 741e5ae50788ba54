// Element-wise and row operators on a backend, the cases that operators.cpp times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/reductions.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/text.hpp>
#include <plait/netdef/traits.hpp>

namespace bench {

/// A net that computes y from blobs a, b, c and a non-negative d, all of shape `dims`.
struct operator_case {
  std::string what;
  std::string net;
  plait::shape dims;
  double bytes;  ///< compulsory traffic: bytes read and written, once each

  std::string text() const {
    std::string made = what;
    for (std::int64_t const d : dims) made += (d == dims[0] ? ' ' : 'x') + std::to_string(d);
    return made;
  }
};

void time_operators_serial(unsigned threads, std::vector<operator_case> const& cases);
void time_operators_omp(unsigned threads, std::vector<operator_case> const& cases);
void time_operators_tbb(unsigned threads, std::vector<operator_case> const& cases);

/// Prints one line per case: the name, threads, milliseconds (median, then the fastest), the case, GB/s. Each is run
/// for about a third of a second.
template <plait::backend B>
void time_operators(char const* name, unsigned threads, std::vector<operator_case> const& cases) {
  using clock = std::chrono::steady_clock;
  plait::operators<B> table;
  plait::add_elementwise(table);
  plait::add_normalization_operators(table);
  plait::add_reduction_operators(table);
  for (operator_case const& c : cases) {
    plait::workspace<B> blobs;
    std::vector<float> numbers(static_cast<std::size_t>(c.dims.size()));
    for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1'000) * 0.01f - 5;
    for (char const* blob : {"a", "b", "c"}) blobs.template feed<float>(blob, numbers, c.dims);
    for (float& x : numbers) x += 5;
    blobs.template feed<float>("d", numbers, c.dims);
    auto plan = plait::compile(plait::read_netdef_text(c.net), table, blobs, {.fetch = std::vector<std::string>{"y"}});
    std::vector<double> times;
    double sum = 0;
    for (int run = -3; run < 5 || (sum < 333 && run != 20'000); ++run) {
      clock::time_point const start = clock::now();
      plan.run();
      double const time = std::chrono::duration<double, std::milli>(clock::now() - start).count();
      if (run < 0) continue;
      times.push_back(time);
      sum += time;
    }
    std::ranges::sort(times);
    std::printf("%s\t%u\t%.5f\t%.5f\t%s\t%.1f\n", name, threads, times[times.size() / 2], times[0], c.text().c_str(),
                c.bytes / times[0] / 1e6);
    std::fflush(stdout);
  }
}

}  // namespace bench
