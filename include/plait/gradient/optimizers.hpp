// Optimisers (SGD, Adagrad, Adam, RmsProp) as ops appended to a net: each run of the net is a training step.
//
//   auto grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
//   auto update = plait::add_sgd(net, grads, params, {.rate = 0.1f, .momentum = 0.9f});
//   plait::add_init_ops(init_net, update);
//
// Emits the ops and names of Caffe2's optimizer.py (2018): <parameter>_momentum, <parameter>_squared_sum,
// SgdOptimizer_0_lr_cpu, optimizer_iteration. Differences: the first step is number 0, not 1 (rate_schedule); Iter
// replaces AtomicIter and its mutex; RmsProp applies its rate once, where Caffe2's MomentumSGDUpdate applies it again
// and overwrites the momentum; a gradient that several blobs share is not overwritten.
//
// All functions throw net_error with the parameter's name, and change nothing, if a parameter has no gradient, is
// listed twice or already has an optimiser of that type, and for a sparse gradient that no operator takes. All are
// O(net + parameters). If the net declares external inputs (outputs), they declare parameters and state there, too.
#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>
#include <plait/gradient/detail/optimizer_options.hpp>
#include <plait/gradient/detail/optimizer_plan.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// A net that optimisers can extend: ops, external blobs and names can be added.
template <class N>
concept trainable_net = extensible_net<N> && external_extensible_net<N> && nameable_net<N>;

/// A map from blobs to gradients, such as gradient_map.
template <class M>
concept gradients_by_blob = requires(M const& m, std::string const& blob) {
  { m.find(blob)->second } -> std::convertible_to<blob_gradient const&>;
  { m.begin()->second } -> std::convertible_to<blob_gradient const&>;
  m.find(blob) == m.end();
};

template <class R>
concept parameter_names = std::ranges::input_range<R const> &&
                          std::constructible_from<std::string_view, std::ranges::range_reference_t<R const>>;

namespace detail {
[[noreturn]] inline void no_sparse_operator(trained_parameter const& t, std::string_view optimizer) {
  throw net_error("plait: parameter '" + t.parameter + "' has a sparse gradient, for which " + std::string(optimizer) +
                      " has no operator",
                  {}, t.parameter);
}
}  // namespace detail

/// Appends gradient clipping and weight decay without an update step. Works in place unless several blobs share a
/// gradient; a user-defined step must use the result's `gradients`. Duplicate rows of sparse gradients are summed
/// before clipping.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
optimizer_update add_gradient_preparation(N& n, Gradients const& gradients, Parameters const& parameters,
                                          gradient_preparation const& options,
                                          optimizer_placement const& placement = {}) {
  detail::optimizer_plan<N> plan(n, placement);
  auto all = detail::gather_gradients(gradients, parameters);
  plan.prepare(all, options);
  return plan.apply(n, all);
}

/// Appends SGD: parameter -= rate gradient; with momentum, m = momentum m + rate gradient and parameter -= m, or the
/// Nesterov variant. Updates of sparse gradients without momentum are sparse.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
optimizer_update add_sgd(N& n, Gradients const& gradients, Parameters const& parameters,
                         sgd_options const& options = {}) {
  detail::optimizer_plan<N> plan(n, options.placement);
  auto all = detail::gather_gradients(gradients, parameters);
  bool const momentum = options.momentum != 0;
  if (momentum) plan.deduplicate_rows(all, options.gradients);
  plan.prepare(all, options.gradients);
  std::string const rate = plan.rate("Sgd", momentum ? options.rate : -options.rate, options.schedule);
  std::string const weight = momentum ? rate : plan.as_weight(rate);
  for (detail::trained_parameter& t : all) {
    std::string const& p = t.parameter;
    if (momentum) {
      std::string const m = plan.state(p, "_momentum");
      std::vector<argument_spec> arguments{{"momentum", options.momentum}};
      if (options.nesterov) arguments.push_back({"nesterov", std::int64_t{1}});
      std::string const from = t.gradient.values;
      std::string const step = t.own ? from : plan.fresh(p + "_step");
      if (t.gradient.is_sparse())
        plan.add("SparseMomentumSGDUpdate", {from, m, rate, p, t.gradient.indices}, {step, m, p}, std::move(arguments));
      else
        plan.add("MomentumSGDUpdate", {from, m, rate, p}, {step, m, p}, std::move(arguments));
    } else if (t.gradient.is_sparse()) {
      plan.add("ScatterWeightedSum", {p, plan.one(), t.gradient.indices, t.gradient.values, weight}, {p});
    } else {
      plan.add("WeightedSum", {p, plan.one(), t.gradient.values, weight}, {p});
    }
  }
  return plan.apply(n, all);
}

/// Appends Adagrad: h = decay h + gradient²; parameter -= rate gradient / (sqrt(h) + epsilon). Takes sparse gradients
/// if there is no decay: duplicate rows are summed first, so that the result equals that of the dense gradient.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
optimizer_update add_adagrad(N& n, Gradients const& gradients, Parameters const& parameters,
                             adagrad_options const& options = {}) {
  detail::optimizer_plan<N> plan(n, options.placement);
  auto all = detail::gather_gradients(gradients, parameters);
  for (detail::trained_parameter const& t : all)
    if (t.gradient.is_sparse() && options.decay != 1) detail::no_sparse_operator(t, "Adagrad with decay");
  plan.deduplicate_rows(all, options.gradients);
  plan.prepare(all, options.gradients);
  std::string const rate = plan.rate("Adagrad", -options.rate, options.schedule);
  for (detail::trained_parameter const& t : all) {
    std::string const& p = t.parameter;
    std::string const h = plan.state(p, "_squared_sum");
    if (t.gradient.is_sparse()) {
      plan.add("SparseAdagrad", {p, h, t.gradient.indices, t.gradient.values, rate}, {p, h},
               {{"epsilon", options.epsilon}});
      continue;
    }
    std::vector<argument_spec> arguments{{"epsilon", options.epsilon}};
    if (options.decay != 1) arguments.push_back({"decay", options.decay});
    plan.add("Adagrad", {p, h, t.gradient.values, rate}, {p, h}, std::move(arguments));
  }
  return plan.apply(n, all);
}

/// Appends Adam (Kingma, Ba 2015), with epsilon added to the uncorrected root. Duplicate rows of a sparse gradient are
/// summed first; rows absent from it keep parameter and moments.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
optimizer_update add_adam(N& n, Gradients const& gradients, Parameters const& parameters,
                          adam_options const& options = {}) {
  detail::optimizer_plan<N> plan(n, options.placement);
  auto all = detail::gather_gradients(gradients, parameters);
  plan.deduplicate_rows(all, options.gradients);
  plan.prepare(all, options.gradients);
  std::string const rate = plan.rate("Adam", -options.rate, options.schedule);
  for (detail::trained_parameter const& t : all) {
    std::string const& p = t.parameter;
    std::string const m = plan.state(p, "_first_moment");
    std::string const v = plan.state(p, "_second_moment");
    std::vector<argument_spec> arguments{
        {"beta1", options.beta1}, {"beta2", options.beta2}, {"epsilon", options.epsilon}};
    if (t.gradient.is_sparse())
      plan.add("SparseAdam", {p, m, v, t.gradient.indices, t.gradient.values, rate, options.schedule.iteration},
               {p, m, v}, std::move(arguments));
    else
      plan.add("Adam", {p, m, v, t.gradient.values, rate, options.schedule.iteration}, {p, m, v}, std::move(arguments));
  }
  return plan.apply(n, all);
}

/// Appends RmsProp: s = decay s + (1 - decay) gradient²; m = momentum m + rate gradient / sqrt(epsilon + s);
/// parameter -= m. Caffe2 has no operator for sparse gradients: their duplicate rows are summed, and the indexed rows
/// of s and m are gathered, updated and scattered; other rows keep parameter, s and m.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
optimizer_update add_rms_prop(N& n, Gradients const& gradients, Parameters const& parameters,
                              rms_prop_options const& options = {}) {
  detail::optimizer_plan<N> plan(n, options.placement);
  auto all = detail::gather_gradients(gradients, parameters);
  plan.deduplicate_rows(all, options.gradients);
  plan.prepare(all, options.gradients);
  std::string const rate = plan.rate("RmsProp", options.rate, options.schedule);
  for (detail::trained_parameter const& t : all) {
    std::string const& p = t.parameter;
    std::string const s = plan.state(p, "_mean_squares");
    std::string const m = plan.state(p, "_momentum");
    std::string const step = plan.fresh(p + "_grad_o");
    std::vector<argument_spec> arguments{
        {"decay", options.decay}, {"momentum", options.momentum}, {"epsilon", options.epsilon}};
    if (!t.gradient.is_sparse()) {
      plan.add("RmsProp", {t.gradient.values, s, m, rate}, {step, s, m}, std::move(arguments));
      plan.add("Sub", {p, step}, {p});
      continue;
    }
    std::string const& rows = t.gradient.indices;
    std::string const s_rows = plan.fresh(s + "_rows");
    std::string const m_rows = plan.fresh(m + "_rows");
    plan.add("Gather", {s, rows}, {s_rows});
    plan.add("Gather", {m, rows}, {m_rows});
    plan.add("RmsProp", {t.gradient.values, s_rows, m_rows, rate}, {step, s_rows, m_rows}, std::move(arguments));
    plan.add("ScatterAssign", {s, rows, s_rows}, {s});
    plan.add("ScatterAssign", {m, rows, m_rows}, {m});
    plan.add("ScatterWeightedSum", {p, plan.one(), rows, step, plan.minus_one()}, {p});
  }
  return plan.apply(n, all);
}

/// Appends the optimiser of that name with its default options: "sgd", "momentum" (SGD with momentum 0.9), "adagrad",
/// "adam" or "rmsprop". Returns nothing, and changes nothing, for any other name.
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters>
std::optional<optimizer_update> add_optimizer(N& n, Gradients const& gradients, Parameters const& parameters,
                                              std::string_view name, float rate) {
  if (name == "sgd") return add_sgd(n, gradients, parameters, {.rate = rate});
  if (name == "momentum") return add_sgd(n, gradients, parameters, {.rate = rate, .momentum = 0.9f});
  if (name == "adagrad") return add_adagrad(n, gradients, parameters, {.rate = rate});
  if (name == "adam") return add_adam(n, gradients, parameters, {.rate = rate});
  if (name == "rmsprop") return add_rms_prop(n, gradients, parameters, {.rate = rate});
  return std::nullopt;
}

/// Appends the ops that initialise an optimiser's state to an init net, after those of the parameters. Skips blobs that
/// the net already writes, which is state that several optimisers share. Declares the state if the net declares
/// external outputs. O(init net + state).
template <trainable_net N>
void add_init_ops(N& init_net, optimizer_update const& update) {
  using traits = detail::net_traits_of<N>;
  auto const text = [&](name_t<N> const& name) { return std::string(name_text(std::as_const(init_net), name)); };
  boost::unordered_flat_set<std::string> written, promised;
  for (auto&& op : plait::ops(std::as_const(init_net)))
    for (auto const& name : plait::outputs(std::as_const(init_net), op)) written.insert(text(name));
  for (auto const& name : plait::external_outputs(std::as_const(init_net))) promised.insert(text(name));
  bool const declares = !promised.empty();
  for (op_spec const& op : update.init_ops) {
    std::string const& made = op.outputs.front();
    if (written.insert(made).second) traits::append_op(init_net, op);
    if (declares && promised.insert(made).second) traits::add_external_output(init_net, make_name(init_net, made));
  }
}

}  // namespace plait
