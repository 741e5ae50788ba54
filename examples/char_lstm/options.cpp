#include "options.hpp"

#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/core/errors.hpp>

#include "common/file_names.hpp"
#include "train.hpp"

namespace lstm {

namespace {

// Default learning rates.
std::map<std::string, float> const rates = {{"adam", 0.005f}, {"sgd", 1.0f}};

}  // namespace

std::optional<options> read_options(int argc, char** argv) {
  options made;
  made.text = CHAR_LSTM_TEXT;
  recipe& how = made.how;
  CLI::App app("Learns to write like a text, character by character.", "char_lstm");
  constexpr std::int64_t most = 1'000'000'000;
  CLI::Range const count(std::int64_t{1}, most);
  CLI::Range const count_or_none(std::int64_t{0}, most);
  CLI::Range const positive(std::numeric_limits<float>::min(), std::numeric_limits<float>::max());

  app.add_option("text", made.text, "a file in UTF-8; default: the text that comes with the program");
  app.add_option("--cell", how.cell)->check(CLI::IsMember(cells()))->capture_default_str();
  app.add_option("--layers", how.layers, "one above the other")->check(count)->capture_default_str();
  app.add_option("--size", how.size, "of the state of a layer")->check(count)->capture_default_str();
  app.add_option("--streams", how.streams, "places of the text that are read at once, by all ranks together")
      ->check(count)
      ->capture_default_str();
  app.add_option("--window", how.window, "characters of each in a step, as far back as gradients go")
      ->check(count)
      ->capture_default_str();
  app.add_option("--optimizer", how.optimizer)->check(CLI::IsMember(rates))->capture_default_str();
  auto* const rate = app.add_option("--rate", how.rate, "default: one that suits the optimizer")
                         ->check(CLI::Range(0.0f, std::numeric_limits<float>::max()));
  app.add_option("--clip", how.clip, "the largest norm of the gradient")->check(positive)->capture_default_str();
  app.add_option("--seed", how.seed, "of the parameters")->capture_default_str();

  app.add_option("--steps", made.steps, "how many; 0: none, a sample only")
      ->check(count_or_none)
      ->capture_default_str();
  app.add_option("--seconds", made.seconds, "end after so many, if steps are left then")->check(positive);
  app.add_option("--backend", made.backend)->check(CLI::IsMember(backends()))->capture_default_str();
  app.add_option("--net", made.net, "keep the nets in this file and beside it; go on if they are there");
  app.add_option("--save-every", made.save_interval, "keep them after so many steps, too")
      ->check(count)
      ->needs("--net");
  app.add_flag("--distributed", made.distributed, "train together with the other ranks of mpirun");
  app.add_option("--curve", made.curve, "draw the loss to this SVG file");
  app.add_option("--losses", made.losses, "write the loss of each step to this file, a line each: step, tab, loss");

  app.add_option("--sample", made.sample, "how many characters to write")->check(count_or_none)->capture_default_str();
  app.add_option("--prime", made.prime, "what they follow; default: a new line, if the text has one");
  app.add_option("--temperature", made.temperature, "lower: what is likelier, more often")
      ->check(CLI::Range(0.01f, 100.0f))
      ->capture_default_str();
  app.add_option("--sample-seed", made.sample_seed, "another one, another sample")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const& help) {
    app.exit(help, std::cout);
    return std::nullopt;
  } catch (CLI::ParseError const& problem) {
    throw plait::error(problem.what());
  }
  if (rate->empty()) how.rate = rates.at(how.optimizer);
  if (made.prime && made.prime->empty()) throw plait::error("--prime: needs a character at least");
  struct number {  // CLI::Range accepts NaN
    char const* option;
    double value;
  };
  for (number const one : {number{"--rate", how.rate},
                           {"--clip", how.clip},
                           {"--temperature", made.temperature},
                           {"--seconds", made.seconds}})
    if (std::isnan(one.value)) throw plait::error(std::string(one.option) + ": needs a number");
  std::vector<std::string> files{made.text.string()};
  for (std::filesystem::path const& file : {made.net, made.curve, made.losses})
    if (!file.empty()) files.push_back(file.string());
  if (auto const twice = example::named_twice(files))
    throw plait::error(*twice + ": would be overwritten by what else is kept there");
  return made;
}

}  // namespace lstm
