// Bidirectional and stacked recurrent layers.
//
//   auto made = plait::add_recurrent_layers(model, "encoder", plait::stack_of<plait::lstm_cell>(8, {64, 128}),
//                                         {.layer = {.sequence = x}});
//   made.back().output                              // T×N×128
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/rnn/detail/layer_options.hpp>
#include <plait/rnn/detail/recurrent_layer.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Adds a bidirectional layer: the cell forward as <name>/forward, and in reverse, with separate parameters, as
/// <name>/backward. Outputs are concatenated along the last axis; `all`, `last` and, if set, `initial` list the forward
/// states, then the backward ones; other options apply to both. `reverse` and `parameters` must not be set. Throws as
/// add_recurrent_layer does.
template <recurrent_cell Cell>
recurrent_layer add_bidirectional_layer(trained_model& model, std::string_view name, Cell const& cell,
                                        recurrent_layer_options const& options,
                                        gradient_rules const& rules = gradient_rules::standard()) {
  auto const fail = [&](std::string const& why) {
    throw net_error("plait: bidirectional layer '" + std::string(name) + "': " + why);
  };
  if (name.empty()) fail("it needs a name");
  if (options.reverse || options.parameters) fail("`reverse` and `parameters` must not be set");
  std::size_t const states = cell_traits<Cell>::states(cell).size();
  if (!options.initial.empty() && options.initial.size() != 2 * states)
    fail("it has " + std::to_string(2 * states) + " states, but " + std::to_string(options.initial.size()) +
         " initial values");
  model_rollback rollback(model);
  recurrent_layer both;
  std::vector<blob_handle> outputs;
  for (bool const reverse : {false, true}) {
    recurrent_layer_options one = options;
    one.reverse = reverse;
    if (!one.initial.empty()) {
      auto const first = options.initial.begin() + static_cast<std::ptrdiff_t>(reverse ? states : 0);
      one.initial.assign(first, first + static_cast<std::ptrdiff_t>(states));
    }
    recurrent_layer const made =
        add_recurrent_layer(model, std::string(name) + (reverse ? "/backward" : "/forward"), cell, one, rules);
    both.all.insert(both.all.end(), made.all.begin(), made.all.end());
    both.last.insert(both.last.end(), made.last.begin(), made.last.end());
    both.output_width += made.output_width;
    outputs.push_back(made.output);
  }
  both.output = model.net.concat(outputs, 2, std::string(name) + "/output");
  rollback.commit_new_blobs("layer '" + std::string(name) + "'");
  return both;
}

/// Options of add_recurrent_layers.
struct recurrent_layers_options {
  /// Options of every layer. `initial`, if set, lists the states of all layers, the lowest first; layers below the
  /// highest ignore `outputs_with_grads` that they do not have.
  recurrent_layer_options layer = {};
  bool bidirectional = false;
  /// Initialises the states of each layer with the last states of the layer below, as Caffe2's layered_LSTM does.
  bool chained = false;
};

/// Adds stacked layers, one per cell, called <name>_layer_<i>. Each runs over the whole sequence before the next, so
/// that the input products of a layer are one GEMM. Outputs of lower layers have gradients at all steps.
///
/// Throws as add_recurrent_layer does, and if there is no cell, or states of a layer are both set and chained; rolls
/// the model back.
template <recurrent_cell Cell>
std::vector<recurrent_layer> add_recurrent_layers(trained_model& model, std::string_view name,
                                                  std::vector<Cell> const& cells,
                                                  recurrent_layers_options const& options,
                                                  gradient_rules const& rules = gradient_rules::standard()) {
  auto const fail = [&](std::string const& why) {
    throw net_error("plait: recurrent layers '" + std::string(name) + "': " + why);
  };
  using traits = cell_traits<Cell>;
  std::size_t const directions = options.bidirectional ? 2 : 1;
  if (name.empty()) fail("they need a name");
  if (cells.empty()) fail("there is no cell");
  if (options.layer.parameters) fail("`parameters` must not be set: layers do not share parameters");
  std::size_t expected = 0;
  for (std::size_t i = 0; i != (options.chained ? 1 : cells.size()); ++i)
    expected += directions * traits::states(cells[i]).size();
  auto const& initial = options.layer.initial;
  if (!initial.empty() && initial.size() != expected)
    fail("they need " + std::to_string(expected) + " initial values, not " + std::to_string(initial.size()));

  model_rollback rollback(model);
  std::vector<recurrent_layer> made;
  std::size_t used = 0;
  for (std::size_t i = 0; i != cells.size(); ++i) {
    recurrent_layer_options one = options.layer;
    one.initial.clear();
    if (i != 0) one.sequence = made.back().output;
    if (i != 0 && options.chained) {
      one.initial.assign(made.back().last.begin(), made.back().last.end());
      one.learn_initial = false;
    } else if (!initial.empty()) {
      auto const first = initial.begin() + static_cast<std::ptrdiff_t>(used);
      used += directions * traits::states(cells[i]).size();
      one.initial.assign(first, initial.begin() + static_cast<std::ptrdiff_t>(used));
    }
    if (i + 1 != cells.size()) {
      auto& wanted = one.outputs_with_grads;
      std::erase_if(wanted, [&](std::size_t output) { return output >= 2 * traits::states(cells[i]).size(); });
      auto const want = [&](std::size_t output) {
        if (std::ranges::find(wanted, output) == wanted.end()) wanted.push_back(output);
      };
      for (std::size_t const state : traits::output_states(cells[i])) want(2 * state);
      if (options.chained)
        for (std::size_t state = 0; state != traits::states(cells[i]).size(); ++state) want(2 * state + 1);
    }
    std::string const layer = std::string(name) + "_layer_" + std::to_string(i);
    made.push_back(options.bidirectional ? add_bidirectional_layer(model, layer, cells[i], one, rules)
                                         : add_recurrent_layer(model, layer, cells[i], one, rules));
  }
  rollback.commit_new_blobs("layer '" + std::string(name) + "'");
  return made;
}

/// Returns cells with the listed hidden widths; the input width of the first is `inputs`, that of the others the output
/// width of the cell below. `options` initialise the members after inputs and hidden.
template <class Cell, class... Options>
std::vector<Cell> stack_of(std::int64_t inputs, std::vector<std::int64_t> const& hidden, Options const&... options) {
  std::vector<Cell> made;
  for (std::int64_t const width : hidden) {
    made.push_back(Cell{inputs, width, options...});
    inputs = cell_traits<Cell>::output_width(made.back());
  }
  return made;
}

}  // namespace plait
