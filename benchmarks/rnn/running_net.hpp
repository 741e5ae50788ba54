// Compiled net with its operators and blobs, for repeated runs on a backend.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/npy.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

#include "sequences.hpp"

namespace bench {

/// A blob of a net, and numbers for it, between -bound and bound.
struct fed_blob {
  std::string name;
  plait::shape dims;
  double bound;
};

/// A net over a sequence, to be timed.
struct sequence_net {
  plait::netdef net;
  int gates;                    ///< see sequence_case::flops
  std::vector<fed_blob> feeds;  ///< in the order in which they draw numbers
  plait::compile_options options;
};

/// Reproducible random numbers, also implemented in benchmarks/rivals/sequences.py.
inline std::vector<float> spread_numbers(std::uint32_t seed, std::size_t count, double bound) {
  std::vector<float> made(count);
  for (std::size_t k = 0; k != count; ++k) {
    std::uint32_t x = static_cast<std::uint32_t>(k) + seed * 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    x ^= x >> 16;
    made[k] = (static_cast<float>(x >> 8) * 0x1p-23f - 1) * static_cast<float>(bound);
  }
  return made;
}

template <plait::backend B>
class running_net {
 public:
  running_net(sequence_net const& made, plait::operators<B> table) : table_(std::move(table)) {
    std::uint32_t seed = 0;
    for (fed_blob const& feed : made.feeds)
      blobs_.template feed<float>(
          feed.name, spread_numbers(++seed, static_cast<std::size_t>(feed.dims.size()), feed.bound), feed.dims);
    plan_ = std::make_unique<plait::plan<B>>(made.net, table_, blobs_, made.options);
  }

  void run() { plan_->run(); }
  plait::plan<B>& plan() { return *plan_; }
  /// Writes the fetched blobs to FOLDER/0.npy and so on.
  void write_results(std::string const& folder, std::vector<std::string> const& names) {
    for (std::size_t i = 0; i != names.size(); ++i) {
      std::ofstream file(folder + '/' + std::to_string(i) + ".npy", std::ios::binary);
      plait::write_npy(file, blobs_.get(names[i]).value);
    }
  }

  /// Prints the time per run by op and depth, as the median over the runs.
  void profile(int steps) {
    std::map<std::string, std::vector<double>> times;
    for (int i = 0; i != steps; ++i) {
      plait::time_observer<B> observer;
      plan_->run({.observer = &observer});
      std::map<std::string, double> sums;
      for (auto const& r : observer.records())
        sums[std::string(2 * r.depth, ' ') + r.type + " -> " + r.output] +=
            std::chrono::duration<double, std::micro>(r.end - r.begin).count();
      for (auto const& [name, sum] : sums) times[name].push_back(sum);
    }
    for (auto& [name, all] : times) std::printf("%10.1f us  %s\n", median(all), name.c_str());
  }

 private:
  plait::operators<B> table_;
  plait::workspace<B> blobs_;
  std::unique_ptr<plait::plan<B>> plan_;
};

}  // namespace bench
