// The nets: how they are made, kept in files, and gone on with.
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

namespace mlp {

/// Hyperparameters of a net. Resumed training requires the same ones.
struct recipe {
  std::vector<std::int64_t> hidden = {64, 64};  ///< widths of the hidden layers
  std::string optimizer = "adam";
  float rate = 0.01f;
  std::int64_t batch = 64;  ///< points of a step, of all ranks together
  std::int64_t arms = 3;
  std::int64_t seed = 1;
};

/// Returns the hyperparameters as command line options.
std::string to_string(recipe const& r);

/// Two nets are all there is to training: what `init` makes lives from step to step, and `step` changes it.
struct model {
  plait::netdef init;
  plait::netdef step;  ///< x, label -> loss, accuracy
};

/// Throws plait::net_error for an optimiser that there is not.
model make_model(recipe const& how);

/// Nets of a rank that trains a model together with others.
struct rank_nets {
  plait::netdef init;  ///< after model::init: creates the communicator and broadcasts the parameters
  /// model::step on a part of the batch. Loss and accuracy are means over all ranks, and so is `stop`, an input.
  plait::netdef step;
};

/// `bytes(parameter)`: size of a parameter.
rank_nets make_rank_nets(recipe const& how, std::function<std::size_t(std::string_view)> const& bytes);

/// The part of a step that only looks: loss and accuracy, without gradients and updates.
plait::netdef evaluation_net(plait::netdef const& step);

/// A file with a net that was begun in another way.
struct other_recipe : plait::error {
  other_recipe(std::string const& file, std::string const& was)
      : error(file + ": was begun with " + was + "; to go on, say the same"), recipe(was) {}
  std::string recipe;
};

/// Writes `step` to the file and `init` beside it, as <name>.init.<suffix>; .pb and .json are the formats of those
/// names, everything else is text. At any moment the files are those of a whole save. Throws plait::io_error.
void save(model const& m, std::filesystem::path const& file);
/// Throws plait::io_error for what is missing or no net, and other_recipe.
model load(std::filesystem::path const& file, recipe const& how);

}  // namespace mlp
