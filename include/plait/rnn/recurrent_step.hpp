// Single recurrent step without a loop: autoregressive decoding, where each output decides the next input.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Options of add_recurrent_step.
struct recurrent_step_options {
  std::string input = {};                    ///< 1×N×…
  std::vector<std::string> states = {};      ///< states after the previous step: 1×N×width
  std::optional<std::string> lengths = {};   ///< N lengths, int32 or int64; absent: no sequence ends
  std::optional<std::string> timestep = {};  ///< index of the step, one int32; absent: 0
  bool drop_states = false;                  ///< zeroes, not keeps, the states of a sequence that has ended
  bool forward_only = false;                 ///< omits the backward pass
  /// Full name of the parameters' scope, to share those of a layer; absent: the step's own scope.
  std::optional<std::string> parameters = {};
};

/// Blobs of a recurrent step.
struct recurrent_step {
  blob_handle output;               ///< the cell's output: 1×N×output_width
  std::vector<blob_handle> states;  ///< states after this step: 1×N×width
};

/// Adds the ops of one step of a cell, called `name`, to the net. With the `parameters` of a layer it computes one step
/// of that layer.
///
/// Throws net_error, and rolls the model back, if the step exists already, a blob is unknown, a parameter exists with
/// another shape, or the number of states differs from the cell's. O(ops that are added), and O(net) if it throws.
template <recurrent_cell Cell>
recurrent_step add_recurrent_step(trained_model& model, std::string_view name, Cell const& cell,
                                  recurrent_step_options const& options) {
  using traits = cell_traits<Cell>;
  model_rollback rollback(model);
  if (name.empty()) throw net_error("plait: a recurrent step needs a name");
  std::size_t const count = traits::states(cell).size();
  if (options.states.size() != count)
    throw net_error("plait: recurrent step '" + std::string(name) + "': its cell has " + std::to_string(count) +
                    " states, but " + std::to_string(options.states.size()) + " are set");
  std::vector<blob_handle> before;
  before.reserve(count);
  for (std::string const& state : options.states) before.push_back(model.net.blob(state));
  for (auto const& blob : {options.lengths, options.timestep})
    if (blob) (void)model.net.blob(*blob);
  // External inputs may be overwritten, so that the next run finds the new states. Outputs of another step of this name
  // may not: they would alias this step's outputs.
  netdef const& n = model.net.net();
  auto const is_carried = [&](std::string const& blob) {
    auto const writes = [&](op_def const& op) { return std::ranges::find(op.output, n.find(blob)) != op.output.end(); };
    return std::ranges::find(options.states, blob) != options.states.end() && std::ranges::none_of(n.op, writes);
  };
  for (cell_state const& state : traits::states(cell))
    for (char const* const kind : {"", "_masked"})
      if (std::string const made = model.net.full_name(name) + '/' + state.name + kind;
          model.net.visible(made) && !is_carried(made))
        throw net_error("plait: recurrent step '" + std::string(name) + "': the net has '" + made + "' already", {},
                        made);

  cell_conditions const conditions{options.lengths, options.drop_states, options.forward_only};
  step_conditions one;
  if (options.timestep)
    one.timestep = *options.timestep;
  else
    one.number = 0;
  std::string const parameters = options.parameters ? *options.parameters : model.net.full_name(name);
  cell_scope around(model, model.net, conditions, parameters, name);
  blob_handle const input = traits::prepare(cell, around, model.net.blob(options.input));
  recurrent_step made;
  {
    cell_step step(around.within(""), one, input, before);
    made.states = traits::step(cell, step);
  }
  made.output = traits::output(cell, around, made.states);
  rollback.commit_new_blobs("recurrent step '" + std::string(name) + "'", options.states);
  return made;
}

}  // namespace plait
