// Recurrence builder: turns the net of one time step into a RecurrentNetwork op, with backpropagation through time.
//
//   plait::net_builder cell("cell");
//   auto [x, h_prev, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
//   auto h = cell.tanh(cell.fc(cell.concat({x, h_prev}, 1), w, b), "h");
//   cell.external_outputs(h);
//
//   auto out = plait::recurrent_net(model, {.cell = cell,
//                                           .inputs = {{x, "sequence"}},
//                                           .states = {{.in = h_prev, .out = h, .initial = "h0"}}});
//   out.all("h"), out.last("h")                                  // T×N×H and 1×N×H
//
// Blobs that the cell captures (w and b here) are inputs of the op and have gradients like those of any op.
#pragma once

#include <string>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/gradient/standard_rules.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/recurrence_plan.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>

namespace plait {

namespace detail {

inline std::string recurrent_scope(netdef const& n, recurrent_net_options const& options) {
  if (options.scope) return *options.scope;
  name_generator names(n.text(n.name), n);
  std::string made = names.next_name("recurrent");
  while (!options.as_caffe2 && names.taken(made + "/step_workspaces")) made = names.next_name("recurrent");
  return made;
}

}  // namespace detail

/// Adds a RecurrentNetwork op, and around it ops that reverse sequences for options.reverse and fill initial zeros for
/// outputs that are not states; blobs that they read and `n` neither declares nor writes become external inputs. States
/// are called <scope>/<in>_states, outputs <out>_all and <out>_last, unless options.outputs names them.
///
/// Unless forward_only, the op has the backward pass of the cell by `rules`, with the seed <out>_grad for every state
/// and gradients of all sequences, states and parameters that have one. Follows Caffe2's recurrent_net; see
/// recurrent_net_options::as_caffe2 for the differences.
///
/// Throws, and changes nothing: net_error naming the blob or the op of the cell if the options do not fit the cell (a
/// state that no op writes, a blob with two roles, an input that the cell overwrites, a missing output with a gradient,
/// a recomputation with another result) or a gradient is sparse; gradient_error if the cell is not differentiable. O(n
/// + cell).
inline recurrent_outputs<std::string> recurrent_net(netdef& n, recurrent_net_options const& options,
                                                    gradient_rules const& rules = gradient_rules::standard()) {
  detail::recurrence_plan planned(options, detail::recurrent_scope(n, options), rules);
  boost::unordered_flat_set<std::string> defined;
  for (symbol const s : n.external_input) defined.emplace(n.text(s));
  for (op_def const& op : n.op)
    for (symbol const s : op.output) defined.emplace(n.text(s));
  for (op_def const& op : planned.ops.op) {
    op_def const& made = n.op.emplace_back(n.adopt(op, planned.ops));
    for (symbol const s : made.input)
      if (defined.emplace(n.text(s)).second) n.external_input.push_back(s);
    for (symbol const s : made.output) defined.emplace(n.text(s));
  }
  return std::move(planned.made);
}

/// Adds the ops to a net under construction. Throws net_error, too, if the builder does not know an input of the op.
/// Names are used verbatim, whatever the name scope.
inline recurrent_outputs<blob_handle> recurrent_net(net_builder& model, recurrent_net_options const& options,
                                                    gradient_rules const& rules = gradient_rules::standard()) {
  detail::recurrence_plan const planned(options, detail::recurrent_scope(model.net(), options), rules);
  model.append_ops(planned.ops);
  recurrent_outputs<blob_handle> made{planned.made.outputs, {}, model.blob(planned.made.workspaces)};
  for (std::string const& name : planned.made.blobs) made.blobs.push_back(model.blob(name));
  return made;
}

}  // namespace plait
