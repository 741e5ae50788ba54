// Runs of a plan on a device, recorded once and launched as one piece of work: a kernel of a small op takes the device
// less time than launching it takes the host, and steps of a recurrence are thousands of them.
//
//   #include <plait/exec/backends/cuda/cuda_graph.hpp>
//
//   plait::captured_runs runs(plan);  // a plan<cuda>
//   for (auto const& b : batches) {
//     blobs.refill("x", b.pixels);    // where it stands: another tensor would have the run recorded anew
//     runs.run();
//   }
//
// The record is of addresses and shapes, so it is launched only while all stands where it stood; otherwise the plan is
// run the ordinary way, and recorded the next time. A run is not recorded if it has ops that do something else each
// time (op_schema::differs_by_run: random numbers, control flow), nor if one of them has the host wait for elements.
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

/// Of one plan, which must outlive it, as must its workspace. Runs may also be made by the plan itself in between.
template <backend B>
  requires detail::has_recorded_work<B>
class captured_runs {
 public:
  explicit captured_runs(plan<B>& p) : plan_(&detail::engine_of(p)) {}

  /// As plan::run. With an observer or a token to stop by nothing is recorded or launched. Throws what plan::run does,
  /// and what launching throws.
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

  /// Whether the last run was recorded or launched.
  bool is_captured() const noexcept { return record_.has_value(); }

 private:
  using reserve = typename memory_pool<B>::reserve;
  using recorded_work = typename B::recorded_work;

  struct record {
    std::unique_ptr<reserve> memory;  // what the work uses besides what the plan keeps
    recorded_work work;
  };

  // False if the run cannot be recorded; nothing has been done on the device then.
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
  bool records_ = true;  // until it turns out that runs cannot be recorded
  std::optional<record> record_;
  typename engine<B>::standing last_;
};

}  // namespace plait
