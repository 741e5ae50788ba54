// Data parallelism: a training net that exchanges its gradients with other ranks while the backward pass goes on.
//
//   auto const gradients = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard(), {.only =
//   parameters}); auto const ranks = plait::add_data_parallel(net, gradients, parameters, bytes, {.averaged =
//   {"loss"}}); auto const update = plait::add_adam(net, gradients, parameters); plait::add_init_ops(init_net, update);
//   plait::add_init_ops(init_net, ranks);
//
// Each rank runs the same net on its own part of a batch. Gradients are exchanged in buckets, in the order in which the
// backward pass computes them, as PyTorch's DistributedDataParallel does (Li et al., VLDB 2020): MPIAllreduceBegin
// starts as soon as a bucket is whole, and MPIAllreduceEnd precedes the first op that reads one of its gradients. What
// lies between them overlaps with the communication. Runs need the operators of <plait/exec/mpi.hpp>.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/data_parallel_plan.hpp>
#include <plait/gradient/detail/optimizer_plan.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Inserts the exchange of the gradients of parameters into a net that computes them, and returns the ops for the init
/// net: one that creates the communicator, and one broadcast from rank 0 for each parameter. Names of gradients stay:
/// each op after the exchange reads the mean (or sum) over all ranks, so that norms and clipping that come later are
/// those of the whole batch.
///
/// `bytes(parameter)` returns the size of a dense gradient, which is that of its parameter; it is called once for each.
/// Ops that read a gradient within the backward pass read the mean, too. Sparse gradients are gathered instead: their
/// indices and values are those of all ranks.
///
/// Throws net_error, and changes nothing: a parameter that is listed twice or has no gradient, a gradient or result
/// that no op writes before options.end, a communicator that an op writes. O(net + parameters).
template <trainable_net N, gradients_by_blob Gradients, parameter_names Parameters, class Bytes>
data_parallel_update add_data_parallel(N& n, Gradients const& gradients, Parameters const& parameters, Bytes&& bytes,
                                       data_parallel_options const& options = {}) {
  detail::data_parallel_plan<N> plan(n, options);
  for (detail::trained_parameter const& t : detail::gather_gradients(gradients, parameters)) {
    plan.broadcast(t.parameter);
    if (t.gradient.is_sparse())
      plan.gather(t.gradient);
    else
      plan.reduce(t.gradient.values, static_cast<std::size_t>(bytes(std::string_view(t.parameter))));
  }
  return plan.apply(n);
}

/// Appends the ops of a data-parallel net to its init net, after those of the parameters. Declares the communicator if
/// the net declares external outputs. O(init net + parameters).
template <trainable_net N>
void add_init_ops(N& init_net, data_parallel_update const& update) {
  using traits = detail::net_traits_of<N>;
  bool declares = false;
  for ([[maybe_unused]] auto const& name : plait::external_outputs(std::as_const(init_net))) declares = true;
  for (op_spec const& op : update.init_ops) traits::append_op(init_net, op);
  if (declares) traits::add_external_output(init_net, make_name(init_net, update.communicator));
}

}  // namespace plait
