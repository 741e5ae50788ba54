// Plan: a net compiled for a backend, with slots for names, kernels for ops, inferred shapes and planned memory.
//
//   auto plan = plait::compile(net, operators, workspace);
//   plan.run();
//
// Compiling checks op types, operands and arguments, also in nested nets. The first run, and each after a change of the
// shapes of inputs, infers shapes, fuses ops and plans memory; other runs only call kernels: no look-up, no text, and
// no allocation unless the net has an If, overwrites inputs, or has data-dependent shapes. With data-dependent shapes
// (Reshape with a shape tensor, Unique), inference continues when such an op is reached, and after an op with
// results_after_run (If, While).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <plait/exec/detail/compile_options.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/memory_use.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

template <backend B>
class plan;

namespace detail {
/// The inside of a plan, for executors and tests.
template <backend B>
engine<B>& engine_of(plan<B>& p) noexcept {
  return p.engine_;
}
template <backend B>
engine<B> const& engine_of(plan<B> const& p) noexcept {
  return p.engine_;
}
}  // namespace detail

/// Compiled net, returned by compile. Keeps no reference to the net, but one to the workspace, which must outlive it.
/// One thread runs a plan at a time; several plans may run concurrently if they share no blob that one of them writes.
template <backend B>
class plan {
 public:
  /// See compile.
  template <net N>
  plan(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options = {})
      : engine_(n, table, blobs, options) {}

  /// Runs all ops in the order of the net. Throws exec_error naming the op, its blobs and their shapes, with the
  /// exception of the kernel nested in it, and rolls back to the state before that op: a blob that is both input and
  /// output has its value from then, and a tensor that was fed has one of the values that its blob had. If only
  /// elements have changed since the last run, the overhead is a few comparisons per operand of the net.
  void run(run_options const& options = {}) { engine_.run(options); }
  /// Reads the inputs from the workspace, and infers shapes as far as they are known before the run. Throws like run.
  void bind() { engine_.bind(); }
  /// Runs after bind() or another run without checks for changes, which take 10 ns and more of a run(). Precondition:
  /// no input, published tensor or constant has been replaced since, nor the elements of a non-contiguous input, and
  /// the net itself does not replace the tensor of an input.
  void run_bound(run_options const& options = {}) { engine_.run_bound(options); }

  /// Binds the plan to another workspace, as if compiled for it. Later runs reuse memory that only blobs of the new
  /// workspace own, and do not write memory that other blobs own. O(input and output blobs) look-ups.
  void rebind(workspace<B>& blobs) { engine_.rebind(blobs); }
  /// Discards results prepared from compile_options::constants, whose elements have changed; the next run recomputes
  /// them.
  void forget_constants() noexcept { engine_.forget_constants(); }

  /// Predicts the memory of runs after the first, for the current tensors of the workspace, in bytes as the pool
  /// allocates them; scratch memory of kernels (partial sums) is not counted. Runs nothing and allocates no tensors;
  /// the next run infers shapes again. Throws exec_error if shapes are known only in the run: those of ops with shapes
  /// from elements that are neither fed nor known from types, and of ops that run nets, except RecurrentNetwork and its
  /// gradient. O(operands).
  [[nodiscard]] memory_use forecast() { return engine_.forecast(); }
  /// Returns the memory that the plan holds after bind() or a run, without that inside ops.
  memory_use memory() const { return engine_.memory_in_use(); }
  /// Returns how ops are grouped for the types of the last run. Of a net that has not run there are no groups, and
  /// after the first op whose shapes are known during the run those of the last run.
  plait::schedule schedule() const { return engine_.schedule(); }

  /// Returns the blobs that must be set before a run. O(inputs).
  std::vector<std::string_view> inputs() const { return engine_.required_inputs(); }
  /// Returns the blobs that are set by a run. O(outputs).
  std::vector<std::string_view> outputs() const { return engine_.published_names(); }
  std::size_t op_count() const noexcept { return engine_.op_count(); }
  /// Returns the name of an op; empty if it has none.
  std::string_view op_name(op_index op) const { return engine_.op_name(op); }
  /// Returns true if an op of the net, or of a nested net, differs from run to run: see op_schema::differs_by_run.
  bool differs_by_run() const noexcept { return engine_.differs_by_run(); }

 private:
  friend engine<B>& detail::engine_of<B>(plan&) noexcept;
  friend engine<B> const& detail::engine_of<B>(plan const&) noexcept;

  engine<B> engine_;
};

/// Compiles a net. Throws exec_error for an op type that is not in the table, and for operands or arguments that the
/// type does not have or that options.as_declared refuses; net_error for an output that it refuses, a blob in
/// options.fetch that the net does not have, one in options.constants that is not an input or that an op writes, and
/// more than 100 levels of nesting. O(operands) expected.
template <net N, backend B>
[[nodiscard]] plan<B> compile(N const& n, operators<B> const& table, workspace<B>& blobs,
                              compile_options const& options = {}) {
  return plan<B>(n, table, blobs, options);
}

}  // namespace plait

#include <plait/exec/detail/plan_text.hpp>
