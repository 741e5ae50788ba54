// Captured runs of a net whose inputs come in a few shapes by turns, batches of some lengths say.
//
//   plait::captured_shapes<plait::cuda> runs(net, operators, blobs, {.fetch = {"loss"}});
//   for (auto const& b : batches) {
//     blobs.feed("x", inputs[b.length]);  // a tensor for each length: records are of where it stands, too
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

/// For each of the last few types of all that the net is given there is a plan, and a record of its runs, which uses
/// that plan's memory: nobody else writes there while others are run. A net with ops that differ by run has one plan.
template <backend B>
  requires detail::has_recorded_work<B>
class captured_shapes {
 public:
  /// Operators and the workspace must outlive it. At most so many records are kept, each with all memory that a run
  /// takes; the one that was longest not run goes first. Throws what compile does. Precondition: `most` is not 0.
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

  /// As captured_runs::run. Compiles the net where the types are new. O(plans + values of one).
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
    // Since its last run others have left their outputs in the same blobs.
    if (at != last_run_.begin() && (*at)->runs.is_captured()) detail::engine_of((*at)->plan).publish_again();
    std::rotate(last_run_.begin(), at, std::next(at));
    last_run_.front()->runs.run(options);
  }

  /// Whether the last run was recorded or launched.
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
  std::vector<std::unique_ptr<shaped>> last_run_;  // the latest first; never empty
  std::vector<tensor_spec> given_;
};

}  // namespace plait
