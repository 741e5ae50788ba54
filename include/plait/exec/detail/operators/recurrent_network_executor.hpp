// Several steps of a recurrence under way at once, on the backend's tasks.
//
// Which node of a step waits for which is decided once, on values: see recurrent_network_nodes. Steps that are under
// way have operands of their own, and share the kernels: no op runs in two steps at once, so that packed weights, sums
// over the steps and random numbers are what they are without. Results are those of one step after the other, bit for
// bit.
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
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_nodes.hpp>
#include <plait/exec/detail/operators/recurrent_network_places.hpp>
#include <plait/exec/detail/operators/recurrent_network_series.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/step_wavefront.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

/// What arguments say of the executor.
struct executor_limits {
  bool enabled;
  std::int64_t threads;    ///< if given, it is used whatever steps cost; 0: as many as there are
  std::int64_t in_flight;  ///< steps

  /// What is asked for beyond it gains nothing, and each step under way has memory of its own.
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

/// One run of a recurrence.
struct recurrent_run {
  std::span<recurrent_sequence const> sequences;
  std::int64_t steps;
  bool backward;
  run_options const* options;

  /// The step that is run after so many others.
  std::int64_t step(std::int64_t done) const { return backward ? steps - 1 - done : done; }
};

/// Some of its steps, `last` excluded, in the order in which they are run.
struct step_range {
  std::int64_t first;
  std::int64_t last;
};

/// A workspace that a step may be run in.
template <backend B>
struct opened_step {
  std::size_t number;
  workspace<B>* blobs;
};

/// Of one plan and its links. Where the backend has no tasks it is never used.
template <backend B>
class recurrent_executor {
 public:
  void compile(plan<B> const& p, std::span<linked_place const> links, executor_limits const& limits, bool backward,
               cost_model const& model) {
    costs_ = model;
    if constexpr (has_tasks<B>) {
      if (!limits.enabled || limits.threads == 1 || limits.in_flight == 1 || !p.can_have_twins()) return;
      nodes_ = recurrent_nodes(p, links, static_cast<std::size_t>(limits.in_flight), backward);
      std::vector<double> costs(nodes_.schedule().node_count(), 0);
      for (op_index op = 0; op != p.op_count(); ++op) costs[nodes_.first_op() + op] = 1;
      if (limits.threads == 0 && nodes_.schedule().speedup(costs) < costs_.overlap_speedup) return;
      threads_ = limits.threads;
      wavefront_ = std::make_unique<wavefront>(nodes_.schedule());
      for (std::int64_t i = 0; i != limits.in_flight; ++i) {
        lanes_.push_back(std::make_unique<lane>());
        lanes_.back()->twin = p.make_twin(blank_);
      }
      blank_places_ = p.find_blobs(blank_);
    }
  }
  /// How many steps may be under way; 0 where there is no executor.
  std::size_t in_flight() const noexcept { return lanes_.size(); }

  /// Whether the others of so many steps should be run by run(), given the plan as it was bound for the first.
  bool pays(plan<B> const& p, std::int64_t steps) {
    if (lanes_.empty() || steps < 3) return false;
    if (threads_ != 0) return true;
    if (B::concurrency() == 1) return false;
    // What ops touch says what they cost, more or less: weights are most of it where rows are few.
    std::vector<double> costs(nodes_.schedule().node_count(), 0);
    double all = 0;
    for (op_index op = 0; op != p.op_count(); ++op) {
      std::size_t bytes = 0;
      for (std::uint32_t const v : p.layout().reads(op)) bytes += p.value(v).type.bytes();
      for (std::uint32_t const v : p.layout().writes(op)) bytes += p.value(v).type.bytes();
      all += costs[nodes_.first_op() + op] = static_cast<double>(bytes);
    }
    return all >= costs_.overlap_bytes * static_cast<double>(p.op_count()) &&
           nodes_.schedule().speedup(costs) >= costs_.overlap_speedup;
  }

  /// After the first step: runs others, from one on. Returns how many steps are done then: not up to the end of these
  /// if one comes along that is not as the first, which is to be run alone.
  template <class Open, class Given, class Delivered>
  std::int64_t run(plan<B> const& leader, std::span<linked_place const> links, step_series<B> const& series, bool told,
                   recurrent_run const& all, step_range const& of, std::string_view argument, Open const& open,
                   Given const& given, Delivered const& delivered) {
    if constexpr (has_tasks<B>) {
      for (auto const& at : lanes_) at->twin->follow(leader);
      std::uint64_t const runs = leader.run_count();
      auto const body = [&](std::size_t step, std::uint32_t node) {
        std::int64_t const t = all.step(of.first + static_cast<std::int64_t>(step));
        lane& at = *lanes_[static_cast<std::size_t>(t) % lanes_.size()];
        auto const sequence = [&](std::size_t link) -> recurrent_sequence const& {
          return all.sequences[links[link].sequence];
        };
        // TRAP: the value may stand in one of its places, so nothing is added there before it has gone to the others.
        auto const take_to_places = [&](std::vector<std::size_t> const& targets) {
          for (std::size_t const i : targets)
            if (!series.sums(links[i].value)) deliver<B>(at.twin.get(), *at.blobs->links[i], links[i], sequence(i), t);
          for (std::size_t const i : targets) {
            add_given<B>(links[i], sequence(i), t, given);
            delivered(links[i], t);
          }
        };
        if (node == 0) return begin(at, leader, links, series, told, all, t, runs + step, open(t));
        if (node < nodes_.first_op()) {
          for (std::size_t const i : nodes_.sources(node))
            fill_source<B>(*at.blobs->links[i], links[i], sequence(i), t);
        } else if (node < nodes_.first_target()) {
          auto const op = static_cast<op_index>(node - nodes_.first_op());
          if (all.options->stop.stop_requested()) throw run_cancelled(op);
          run_inside(argument, t, [&] { at.twin->run_op(op, *all.options); });
          take_to_places(nodes_.targets(op));
        } else {
          take_to_places(nodes_.alone(node));
        }
        return true;
      };
      auto const steps = static_cast<std::size_t>(of.last - of.first);
      // An arena for as many threads as there are is the one this thread is in.
      if (threads_ == 0 || threads_ >= static_cast<std::int64_t>(B::concurrency()))
        return of.first + static_cast<std::int64_t>(wavefront_->run(steps, body));
      if (arena_ == nullptr) arena_ = std::make_unique<arena>(static_cast<int>(threads_));
      return of.first + static_cast<std::int64_t>(arena_->execute([&] { return wavefront_->run(steps, body); }));
    }
    return of.first;
  }

  /// Lets go of the workspaces.
  void release() {
    for (auto const& at : lanes_) at->twin->rebind(blank_places_);
  }

 private:
  // Where the blobs of a step are, and what the names were then.
  struct step_places {
    std::uint64_t own = 0;
    std::uint64_t shared = 0;
    bool alone = false;  // the step changes, or sees, what is not its own
    typename plan<B>::blob_places plan = {};
    std::vector<blob<B>*> links = {};
  };
  // What a step under way has for itself.
  struct lane {
    std::unique_ptr<plan<B>> twin;
    workspace<B> own;  // in place of what steps share
    step_places const* blobs = nullptr;
    std::vector<std::unique_ptr<step_places>> known;  // by number
  };

  // Has a lane be that of step t; false if the step must be run alone.
  bool begin(lane& at, plan<B> const& leader, std::span<linked_place const> links, step_series<B> const& series,
             bool told, recurrent_run const& all, std::int64_t t, std::uint64_t runs, opened_step<B> const& opened) {
    step_places const& found = find_blobs(at, leader, links, opened);
    at.blobs = &found;
    if (found.alone) return false;
    for (std::size_t i = 0; i != links.size(); ++i)
      if (links[i].first_source) open_source<B>(*found.links[i], links[i], all.sequences[links[i].sequence], t);
    at.twin->rebind(found.plan);
    put_targets<B>(*at.twin, links, series, all.sequences, t);
    return at.twin->bind_twin(runs) && (!told || series.holds(*at.twin, all.sequences, t));
  }

  step_places const& find_blobs(lane& at, plan<B> const& p, std::span<linked_place const> links,
                                opened_step<B> const& opened) {
    if (opened.number >= at.known.size()) at.known.resize(opened.number + 1);
    if (at.known[opened.number] == nullptr) at.known[opened.number] = std::make_unique<step_places>();
    step_places& found = *at.known[opened.number];
    workspace<B>& blobs = *opened.blobs;
    if (found.own == blobs.revision() && found.shared == blobs.parent()->revision()) return found;
    workspace<B>& shared = *blobs.parent();
    workspace<B>& around = *shared.parent();
    found.alone = false;
    found.links.clear();
    // Names that steps share stand for a blob of the lane's own; `used` is whether that may be.
    auto const lane_blob = [&](blob<B>* of_step, std::string_view name, bool used, bool changed) {
      if (around.find(name) == of_step) {
        found.alone = found.alone || changed;
      } else if (shared.find(name) == of_step) {
        found.alone = found.alone || !used;
        return &at.own.local(name);
      }
      return of_step;
    };
    auto const is_source = [&](std::string_view name) {
      return std::ranges::any_of(links, [&](auto const& link) { return link.source && link.internal == name; });
    };
    for (linked_place const& link : links)
      found.links.push_back(lane_blob(&blobs.get(link.internal), link.internal, true, true));
    found.plan = p.find_blobs(blobs);
    auto const given = p.layout().given();
    for (std::size_t i = 0; i != given.size(); ++i)
      found.plan.given[i] =
          lane_blob(found.plan.given[i], p.value_name(given[i]), is_source(p.value_name(given[i])), false);
    auto const published = p.layout().published();
    for (std::size_t i = 0; i != published.size(); ++i)
      found.plan.published[i] = lane_blob(found.plan.published[i], p.value_name(published[i]), true, true);
    found.own = blobs.revision();
    found.shared = shared.revision();
    return found;
  }

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
  workspace<B> blank_;
  typename plan<B>::blob_places blank_places_;
  std::vector<std::unique_ptr<lane>> lanes_;  // by step, in turns
  std::unique_ptr<wavefront> wavefront_;
  std::unique_ptr<arena> arena_;
  std::int64_t threads_ = 0;
};

}  // namespace plait::detail
