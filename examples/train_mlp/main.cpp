// train_mlp: a small network learns to tell the arms of spirals apart. All of it is plait: the net is built in C++
// (model.cpp), differentiated, given an optimiser, run (train_on.hpp), kept in files and gone on with.
//
//   train_mlp --curve loss.svg
//   train_mlp --net spirals.pbtxt --steps 500      # again: 500 more
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <plait/core/errors.hpp>

#include "curve.hpp"
#include "model.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "train.hpp"

namespace {

// The first Ctrl-C ends training, and what was learnt is kept; the second ends the program.
std::sig_atomic_t volatile interrupted = 0;
void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

mlp::chart loss_chart(mlp::recipe const& how, std::vector<mlp::measurement> const& measured) {
  mlp::chart made{
      "train_mlp " + to_string(how), "steps", "loss", {{"training", "#1f77b4", {}}, {"held out", "#d62728", {}}}};
  for (mlp::measurement const& m : measured) {
    auto const step = static_cast<double>(m.step);
    made.curves[0].points.emplace_back(step, m.loss);
    made.curves[1].points.emplace_back(step, m.held_out_loss);
  }
  return made;
}

std::vector<mlp::measurement> train(mlp::model& model, mlp::options const& given) {
  mlp::progress bar(std::cout, isatty(STDOUT_FILENO) != 0, given.steps);
  return mlp::train(model, given.how, given.steps, given.backend, [&](std::int64_t done, mlp::measurement const& last) {
    bar.show(done, last);
    return interrupted == 0;
  });
}

void run(mlp::options const& given) {
  // What cannot be written should be known before training, not after.
  std::ofstream curve;
  if (!given.curve.empty()) {
    curve.open(given.curve);
    if (!curve) throw plait::io_error("cannot open for writing", given.curve.string());
  }
  bool const goes_on = !given.net.empty() && std::filesystem::exists(given.net);
  mlp::model model = goes_on ? mlp::load(given.net, given.how) : mlp::make_model(given.how);
  if (!given.net.empty()) mlp::save(model, given.net);

  std::signal(SIGINT, interrupt);
  std::vector<mlp::measurement> const measured = train(model, given);
  if (!given.net.empty()) mlp::save(model, given.net);

  if (curve.is_open()) {
    mlp::write_svg(curve, loss_chart(given.how, measured));
    curve.close();
    if (!curve) throw plait::io_error("cannot write", given.curve.string());
  }
  mlp::measurement const& last = measured.back();
  std::cout << "step " << last.step << ": loss " << measured.front().loss << " -> " << last.loss << ", held out "
            << last.held_out_loss << ", accuracy " << last.accuracy << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (auto const given = mlp::read_options(argc, argv)) run(*given);
} catch (std::exception const& problem) {  // plait::error, mostly
  std::cerr << "train_mlp: " << problem.what() << '\n';
  return 1;
}
