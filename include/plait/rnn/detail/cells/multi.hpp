// Stacked recurrent cells as one cell, with optional residual connections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Stacked cells: in each step the input of a cell is the output of the one below; the lowest reads the sequence and
/// the extra inputs. `residual` lists layers whose input is added to their output (K. He et al., CVPR 2016), except
/// layer 0. States and parameters of layer i are in the scope layer_<i>.
///
/// All layers complete one time step before the next. Separate layers (add_recurrent_layers) batch more work, but each
/// needs the whole sequence of the layer below. Follows Caffe2's MultiRNNCell.
struct multi_cell {
  std::vector<any_cell> layers;
  std::vector<std::size_t> residual = {};

  static constexpr bool masks = true;

  std::vector<cell_state> states() const {
    check();
    std::vector<cell_state> made;
    for (std::size_t i = 0; i != layers.size(); ++i)
      for (cell_state const& state : layers[i].states())
        made.push_back({scope(i) + '/' + state.name, state.width, state.initial});
    return made;
  }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const {
    check();
    cell_scope inside = s.within(scope(0));
    return layers[0].prepare(inside, x);
  }
  std::vector<blob_handle> step(cell_step& s) const {
    std::vector<blob_handle> made;
    blob_handle x = s.input;
    for (std::size_t i = 0; i != layers.size(); ++i) {
      blob_handle const given = x;
      std::vector<blob_handle> after;
      {
        auto const first = s.states.begin() + static_cast<std::ptrdiff_t>(made.size());
        std::vector<blob_handle> before(first, first + static_cast<std::ptrdiff_t>(layers[i].states().size()));
        cell_step inside = s.within(scope(i), x, std::move(before), i == 0 ? s.extra : std::vector<extra_input>());
        if (i != 0) inside.input = layers[i].prepare(inside, x);
        after = layers[i].step(inside);
        if (i + 1 != layers.size()) x = layers[i].output(inside, after);
      }
      if (i + 1 != layers.size() && is_residual(i)) x = s.net.sum({x, given}, "residual_output_" + std::to_string(i));
      made.insert(made.end(), after.begin(), after.end());
    }
    return made;
  }

  std::vector<std::size_t> output_states() const {
    std::vector<std::size_t> made;
    for (std::size_t const i : summed())
      for (std::size_t const state : layers[i].output_states()) made.push_back(first_state(i) + state);
    return made;
  }
  std::int64_t output_width() const { return layers.back().output_width(); }
  blob_handle output(cell_scope& s, std::vector<blob_handle> const& states) const {
    std::vector<blob_handle> parts;
    for (std::size_t const i : summed()) {
      auto const first = states.begin() + static_cast<std::ptrdiff_t>(first_state(i));
      cell_scope inside = s.within(scope(i));
      parts.push_back(
          layers[i].output(inside, {first, first + static_cast<std::ptrdiff_t>(layers[i].states().size())}));
    }
    return parts.size() == 1 ? parts[0] : s.net.sum(parts, "residual_output");
  }

 private:
  static std::string scope(std::size_t i) { return "layer_" + std::to_string(i); }
  bool is_residual(std::size_t i) const { return i != 0 && std::ranges::find(residual, i) != residual.end(); }
  std::size_t first_state(std::size_t layer) const {
    std::size_t made = 0;
    for (std::size_t i = 0; i != layer; ++i) made += layers[i].states().size();
    return made;
  }
  // Returns the layers whose outputs sum to the cell's output: the top one and those that residual connections reach.
  std::vector<std::size_t> summed() const {
    check();
    std::vector<std::size_t> made{layers.size() - 1};
    while (is_residual(made.back())) made.push_back(made.back() - 1);
    return made;
  }
  void check() const {
    if (layers.empty()) throw net_error("plait: a multi_cell has no layers");
    for (std::size_t const i : residual) {
      if (i >= layers.size())
        throw net_error("plait: residual layer " + std::to_string(i) + " is out of range for " +
                        std::to_string(layers.size()) + " layers");
      if (i != 0 && layers[i].output_width() != layers[i - 1].output_width())
        throw net_error("plait: residual layer " + std::to_string(i) + " has the output width " +
                        std::to_string(layers[i].output_width()) + ", but the input width " +
                        std::to_string(layers[i - 1].output_width()));
    }
  }
};

PLAIT_CHECK_RECURRENT_CELL(multi_cell);

}  // namespace plait
