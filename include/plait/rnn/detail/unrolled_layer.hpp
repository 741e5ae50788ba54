// Unrolled recurrent layer for a known sequence length: the ops of every step in the outer net, without a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/layer_builder.hpp>
#include <plait/rnn/detail/layer_options.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Adds an unrolled layer, with the parameters and results of add_recurrent_layer, for sequences of exactly `steps`
/// steps. Blobs of step t are in the scope <name>/timestep_<t>. Every output has a gradient and nothing is recomputed:
/// outputs_with_grads, recompute and executor are ignored. Follows Caffe2's UnrolledCell.
///
/// Throws net_error as add_recurrent_layer does, and if steps is not positive; rolls the model back. O(steps × ops of a
/// step), and O(net) if it throws.
template <recurrent_cell Cell>
recurrent_layer add_unrolled_layer(trained_model& model, std::string_view name, Cell const& cell, std::int32_t steps,
                                   recurrent_layer_options const& options) {
  using traits = cell_traits<Cell>;
  model_rollback rollback(model);
  detail::layer_builder builder(model, name, options, traits::states(cell));
  if (steps < 1)
    throw net_error("plait: recurrent layer '" + std::string(name) + "' cannot be unrolled to " +
                    std::to_string(steps) + " steps");
  cell_scope around = builder.over_sequence();
  blob_handle const sequence = traits::prepare(cell, around, builder.sequence());
  std::vector<blob_handle> const slices = model.net.split(sequence, static_cast<std::size_t>(steps), 0);
  std::vector<blob_handle> states = builder.initial_rows(around, slices.front());
  std::vector<std::vector<blob_handle>> all(states.size());
  for (std::int32_t t = 0; t != steps; ++t) {
    step_conditions conditions;
    conditions.number = t;
    cell_step step(builder.over_step("timestep_" + std::to_string(t)), conditions, slices[static_cast<std::size_t>(t)],
                   states);
    states = traits::step(cell, step);
    for (std::size_t i = 0; i != states.size(); ++i) all[i].push_back(states[i]);
  }
  recurrent_layer layer;
  for (std::size_t i = 0; i != states.size(); ++i)
    layer.all.push_back(builder.in_order(model.net.concat(all[i], 0, builder.states()[i].name + "_all")));
  layer.last = states;
  layer.output = traits::output(cell, around, layer.all);
  layer.output_width = traits::output_width(cell);
  rollback.commit_new_blobs("layer '" + std::string(name) + "'");
  return layer;
}

}  // namespace plait
