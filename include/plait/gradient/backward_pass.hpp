// Gradients of nets: the backward pass of reverse-mode differentiation, as ops of the same IR.
//
//   auto const rules = plait::gradient_rules::standard();        // <plait/gradient/standard_rules.hpp>
//   auto const grads = plait::add_gradient_ops(net, {"loss"}, rules);
//   grads.at("w").values                                         // "w_grad"
//
// Follows Caffe2's core.py (IR, GetBackwardPass) in what is generated and how it is named, but decides on SSA values:
// which version of a blob a gradient belongs to is never a question of names. gradient_options::as_caffe2 lists where
// the two differ.
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

/// The gradient ops of a net, as a net of its type.
template <class N>
struct backward_net {
  N net;                                ///< the gradient ops alone
  gradient_map gradients;               ///< of every blob that has one, or of those asked for
  std::vector<saved_value> saved = {};  ///< copies to be inserted into the net (overwritten_values::copy)
};

/// The ops that compute the gradients of the sum of `ys`, in order: fills of ones for seeds without a gradient, then
/// for each op from the last to the first what its rule makes, followed by sums for blobs that are read several times.
///
/// A blob `x` has the gradient `x_grad`; of several ops that add to it the one made first keeps that name, the others
/// are `_x_grad_autosplit_0`, … (a name that something else still needs gets a number behind). In the map stands the
/// gradient of the first version of a blob that has one. Order and names depend on the net alone.
///
/// Throws gradient_error with everything that is wrong: an op without a rule or whose rule refuses, a needed value that
/// is overwritten, dense and sparse gradients of one blob, gradients on different devices, a seed that is no blob of
/// the net, or is there twice with different gradients, a StopGradient that nobody reads. O(ops + operands) time and
/// space; nesting of nets costs no stack.
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

/// The same, appended to the net itself, copies of values inserted where they are needed. If it throws, the net is as
/// it was. Returns the gradients.
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
