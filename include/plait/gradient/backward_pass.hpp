// Reverse-mode automatic differentiation of nets: the backward pass, emitted as ops of the same IR.
//
//   auto const rules = plait::gradient_rules::standard();        // <plait/gradient/standard_rules.hpp>
//   auto const grads = plait::add_gradient_ops(net, {"loss"}, rules);
//   grads.at("w").values                                         // "w_grad"
//
// Generates the ops and names that Caffe2's core.py (IR, GetBackwardPass) generates, but works on SSA values: names
// never decide which version of a blob a gradient belongs to. gradient_options::as_caffe2 lists the differences.
#pragma once

#include <concepts>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/backward_engine.hpp>
#include <plait/gradient/detail/backward_frame.hpp>
#include <plait/gradient/detail/gradient_map.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/saved_values.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

/// The result of a backward pass: the gradient ops as a net of the forward net's type.
template <class N>
struct backward_net {
  N net;                                ///< the gradient ops alone
  gradient_map gradients;               ///< gradients of all blobs that have one, or of gradient_options::only
  std::vector<saved_value> saved = {};  ///< copies to insert into the forward net (overwritten_values::copy)
};

/// Returns the ops that compute the gradients of the sum of `ys`, in order: fills of ones for seeds without a gradient,
/// then, from the last op to the first, the ops that its rule emits, followed by fan-out accumulation: sums for blobs
/// with several readers.
///
/// The gradient of a blob `x` is `x_grad`. If several ops contribute to it, the first contribution keeps that name, the
/// others are `_x_grad_autosplit_0`, …; a name that is still live gets a numeric suffix. The map holds the gradient of
/// the first version of a blob that has one. Order and names depend on the net alone.
///
/// Throws gradient_error with all problems: an op that has no rule or whose rule refuses, a needed value that is
/// overwritten, dense and sparse gradients of one blob, gradients on different devices, a seed that is not a blob of
/// the net or that occurs twice with different gradients, a StopGradient without a reader. O(ops + operands) time and
/// space; nested nets are processed without recursion.
template <gradient_net N>
  requires std::default_initializable<N>
[[nodiscard]] backward_net<N> backward_pass(N const& n, std::vector<gradient_seed> const& ys,
                                            gradient_rules const& rules, gradient_options const& options = {}) {
  backward_engine<N> engine(n, ys, rules, options);
  run_frames(engine);
  engine.check();
  backward_net<N> made;
  made.gradients = engine.gradients();
  made.saved = engine.saved();
  engine.move_to(made.net);
  return made;
}

/// Appends the ops of backward_pass to the net itself, inserts the copies of saved values, and returns the gradients.
/// Strong guarantee: if it throws, the net is unchanged.
template <gradient_net N>
gradient_map add_gradient_ops(N& n, std::vector<gradient_seed> const& ys, gradient_rules const& rules,
                              gradient_options const& options = {}) {
  backward_engine<N> engine(n, ys, rules, options);
  run_frames(engine);
  engine.check();
  gradient_map gradients = engine.gradients();
  std::vector<saved_value> const saved = engine.saved();
  engine.move_to(n);
  insert_saved_values(n, saved);
  return gradients;
}

}  // namespace plait
