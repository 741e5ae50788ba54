// Training of a model on a text, and sampling from it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

#include "common/ranks.hpp"
#include "model.hpp"

namespace lstm {

/// Training loss over an interval of steps.
struct measurement {
  std::int64_t step = 0;  ///< number of steps so far, over all runs of the program
  float loss = 0;         ///< mean per character since the previous measurement
};

/// Callback after each step, with the number of steps done, the loss of this one, and the last measurement. Training
/// stops if it returns false.
using watcher = std::function<bool(std::int64_t done, measurement const& now, measurement const& last)>;

/// How long to train, and when to save.
struct schedule {
  std::int64_t steps = 1000;                    ///< at least one
  std::int64_t save_interval = 0;               ///< steps between two checkpoints; 0: none. The same on all ranks
  std::function<void(model const&)> save = {};  ///< saves a checkpoint, on the ranks that have it
};

/// Thrown if the loss becomes NaN or infinite.
struct diverged : plait::error {
  explicit diverged(std::int64_t at)
      : error("the loss is no number any more after step " + std::to_string(at) + ": try a lower --rate"), step(at) {}
  std::int64_t step;
};

/// Options of sampling.
struct sampling {
  std::vector<std::int32_t> prime;  ///< start of the text, at least one character
  std::int64_t count = 0;           ///< number of characters to sample after it
  float temperature = 1;            ///< 0.01 to 100; below 1 sharpens the distribution
  std::int64_t seed = 1;
};

/// Returns the names of the backends that are compiled in.
std::vector<std::string> backends();

/// Trains a model on a text of at least two characters, given as indices in the vocabulary, and stores the final state
/// in its init net. Deterministic: two runs give the same bits as one run of as many steps.
/// Measures the loss after the first step, the last one, and every hundredth of the steps, but at least every
/// twentieth. Throws diverged, what compiling and running throw, and plait::error for an unknown backend.
///
/// Stream i of n starts an n-th of the text after stream i - 1 and wraps around at the end: the step number determines
/// all positions. Each rank reads some of the streams: results are those of one rank up to rounding. All ranks end one
/// step after the watcher of one returns false. Throws plait::error for streams that the ranks do not divide.
std::vector<measurement> train(model& m, std::vector<std::int32_t> const& text, recipe const& how, schedule const& when,
                               std::string const& backend, example::ranks const& among, watcher const& watch);

/// Samples characters one by one from the model's distribution: a pure function of the model and the options. Throws
/// what compiling and running throw, and plait::error for an unknown backend.
std::vector<std::int32_t> sample(model const& m, sampling const& what, std::string const& backend);

/// Train and sample on backend B (train_on.hpp).
template <plait::backend B>
std::vector<measurement> train_on(model& m, std::vector<std::int32_t> const& text, recipe const& how,
                                  schedule const& when, example::ranks const& among, watcher const& watch);
template <plait::backend B>
std::vector<std::int32_t> sample_on(model const& m, sampling const& what);

}  // namespace lstm
