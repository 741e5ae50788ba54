// Graph capture and replay of a plan's runs on a device: one launch in place of one per kernel. Launching a small
// kernel takes the host longer than it takes the device to run, and the steps of a recurrence are thousands of them.
//
//   #include <plait/exec/backends/cuda/cuda_graph.hpp>
//
//   plait::captured_runs runs(plan);  // a plan<cuda>
//   for (auto const& b : batches) {
//     blobs.refill("x", b.pixels);    // in place: another tensor would need a new capture
//     runs.run();
//   }
//
// A capture depends on addresses and shapes, so it is replayed only while these are the same; otherwise the plan runs
// normally, and the next run is captured. A run is not captured if ops differ by run (op_schema::differs_by_run: random
// numbers, control flow), or if one of them makes the host wait for elements.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/plan.hpp>

namespace plait {

/// Captured runs of one plan. The plan and its workspace must outlive it; the plan may also run directly in between.
template <backend B>
  requires detail::has_recorded_work<B>
class captured_runs {
 public:
  explicit captured_runs(plan<B>& p) : plan_(&detail::engine_of(p)) {}

  /// Runs the plan like plan::run, by replay if possible. With an observer or a stop token nothing is captured or
  /// replayed. Throws what plan::run and the launch throw.
  void run(run_options const& options = {}) {
    bool const plain =
        options.observer != nullptr || options.stop.stop_possible() || !records_ || plan_->differs_by_run();
    plan_->bind();
    bool const stands = !plain && plan_->stands_as(last_);
    if (stands && record_) return record_->work.launch();
    record_.reset();
    if (!stands || !capture()) plan_->run_bound(options);
    if (!plain) plan_->note(last_);
  }

  /// Returns true if the last run was captured or replayed.
  bool is_captured() const noexcept { return record_.has_value(); }

 private:
  using reserve = typename memory_pool<B>::reserve;
  using recorded_work = typename B::recorded_work;

  struct record {
    std::unique_ptr<reserve> memory;  // that the work uses besides the memory of the plan
    recorded_work work;
  };

  // Captures a run and launches it. Returns false, with no work done on the device, if the run cannot be captured.
  bool capture() {
    auto memory = std::make_unique<reserve>();
    recorded_work::begin();
    std::exception_ptr failure = nullptr;
    {
      typename reserve::use const used(*memory);
      try {
        plan_->run_bound();
      } catch (...) {
        failure = std::current_exception();
      }
    }
    std::optional<recorded_work> work = recorded_work::end();
    if (!work) return records_ = false;
    if (failure != nullptr) std::rethrow_exception(failure);
    record_.emplace(record{std::move(memory), std::move(*work)});
    record_->work.launch();
    return true;
  }

  engine<B>* plan_;
  bool records_ = true;  // false once a capture has failed
  std::optional<record> record_;
  typename engine<B>::standing last_;
};

}  // namespace plait
