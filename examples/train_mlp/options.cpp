#include "options.hpp"

#include <iostream>
#include <limits>
#include <map>

#include <CLI/CLI.hpp>

#include <plait/core/errors.hpp>

#include "train.hpp"

namespace mlp {

namespace {

// Rates that suit the optimisers.
std::map<std::string, float> const rates = {
    {"adagrad", 0.05f}, {"adam", 0.01f}, {"momentum", 0.05f}, {"rmsprop", 0.002f}, {"sgd", 0.3f}};

}  // namespace

std::optional<options> read_options(int argc, char** argv) {
  options made;
  recipe& how = made.how;
  CLI::App app("Trains a small network to tell the arms of spirals apart.", "train_mlp");
  CLI::Range const count(std::int64_t{1}, std::int64_t{1'000'000'000});
  app.add_option("--steps", made.steps, "how many")->check(count)->capture_default_str();
  app.add_option("--batch", how.batch, "points a step, of all ranks together")->check(count)->capture_default_str();
  app.add_option("--hidden", how.hidden, "widths of the layers between")->check(count)->capture_default_str();
  app.add_option("--arms", how.arms, "of the spirals, from 2 on")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1000}))
      ->capture_default_str();
  app.add_option("--optimizer", how.optimizer)->check(CLI::IsMember(rates))->capture_default_str();
  auto* const rate = app.add_option("--rate", how.rate, "default: one that suits the optimizer")
                         ->check(CLI::Range(0.0f, std::numeric_limits<float>::max()));
  app.add_option("--seed", how.seed, "of the data, the parameters and the batches")->capture_default_str();
  app.add_option("--backend", made.backend)->check(CLI::IsMember(backends()))->capture_default_str();
  app.add_option("--net", made.net, "keep the net in this file and its parameters beside it; go on if they are there");
  app.add_option("--save-every", made.save_interval, "keep it after so many steps, too")->check(count)->needs("--net");
  app.add_flag("--distributed", made.distributed, "train together with the other ranks of mpirun");
  app.add_option("--curve", made.curve, "draw the loss to this SVG file");
  app.add_option("--losses", made.losses, "write the loss of each step to this file, a line each: step, tab, loss");
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const& help) {
    app.exit(help, std::cout);
    return std::nullopt;
  } catch (CLI::ParseError const& problem) {
    throw plait::error(problem.what());
  }
  if (rate->empty()) how.rate = rates.at(how.optimizer);
  return made;
}

}  // namespace mlp
