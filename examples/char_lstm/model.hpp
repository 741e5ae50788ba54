// The nets: how they are made, kept in files, and gone on with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/model.hpp>

#include "text.hpp"

namespace lstm {

/// What a net is made from. Training that goes on later must go on with the same.
struct recipe {
  std::string cell = "lstm";
  std::int64_t layers = 1;
  std::int64_t size = 128;    ///< of the state of a layer
  std::int64_t streams = 32;  ///< places of the text that are read at once
  std::int64_t window = 50;   ///< characters of each in a step, as far back as gradients go
  std::string optimizer = "adam";
  float rate = 0.005f;
  float clip = 5;  ///< the largest norm of the gradient
  std::int64_t seed = 1;
};

std::vector<std::string> const& cells();

/// As options of the command line.
std::string to_string(recipe const& r);

/// What `init` makes lives from step to step: parameters, what the optimiser keeps, the states that a window begins
/// with, those of the sampling net, and the vocabulary.
struct model {
  plait::netdef init;
  plait::netdef step;    ///< text, next: window×streams places in the vocabulary -> loss
  plait::netdef sample;  ///< symbol: one place, sharpness: 1 / temperature -> probability: 1×1×vocabulary
};

/// Throws plait::net_error for a cell or an optimiser that there is not.
model make_model(recipe const& how, vocabulary const& characters);

/// The one that the model was made for. Throws plait::net_error where the init net has none.
vocabulary vocabulary_of(model const& m);

/// A file with a net that was begun in another way.
struct other_recipe : plait::error {
  other_recipe(std::string const& file, std::string const& was)
      : error(file + ": was begun with " + was + "; to go on, say the same"), recipe(was) {}
  std::string recipe;
};

/// Writes `step` to the file, `init` and `sample` beside it, as <name>.init.<suffix> and so on; .pb and .json are the
/// formats of those names, everything else is text. At any moment the files are those of a whole save. Throws
/// plait::io_error.
void save(model const& m, std::filesystem::path const& file);
/// Throws plait::io_error for what is missing or no net, and other_recipe.
model load(std::filesystem::path const& file, recipe const& how);

}  // namespace lstm
