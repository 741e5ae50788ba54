// A net with its operators and blobs, to be run again and again on a backend.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "sequences.hpp"

namespace bench {

/// A blob of a net, and numbers for it, between -bound and bound.
struct fed_blob {
  std::string name;
  plait::shape dims;
  double bound;
};

/// Numbers that programs in other languages make, too: benchmarks/rivals/sequences.py.
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
  /// Blobs are fed in the order given, which says what numbers they get.
  running_net(plait::netdef const& net, plait::operators<B> table, std::vector<fed_blob> const& feeds,
              plait::compile_options const& options = {})
      : table_(std::move(table)) {
    std::uint32_t seed = 0;
    for (fed_blob const& feed : feeds)
      blobs_.template feed<float>(
          feed.name, spread_numbers(++seed, static_cast<std::size_t>(feed.dims.size()), feed.bound), feed.dims);
    plan_ = std::make_unique<plait::plan<B>>(net, table_, blobs_, options);
  }

  void run() { plan_->run(); }
  plait::tensor<B> const& result(std::string const& name) { return blobs_.get(name).value; }

  /// Prints, by op and depth, the sum over a run: of that the median over the runs.
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
