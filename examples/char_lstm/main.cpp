// char_lstm: character-level language model with a recurrent network. plait builds the nets in C++ (model.cpp),
// differentiates them, adds an optimiser, runs them (train_on.hpp), saves and resumes them.
//
//   char_lstm                                      # trains on the bundled text, then samples
//   char_lstm book.txt --layers 2 --cell gru --net book.pb --curve loss.svg      # resumes when run again
//   char_lstm --layers 2 --cell gru --net book.pb --steps 0 --prime "The sea "   # only samples
//   mpirun -n 4 char_lstm --distributed            # four processes, each with a quarter of the streams
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>

#include "common/chart.hpp"
#include "common/interrupt.hpp"
#include "common/output_file.hpp"
#include "common/progress.hpp"
#include "common/ranks.hpp"
#include "model.hpp"
#include "options.hpp"
#include "text.hpp"
#include "train.hpp"

namespace {

example::chart loss_chart(lstm::recipe const& how, std::vector<lstm::measurement> const& measured) {
  example::chart made{"char_lstm", to_string(how), "steps", "loss of a character", {{"training", "#1f77b4", {}}}};
  for (lstm::measurement const& m : measured) made.curves[0].points.emplace_back(static_cast<double>(m.step), m.loss);
  return made;
}

std::vector<lstm::measurement> train(lstm::model& model, std::vector<std::int32_t> const& text,
                                     lstm::options const& given, example::ranks const& among, std::ostream& losses) {
  using clock = std::chrono::steady_clock;
  auto const begin = clock::now();
  auto const in_a_step = static_cast<double>(given.how.streams * given.how.window);
  example::progress bar(std::cout, isatty(STDOUT_FILENO) != 0);
  lstm::schedule when{given.steps, given.save_interval};
  if (among.is_first()) when.save = [&](lstm::model const& m) { lstm::save(m, given.net); };
  return lstm::train(model, text, given.how, when, given.backend, among,
                     [&](std::int64_t done, lstm::measurement const& now, lstm::measurement const& last) {
                       losses << now.step << '\t' << now.loss << '\n';
                       double const passed = std::chrono::duration<double>(clock::now() - begin).count();
                       double part = static_cast<double>(done) / static_cast<double>(given.steps);
                       if (given.seconds > 0) part = std::min(1.0, std::max(part, passed / given.seconds));
                       if (among.is_first())
                         bar.show(part, [&] {
                           std::ostringstream text_of;
                           text_of << std::fixed << std::setprecision(4) << "loss " << last.loss << std::setprecision(0)
                                   << "  " << static_cast<double>(done) * in_a_step / passed << " characters/s";
                           return text_of.str();
                         });
                       return part < 1 && !example::interrupted();
                     });
}

void learn(lstm::model& model, lstm::vocabulary const& known, lstm::options const& given, example::ranks const& among) {
  std::vector<std::int32_t> const text = lstm::encode(lstm::read_text(given.text), known);
  if (text.size() < 2) throw plait::io_error("has less than two characters", given.text.string());
  // Opens the files before training, so that errors show early.
  std::ofstream curve, losses;
  if (among.is_first()) {
    curve = example::opened(given.curve);
    losses = example::opened(given.losses);
  }
  losses.precision(std::numeric_limits<float>::max_digits10);
  bool const saves = !given.net.empty() && among.is_first();
  if (saves) lstm::save(model, given.net);

  example::catch_interrupt();
  std::vector<lstm::measurement> const measured = train(model, text, given, among, losses);
  if (!among.is_first()) return;
  if (saves) lstm::save(model, given.net);

  if (curve.is_open()) {
    example::write_svg(curve, loss_chart(given.how, measured));
    example::close(curve, given.curve);
  }
  if (losses.is_open()) example::close(losses, given.losses);
  std::cout << "step " << measured.back().step << ": loss " << measured.front().loss << " -> " << measured.back().loss
            << '\n';
}

std::string default_prime(lstm::vocabulary const& known) {
  return std::ranges::find(known, '\n') != known.end() ? "\n" : lstm::decode(0, known);
}

lstm::model new_model(lstm::options const& given) {
  std::string const text = lstm::read_text(given.text);
  if (text.empty()) throw plait::io_error("has no characters", given.text.string());
  return lstm::make_model(given.how, lstm::vocabulary_of(text));
}

void run(lstm::options const& given, example::ranks const& among) {
  bool const goes_on = !given.net.empty() && std::filesystem::exists(given.net);
  lstm::model model = goes_on ? lstm::load(given.net, given.how) : new_model(given);
  lstm::vocabulary const known = vocabulary_of(model);
  lstm::sampling sampling{{}, given.sample, given.temperature, given.sample_seed};
  std::string const prime = given.prime ? *given.prime : default_prime(known);
  if (given.sample != 0) sampling.prime = lstm::encode(prime, known);  // reports errors before training

  if (given.steps != 0)
    learn(model, known, given, among);
  else if (!given.net.empty() && !goes_on && among.is_first())
    lstm::save(model, given.net);
  if (given.sample == 0 || !among.is_first()) return;
  std::cout << prime;
  for (std::int32_t const symbol : lstm::sample(model, sampling, given.backend))
    std::cout << lstm::decode(symbol, known);
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (auto const given = lstm::read_options(argc, argv)) run(*given, example::make_ranks(given->distributed));
} catch (std::exception const& problem) {  // plait::error, mostly
  std::cerr << "char_lstm: " << problem.what() << '\n';
  return 1;
}
