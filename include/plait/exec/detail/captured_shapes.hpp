// Captured runs of a net whose inputs alternate between a few shapes, such as batches of several lengths.
//
//   plait::captured_shapes<plait::cuda> runs(net, operators, blobs, {.fetch = {"loss"}});
//   for (auto const& b : batches) {
//     blobs.feed("x", inputs[b.length]);  // a tensor for each length: captures depend on addresses, too
//     blobs.refill("x", b.elements);
//     runs.run();
//   }
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/exec/detail/captured_runs.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// LRU cache of plans with captured runs, by the types of all required inputs. A capture uses the memory of its own
/// plan, which runs of the others do not write. A net with ops that differ by run has one plan.
template <backend B>
  requires detail::has_recorded_work<B>
class captured_shapes {
 public:
  /// Keeps at most `most` plans, each with all memory of a run, and evicts the least recently run one. Operators and
  /// the workspace must outlive it. Throws what compile throws. Precondition: `most` is not 0.
  template <net N>
  captured_shapes(N n, operators<B> const& table, workspace<B>& blobs, compile_options options = {},
                  std::size_t most = 4)
      : make_([n = std::move(n), &table, &blobs, options = std::move(options)] {
          return std::make_unique<shaped>(n, table, blobs, options);
        }),
        most_(most) {
    PLAIT_ASSERT(most != 0, "captured_shapes: without a plan nothing can be run");
    last_run_.push_back(make_());
  }

  /// Runs like captured_runs::run. Compiles the net if the types are new. O(plans + values of one).
  void run(run_options const& options = {}) {
    engine<B> const& any = detail::engine_of(last_run_.front()->plan);
    if (any.differs_by_run()) return last_run_.front()->runs.run(options);
    given_.clear();
    for (auto const& in : any.inputs())
      if (in.required) given_.push_back(in.source->spec());
    auto at = std::ranges::find_if(last_run_, [&](auto const& each) { return each->given == given_; });
    if (at == last_run_.end()) {
      if (last_run_.front()->used) {
        std::unique_ptr<shaped> made = make_();
        if (last_run_.size() == most_) last_run_.pop_back();
        last_run_.push_back(std::move(made));
      }
      at = std::prev(last_run_.end());
      (*at)->given = given_;
      (*at)->used = true;
    }
    // Since its last run other plans have published their outputs in the same blobs.
    if (at != last_run_.begin() && (*at)->runs.is_captured()) detail::engine_of((*at)->plan).publish_again();
    std::rotate(last_run_.begin(), at, std::next(at));
    last_run_.front()->runs.run(options);
  }

  /// Returns true if the last run was captured or replayed.
  bool is_captured() const noexcept { return last_run_.front()->runs.is_captured(); }
  std::size_t plan_count() const noexcept { return last_run_.size(); }

 private:
  struct shaped {
    template <net N>
    shaped(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options)
        : plan(n, table, blobs, options), runs(plan) {}

    plait::plan<B> plan;
    captured_runs<B> runs;
    std::vector<tensor_spec> given = {};
    bool used = false;
  };

  std::function<std::unique_ptr<shaped>()> make_;
  std::size_t most_;
  std::vector<std::unique_ptr<shaped>> last_run_;  // most recent first; never empty
  std::vector<tensor_spec> given_;
};

}  // namespace plait
