// The LSTM of lstm.cpp on a backend.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <plait/exec/observers.hpp>
#include <plait/exec/operators/matrix.hpp>
#include <plait/exec/operators/matrix_gradients.hpp>
#include <plait/exec/operators/recurrent_network.hpp>
#include <plait/exec/operators/recurrent_network_gradients.hpp>
#include <plait/exec/operators/sums.hpp>
#include <plait/exec/operators/units.hpp>
#include <plait/exec/operators/units_gradients.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "lstm.hpp"

namespace bench {

template <plait::backend B>
plait::operators<B> lstm_operators() {
  plait::operators<B> made;
  plait::add_matrix_operators(made);
  plait::add_matrix_gradient_operators(made);
  plait::add_recurrent_network_operators(made);
  plait::add_recurrent_network_gradient_operators(made);
  plait::add_sum_operators(made);
  plait::add_unit_operators(made);
  plait::add_unit_gradient_operators(made);
  return made;
}

template <plait::backend B>
class lstm {
 public:
  lstm(lstm_case const& c, bool trains) {
    std::mt19937 random(1);
    auto const feed = [&](char const* name, plait::shape const& dims, double bound) {
      std::uniform_real_distribution<float> number(static_cast<float>(-bound), static_cast<float>(bound));
      std::vector<float> values(static_cast<std::size_t>(dims.size()));
      for (float& value : values) value = number(random);
      blobs_.template feed<float>(name, values, dims);
    };
    double const bound = 1 / std::sqrt(static_cast<double>(c.h));
    feed("x", {c.t, c.n, c.i}, 1);
    feed("h0", {1, c.n, c.h}, 0);
    feed("c0", {1, c.n, c.h}, 0);
    feed("i2h_w", {4 * c.h, c.i}, bound);
    feed("i2h_b", {4 * c.h}, bound);
    feed("gates_t_w", {4 * c.h, c.h}, bound);
    feed("gates_t_b", {4 * c.h}, bound);
    if (trains) feed("dy", {c.t, c.n, c.h}, 1);
    plan_ = std::make_unique<plait::plan<B>>(make_lstm(trains), table_, blobs_);
  }

  void run() { plan_->run(); }

  // By op and depth: the sum over a run; of that the median over the runs.
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
  plait::operators<B> table_ = lstm_operators<B>();
  plait::workspace<B> blobs_;
  std::unique_ptr<plait::plan<B>> plan_;
};

template <plait::backend B>
void time_lstm(char const* name, unsigned threads, lstm_case const& c, bool trains, int steps) {
  lstm<B> net(c, trains);
  time_runs(name, threads, c, trains, steps, [&] { net.run(); });
}

}  // namespace bench
