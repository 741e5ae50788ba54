// Training: steps of a model on batches of the data, and how well it does on points that are held out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

#include "common/ranks.hpp"
#include "model.hpp"

namespace mlp {

struct measurement {
  std::int64_t step = 0;  ///< number of steps so far, over all runs of the program
  float loss = 0;         ///< mean over the batches since the last measurement
  float held_out_loss = 0;
  float accuracy = 0;  ///< on the held-out set, 0 to 1
};

/// Callback after each step, with the number of steps done, that of all runs and the loss of this one, and the last
/// measurement. Training ends early if it returns false.
using watcher = std::function<bool(std::int64_t done, std::int64_t step, float loss, measurement const& last)>;

/// How long to train, and when to save.
struct schedule {
  std::int64_t steps = 1000;                    ///< at least one
  std::int64_t save_interval = 0;               ///< steps between two checkpoints; 0: none
  std::function<void(model const&)> save = {};  ///< saves a checkpoint
};

/// Error: the loss is not finite.
struct diverged : plait::error {
  explicit diverged(std::int64_t at)
      : error("the loss is not finite after step " + std::to_string(at) + ": try a lower --rate"), step(at) {}
  std::int64_t step;
};

/// Returns the names of the backends that are compiled in.
std::vector<std::string> backends();

/// Runs training steps of a model, and stores the trained parameters in its init net. Results are bit-identical on
/// every backend, and two runs give those of one run of as many steps. Measures after the first step, the last, and
/// every fiftieth of the way, or every thousandth step. Each rank trains on its part of each batch: results are those
/// of one rank up to rounding. All ranks end one step after the watcher of one returns false. Throws diverged, the
/// errors of compiling and running, and plait::error for an unknown backend and a batch that the ranks do not divide.
std::vector<measurement> train(model& m, recipe const& how, schedule const& when, std::string const& backend,
                               example::ranks const& among, watcher const& watch);

/// Implements train() on backend B (train_on.hpp).
template <plait::backend B>
std::vector<measurement> train_on(model& m, recipe const& how, schedule const& when, example::ranks const& among,
                                  watcher const& watch);

}  // namespace mlp
