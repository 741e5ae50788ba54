// Recurrent layer: runs a cell over a sequence as one RecurrentNetwork op, with the input projections hoisted.
//
//   plait::trained_model model("net");
//   auto x = model.net.external_input("x");                                        // T×N×8
//   auto lstm = plait::add_recurrent_layer(model, "lstm", plait::lstm_cell{8, 16}, {.sequence = x});
//   lstm.output                                                                    // T×N×16
//
// Follows RNNCell.apply_over_sequence of Caffe2's rnn_cell.py in ops and names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/layer_builder.hpp>
#include <plait/rnn/detail/layer_options.hpp>
#include <plait/rnn/detail/time_parallel_ops.hpp>
#include <plait/rnn/recurrent_cell.hpp>
#include <plait/rnn/recurrent_net.hpp>

namespace plait {

/// Adds a layer called `name`, which is the scope of its parameters and blobs, within the name scope of the net. A
/// state is called <name>/<state>_prev in the step net and <name>/<state>_all over all steps, T×N×width.
///
/// Throws, and rolls the model back: net_error if the layer exists already, a blob is unknown, a parameter exists with
/// another shape, or the number of initial states differs from the cell's, and as recurrent_net does; gradient_error if
/// the cell is not differentiable. O(ops that are added), and O(net) if it throws.
template <recurrent_cell Cell>
recurrent_layer add_recurrent_layer(trained_model& model, std::string_view name, Cell const& cell,
                                    recurrent_layer_options const& options,
                                    gradient_rules const& rules = gradient_rules::standard()) {
  model_rollback rollback(model);
  using traits = cell_traits<Cell>;
  detail::layer_builder builder(model, name, options, traits::states(cell));

  recurrent_net_options net{.inputs = {{builder.scoped("input_t"), {}}},
                            .outputs_with_grads = options.outputs_with_grads,
                            .timestep = builder.scoped("timestep"),
                            .scope = builder.scope(),
                            .forward_only = options.forward_only,
                            .executor = options.executor};
  {
    cell_scope around = builder.over_sequence();
    net.inputs[0].sequence = traits::prepare(cell, around, builder.sequence()).name();
    std::vector<std::string> const initial = builder.initial_states(around);

    net_builder one(builder.scope());
    step_conditions conditions{.timestep = net.timestep};
    std::vector<blob_handle> before;
    for (cell_state const& state : builder.states())
      before.push_back(one.external_input(builder.scoped(state.name + "_prev")));
    blob_handle const input = one.external_input(net.inputs[0].in);
    {
      cell_step step(builder.in(one), conditions, input, before);
      std::vector<blob_handle> after = traits::step(cell, step);
      builder.make_own(step.net, after);
      for (std::size_t i = 0; i != after.size(); ++i) {
        net.states.push_back({.in = before[i], .out = after[i], .initial = initial[i]});
        one.external_outputs(after[i]);
      }
    }
    net.cell = one;
    if (options.recompute) net.recompute_on_backward = conditions.recomputable;
    if (!options.hoist.empty()) net = hoist_time_parallel_ops(model.net, net, options.hoist);
  }
  if (options.outputs_with_grads.empty())
    for (std::size_t const state : traits::output_states(cell)) net.outputs_with_grads.push_back(2 * state);

  recurrent_outputs<blob_handle> const made = recurrent_net(model.net, net, rules);
  recurrent_layer layer;
  for (std::size_t i = 0; i != net.states.size(); ++i) {
    layer.all.push_back(builder.in_order(made.blobs[2 * i]));
    layer.last.push_back(made.blobs[2 * i + 1]);
  }
  cell_scope around = builder.over_sequence();
  layer.output = traits::output(cell, around, layer.all);
  layer.output_width = traits::output_width(cell);
  rollback.commit_new_blobs("layer '" + std::string(name) + "'");
  return layer;
}

}  // namespace plait
