// Training: steps of a model on batches of the data, and how well it does on points that are held out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

#include "model.hpp"

namespace mlp {

struct measurement {
  std::int64_t step = 0;  ///< how many there have been, over all runs of the program
  float loss = 0;         ///< of the batches since the measurement before, on average
  float held_out_loss = 0;
  float accuracy = 0;  ///< on what is held out, 0 to 1
};

/// Is told after each step how many were done, and what was measured last. Training ends early where it returns false.
using watcher = std::function<bool(std::int64_t done, measurement const& last)>;

/// The loss is no number any more.
struct diverged : plait::error {
  explicit diverged(std::int64_t at)
      : error("the loss is no number any more after step " + std::to_string(at) + ": try a lower --rate"), step(at) {}
  std::int64_t step;
};

/// The names of those that are compiled in.
std::vector<std::string> backends();

/// Runs steps of a model, one at least, and leaves in its init net what they have made of the parameters. The numbers
/// are the same bits on every backend, and after two runs those after one of as many steps. Measures after the first
/// step, the last, and every fiftieth of the way, or every thousandth step. Throws diverged, what compiling and running
/// throw, and plait::error for a backend that there is not.
std::vector<measurement> train(model& m, recipe const& how, std::int64_t steps, std::string const& backend,
                               watcher const& watch);

/// The same on backend B (train_on.hpp).
template <plait::backend B>
std::vector<measurement> train_on(model& m, recipe const& how, std::int64_t steps, watcher const& watch);

}  // namespace mlp
