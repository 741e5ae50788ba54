// What is done with a model: training on a text, and sampling.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

#include "model.hpp"

namespace lstm {

struct measurement {
  std::int64_t step = 0;  ///< how many there have been, over all runs of the program
  float loss = 0;         ///< of a character, since the measurement before, on average
};

/// Is told after each step how many were done, the loss of this one, and what was measured last. Training ends early
/// where it returns false.
using watcher = std::function<bool(std::int64_t done, measurement const& now, measurement const& last)>;

/// The loss is no number any more.
struct diverged : plait::error {
  explicit diverged(std::int64_t at)
      : error("the loss is no number any more after step " + std::to_string(at) + ": try a lower --rate"), step(at) {}
  std::int64_t step;
};

struct sampling {
  std::vector<std::int32_t> prime;  ///< what the text begins with, one character at least
  std::int64_t count = 0;           ///< of characters after it
  float temperature = 1;            ///< 0.01 to 100; below 1 likely characters become likelier
  std::int64_t seed = 1;
};

/// Those that were built in.
std::vector<std::string> backends();

/// Runs steps of a model, one at least, on a text of two characters at least, as places in the vocabulary, and leaves
/// in its init net what they have made of everything. Two runs leave the same bits as one of as many steps. Measures
/// after the first step, the last, and every hundredth of the way, or every twentieth step. Throws diverged, what
/// compiling and running throw, and plait::error for a backend that there is not.
///
/// Stream i of n begins an n-th of the text behind stream i - 1, and after the last character each goes on with the
/// first: the number of steps says where all of them are.
std::vector<measurement> train(model& m, std::vector<std::int32_t> const& text, recipe const& how, std::int64_t steps,
                               std::string const& backend, watcher const& watch);

/// Characters that the model thinks likely after others, drawn one by one: a function of the model and the sampling.
/// Throws what compiling and running throw, and plait::error for a backend that there is not.
std::vector<std::int32_t> sample(model const& m, sampling const& what, std::string const& backend);

/// The same on backend B (train_on.hpp).
template <plait::backend B>
std::vector<measurement> train_on(model& m, std::vector<std::int32_t> const& text, recipe const& how,
                                  std::int64_t steps, watcher const& watch);
template <plait::backend B>
std::vector<std::int32_t> sample_on(model const& m, sampling const& what);

}  // namespace lstm
