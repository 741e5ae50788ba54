// train_mlp: a small network learns to tell the arms of spirals apart. All of it is plait: the net is built in C++
// (model.cpp), differentiated, given an optimiser, run (train_on.hpp), kept in files and gone on with.
//
//   train_mlp --curve loss.svg
//   train_mlp --net spirals.pbtxt --steps 500      # again: 500 more
//   mpirun -n 4 train_mlp --distributed            # four processes, each on a quarter of every batch
#include <unistd.h>

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
#include "train.hpp"

namespace {

example::chart loss_chart(mlp::recipe const& how, std::vector<mlp::measurement> const& measured) {
  example::chart made{
      "train_mlp", to_string(how), "steps", "loss", {{"training", "#1f77b4", {}}, {"held out", "#d62728", {}}}};
  for (mlp::measurement const& m : measured) {
    auto const step = static_cast<double>(m.step);
    made.curves[0].points.emplace_back(step, m.loss);
    made.curves[1].points.emplace_back(step, m.held_out_loss);
  }
  return made;
}

std::string text(mlp::measurement const& m) {
  std::ostringstream made;
  made << std::fixed << std::setprecision(4) << "loss " << m.loss << std::setprecision(1) << "  accuracy "
       << 100 * m.accuracy << '%';
  return made.str();
}

std::vector<mlp::measurement> train(mlp::model& model, mlp::options const& given, example::ranks const& among,
                                    std::ostream& losses) {
  example::progress bar(std::cout, isatty(STDOUT_FILENO) != 0);
  mlp::schedule when{given.steps, given.save_interval};
  if (among.is_first()) when.save = [&](mlp::model const& m) { mlp::save(m, given.net); };
  return mlp::train(model, given.how, when, given.backend, among,
                    [&](std::int64_t done, std::int64_t step, float loss, mlp::measurement const& last) {
                      losses << step << '\t' << loss << '\n';
                      if (among.is_first())
                        bar.show(static_cast<double>(done) / static_cast<double>(given.steps),
                                 [&] { return text(last); });
                      return !example::interrupted();
                    });
}

void run(mlp::options const& given, example::ranks const& among) {
  // Opens the files before training, so that errors show early.
  std::ofstream curve, losses;
  if (among.is_first()) {
    curve = example::opened(given.curve);
    losses = example::opened(given.losses);
  }
  losses.precision(std::numeric_limits<float>::max_digits10);
  bool const goes_on = !given.net.empty() && std::filesystem::exists(given.net);
  mlp::model model = goes_on ? mlp::load(given.net, given.how) : mlp::make_model(given.how);
  bool const saves = !given.net.empty() && among.is_first();
  if (saves) mlp::save(model, given.net);

  example::catch_interrupt();
  std::vector<mlp::measurement> const measured = train(model, given, among, losses);
  if (!among.is_first()) return;
  if (saves) mlp::save(model, given.net);

  if (curve.is_open()) {
    example::write_svg(curve, loss_chart(given.how, measured));
    example::close(curve, given.curve);
  }
  if (losses.is_open()) example::close(losses, given.losses);
  mlp::measurement const& last = measured.back();
  std::cout << "step " << last.step << ": loss " << measured.front().loss << " -> " << last.loss << ", held out "
            << last.held_out_loss << ", accuracy " << last.accuracy << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (auto const given = mlp::read_options(argc, argv)) run(*given, example::make_ranks(given->distributed));
} catch (std::exception const& problem) {  // plait::error, mostly
  std::cerr << "train_mlp: " << problem.what() << '\n';
  return 1;
}
