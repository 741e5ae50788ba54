// Wavefront execution of a recurrence: several time steps in flight at once, on the backend's tasks.
//
// Dependences between nodes are found once, on values: see recurrent_network_nodes. Steps in flight have private
// operands and share the kernels. No op runs in two steps at once, so packed weights, sums over the steps, random
// numbers and results are those of sequential execution, bit for bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_lane.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_nodes.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/step_wavefront.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

/// Limits of the executor, from the op's arguments.
struct executor_limits {
  bool enabled;
  std::int64_t threads;    ///< if set, the executor is used at any cost of steps; 0: as many as there are
  std::int64_t in_flight;  ///< steps

  /// Maximum of in_flight: more gain nothing, and each step in flight has memory of its own.
  static constexpr std::int64_t most_in_flight = 64;

  explicit executor_limits(op_arguments const& a)
      : enabled(a.flag("enable_rnn_executor")),
        threads(a.integer("rnn_executor.num_threads")),
        in_flight(std::min(a.integer("rnn_executor.max_parallel_timesteps"), most_in_flight)) {
    if (threads < 0)
      a.fail("rnn_executor.num_threads", "is " + std::to_string(threads) + ", which should be 0 or more");
    if (in_flight < 1)
      a.fail("rnn_executor.max_parallel_timesteps", "is " + std::to_string(in_flight) + ", which should be 1 or more");
  }
};

/// Steps of a run, `last` excluded, in the order in which they run.
struct step_range {
  std::int64_t first;
  std::int64_t last;
};

/// Executor of one plan and its links. Unused if the backend has no tasks.
template <backend B>
class recurrent_executor {
 public:
  void compile(engine<B> const& p, std::span<linked_place const> links, executor_limits const& limits, bool backward,
               cost_model const& model) {
    costs_ = model;
    if constexpr (has_tasks<B>) {
      if (!limits.enabled || limits.threads == 1 || limits.in_flight == 1 || !p.is_static()) return;
      nodes_ = recurrent_nodes(p, links, static_cast<std::size_t>(limits.in_flight), backward);
      std::vector<double> costs(nodes_.schedule().node_count(), 0);
      for (op_index op = 0; op != p.op_count(); ++op) costs[nodes_.first_op() + op] = 1;
      if (limits.threads == 0 && nodes_.schedule().speedup(costs) <= costs_.overlap_speedup) return;
      threads_ = limits.threads;
      wavefront_ = std::make_unique<wavefront>(nodes_.schedule());
      for (std::int64_t i = 0; i != limits.in_flight; ++i) {
        lanes_.push_back(std::make_unique<lane>());
        lanes_.back()->net = p.share_kernels(lanes_.back()->blobs);
        lanes_.back()->at.connect(lanes_.back()->net.get(), &p, links, lanes_.back()->blobs);
      }
    }
  }
  /// Returns the maximum of steps in flight; 0 if the executor is unused.
  std::size_t in_flight() const noexcept { return lanes_.size(); }

  /// Returns true if run() should run the steps after the first, for which the plan was bound.
  bool pays(engine<B> const& p, std::int64_t steps) {
    if (lanes_.empty() || steps < 3) return false;
    if (threads_ != 0) return true;
    if (static_cast<double>(B::concurrency()) <= costs_.overlap_speedup) return false;
    // The bytes of its operands estimate the cost of an op: with few rows, weights dominate.
    std::vector<double> costs(nodes_.schedule().node_count(), 0);
    double all = 0;
    for (op_index op = 0; op != p.op_count(); ++op) {
      std::size_t bytes = 0;
      for (std::uint32_t const v : p.layout().reads(op)) bytes += p.value(v).type.bytes();
      for (std::uint32_t const v : p.layout().writes(op)) bytes += p.value(v).type.bytes();
      all += costs[nodes_.first_op() + op] = static_cast<double>(bytes);
    }
    return all >= costs_.overlap_bytes * static_cast<double>(p.op_count()) &&
           nodes_.schedule().speedup(costs) > costs_.overlap_speedup;
  }

  /// Runs steps after the first, which `leader` has run. Throws what the first failing step throws.
  void run(engine<B>& leader, std::span<linked_place const> links, recurrent_run<B> const& all, step_range const& of,
           std::string_view argument) {
    if constexpr (has_tasks<B>) {
      for (auto const& each : lanes_) {
        each->net->follow(leader);
        each->at.put(all, all.step(of.first));
        each->at.find_moving();
        each->at.make_filled(all);
      }
      std::uint64_t const runs = leader.run_count();
      auto const body = [&](std::size_t step, std::uint32_t node) {
        std::int64_t const t = all.step(of.first + static_cast<std::int64_t>(step));
        lane& each = *lanes_[static_cast<std::size_t>(t) % lanes_.size()];
        // TRAP: the value may be at one of its places, so nothing is added there before it is copied to the others.
        auto const deliver = [&](std::vector<std::size_t> const& targets) {
          for (std::size_t const i : targets) each.at.deliver(all, i, t);
          for (std::size_t const i : targets) each.at.complete(all, i, t);
        };
        if (node == 0) {
          each.net->set_run_count(runs + step + 1);
          each.at.move(all, t);
        } else if (node < nodes_.first_op()) {
          for (std::size_t const i : nodes_.sources(node)) each.at.fill(i, all.sequences[links[i].sequence], t);
        } else if (node < nodes_.first_target()) {
          auto const op = static_cast<op_index>(node - nodes_.first_op());
          if (all.options->stop.stop_requested()) throw run_cancelled(op);
          run_inside(argument, t, [&] { each.net->run_op(op, *all.options); });
          deliver(nodes_.targets(op));
        } else {
          deliver(nodes_.alone(node));
        }
      };
      auto const steps = static_cast<std::size_t>(of.last - of.first);
      // The arena of this thread already has as many threads as there are.
      if (threads_ == 0 || threads_ >= static_cast<std::int64_t>(B::concurrency())) {
        wavefront_->run(steps, body);
      } else {
        if (arena_ == nullptr) arena_ = std::make_unique<arena>(static_cast<int>(threads_));
        arena_->execute([&] { wavefront_->run(steps, body); });
      }
      leader.set_run_count(runs + steps);
    }
  }

 private:
  // Private data of a step in flight.
  struct lane {
    workspace<B> blobs;
    std::unique_ptr<engine<B>> net;
    recurrent_lane<B> at;
  };

  template <class Backend, bool Has>
  struct kinds {
    struct none {};
    using group = none;
    using arena = none;
  };
  template <class Backend>
  struct kinds<Backend, true> {
    using group = typename Backend::task_group;
    using arena = typename Backend::task_arena;
  };
  using wavefront = step_wavefront<typename kinds<B, has_tasks<B>>::group>;
  using arena = typename kinds<B, has_tasks<B>>::arena;

  cost_model costs_;
  recurrent_nodes nodes_;
  std::vector<std::unique_ptr<lane>> lanes_;  // by step, in rotation
  std::unique_ptr<wavefront> wavefront_;
  std::unique_ptr<arena> arena_;
  std::int64_t threads_ = 0;
};

}  // namespace plait::detail
