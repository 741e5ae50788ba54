// Parallel executor on oneTBB: runs each op of a plan as soon as its dependences are met.
//
//   auto plan = plait::compile(net, operators, workspace, {.parallel = true});
//   plait::parallel_executor executor(plan);
//   executor.run();
//
// Dependences are RAW, WAR and WAW on memory, not names, and control inputs. An op that overwrites fed tensors waits
// for all before it, as one of these may fail. So results are those of plan::run, bit for bit, and so are fed tensors
// after a run that fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include <tbb/task_group.h>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/op_order.hpp>
#include <plait/exec/plan.hpp>

namespace plait {

/// Runs one plan, which must have been compiled with compile_options::parallel and outlive it. There is a barrier where
/// shapes depend on elements. As with the plan, one run at a time. TaskGroup has run(function), callable from any
/// thread, and wait(), like ::tbb::task_group.
template <backend B, class TaskGroup = ::tbb::task_group>
class parallel_executor {
 public:
  explicit parallel_executor(plan<B>& compiled) : parallel_executor(detail::engine_of(compiled)) {}
  explicit parallel_executor(engine<B>& p)
      : plan_(&p), followers_(memory_dependencies(p.layout(), p.controls())), waiting_(p.op_count()) {
    PLAIT_ASSERT(p.is_parallel(), "parallel_executor: the plan was compiled without compile_options::parallel");
    stage_of_.resize(p.op_count());
    std::span<op_index const> const stages = p.layout().stages();
    std::uint32_t stage = 0;
    for (op_index op = 0; op != p.op_count(); ++op) {
      if (stage + 1 != stages.size() && stages[stage + 1] == op) ++stage;
      stage_of_[op] = stage;
    }
    before_.resize(p.op_count(), 0);
    for (op_index op = 0; op != p.op_count(); ++op)
      for (op_index const follower : followers_[op]) before_[follower] += stage_of_[op] == stage_of_[follower];
  }

  /// Runs like plan::run. Of several errors, throws that of the first op in the net's order, after ops that have begun
  /// end. Throws run_cancelled, too, if an enclosing task group is cancelled.
  void run(run_options const& options = {}) {
    replaced_ = 0;
    auto const stages = plan_->layout().stages();
    try {
      plan_->bind();
      for (std::size_t s = 0; s != stages.size(); ++s) {
        plan_->reach(stages[s]);
        run_stage(stages[s], s + 1 == stages.size() ? static_cast<op_index>(plan_->op_count()) : stages[s + 1],
                  options);
      }
    } catch (...) {
      plan_->report_failure();
      plan_->restore_given(replaced_);
      throw;
    }
  }

 private:
  void run_stage(op_index first, op_index last, run_options const& options) {
    error_ = nullptr;
    error_op_ = npos;
    for (op_index op = first; op != last; ++op) waiting_[op].store(before_[op], std::memory_order_relaxed);
    left_.store(last - first, std::memory_order_release);
    TaskGroup group;
    for (op_index op = first; op != last; ++op)
      if (before_[op] == 0) group.run([this, op, &options, &group] { run_chain(op, options, group); });
    group.wait();
    // TRAP: this also makes the ops' writes visible to this thread, which wait() does not guarantee.
    std::uint32_t const left = left_.load(std::memory_order_acquire);
    if (error_ != nullptr) std::rethrow_exception(error_);
    // An enclosing task group was cancelled, and this one with it.
    if (left != 0) throw run_cancelled(first);
  }

  // Runs an op, then one of those that it made ready, and spawns tasks for the others.
  void run_chain(op_index op, run_options const& options, TaskGroup& group) {
    // These counters order the op after what was before, whatever the task group guarantees.
    static_cast<void>(left_.load(std::memory_order_acquire));
    static_cast<void>(waiting_[op].load(std::memory_order_acquire));
    while (op != npos) {
      // Ops before one that fails run, as in sequential order.
      if (op < error_op_.load(std::memory_order_acquire)) {
        try {
          if (options.stop.stop_requested() || ::tbb::is_current_task_group_canceling()) throw run_cancelled(op);
          plan_->run_op(op, options);
          if (plan_->layout().replaces_given(op)) replaced_ = op + 1;
        } catch (...) {
          std::lock_guard const lock(error_mutex_);
          if (op < error_op_.load(std::memory_order_relaxed)) {
            error_op_.store(op, std::memory_order_release);
            error_ = std::current_exception();
          }
        }
      }
      op_index next = npos;
      for (op_index const follower : followers_[op]) {
        if (stage_of_[follower] != stage_of_[op]) continue;
        if (waiting_[follower].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        if (next == npos)
          next = follower;
        else
          group.run([this, follower, &options, &group] { run_chain(follower, options, group); });
      }
      left_.fetch_sub(1, std::memory_order_acq_rel);
      op = next;
    }
  }

  engine<B>* plan_;
  csr<op_index> followers_;                          // by op
  std::vector<std::uint32_t> stage_of_;              // by op
  std::vector<std::uint32_t> before_;                // by op: number of dependences in its stage
  std::vector<std::atomic<std::uint32_t>> waiting_;  // by op: number of these that are unmet
  std::atomic<std::uint32_t> left_ = 0;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::atomic<op_index> error_op_ = npos;  // the first that has failed
  op_index replaced_ = 0;  // behind the last op that has overwritten fed tensors; these ops wait for each other
};

template <backend B>
parallel_executor(plan<B>&) -> parallel_executor<B>;

}  // namespace plait
