// The model: builds its nets, saves and loads them (checkpoints).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/model.hpp>

#include "text.hpp"

namespace lstm {

/// Hyperparameters. Training resumed from files must use the same.
struct recipe {
  std::string cell = "lstm";
  std::int64_t layers = 1;
  std::int64_t size = 128;    ///< width of the hidden state of a layer
  std::int64_t streams = 32;  ///< batch: positions of the text that are read at once, by all ranks together
  std::int64_t window = 50;   ///< time steps per training step (truncated BPTT)
  std::string optimizer = "adam";
  float rate = 0.005f;
  float clip = 5;  ///< maximum norm of the gradient
  std::int64_t seed = 1;
};

std::vector<std::string> const& cells();

/// Returns the hyperparameters as command line options.
std::string to_string(recipe const& r);

/// The nets of a model. The blobs that `init` fills persist from step to step: parameters, optimiser state, initial
/// hidden states of a window, those of the sampling net, and the vocabulary.
struct model {
  plait::netdef init;
  plait::netdef step;    ///< text, next: window×streams indices in the vocabulary -> loss
  plait::netdef sample;  ///< symbol: one index, sharpness: 1 / temperature -> probability: 1×1×vocabulary
};

/// Builds a model. Throws plait::net_error for an unknown cell or optimiser.
model make_model(recipe const& how, vocabulary const& characters);

/// Nets of a rank that trains a model together with others, on some of the streams.
struct rank_nets {
  plait::netdef init;    ///< after model::init: creates the communicator and broadcasts the parameters
  plait::netdef step;    ///< model::step for these streams. The loss is the mean over all ranks, so is `stop`, an input
  plait::netdef gather;  ///< carried hidden states of these streams -> those of all, named <state>/all
  std::vector<std::string> carried;  ///< these states, 1×streams×width
};

/// `streams`: of this rank. `bytes(parameter)`: size of a parameter.
rank_nets make_rank_nets(recipe const& how, std::int64_t streams, vocabulary const& characters,
                         std::function<std::size_t(std::string_view)> const& bytes);

/// Returns the vocabulary of a model. Throws plait::net_error if the init net has none.
vocabulary vocabulary_of(model const& m);

/// Thrown for a file with a net of other hyperparameters.
struct other_recipe : plait::error {
  other_recipe(std::string const& file, std::string const& was)
      : error(file + ": was begun with " + was + "; to go on, say the same"), recipe(was) {}
  std::string recipe;
};

/// Writes `step` to the file, `init` and `sample` beside it, as <name>.init.<suffix> and so on; .pb and .json select
/// the format, everything else is text. Atomic: at any moment the files are those of a complete save. Throws
/// plait::io_error.
void save(model const& m, std::filesystem::path const& file);
/// Loads a model. Throws plait::io_error for a file that is missing or not a net, and other_recipe.
model load(std::filesystem::path const& file, recipe const& how);

}  // namespace lstm
