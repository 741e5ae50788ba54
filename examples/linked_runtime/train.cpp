// A net with an operator of the program is trained, observed and stopped; its parameters are saved and read again.
#include <cmath>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include <plait/runtime.hpp>

namespace {

using floats = std::vector<float>;

// y = √(x² + epsilon), and its gradient dy x / y: an op of x and dy.
std::vector<plait::user_operator> soft_abs() {
  using call = plait::user_operator::call;
  plait::user_operator forward{.type = "SoftAbs", .arguments = {{"epsilon", 0.01}}, .gradient = "SoftAbsGradient"};
  forward.run = [](call const& c) {
    auto const x = c.inputs[0].elements<float>();
    auto const y = c.outputs[0].elements<float>();
    auto const epsilon = static_cast<float>(c.argument("epsilon"));
    for (std::size_t i = 0; i != x.size(); ++i) y[i] = std::sqrt(x[i] * x[i] + epsilon);
  };
  plait::user_operator backward{.type = "SoftAbsGradient", .inputs = 2, .arguments = {{"epsilon", 0.01}}};
  backward.run = [](call const& c) {
    auto const x = c.inputs[0].elements<float>();
    auto const dy = c.inputs[1].elements<float>();
    auto const dx = c.outputs[0].elements<float>();
    auto const epsilon = static_cast<float>(c.argument("epsilon"));
    for (std::size_t i = 0; i != x.size(); ++i) dx[i] = dy[i] * x[i] / std::sqrt(x[i] * x[i] + epsilon);
  };
  return {forward, backward};
}

}  // namespace

int main() try {
  plait::session model("data/regression.pbtxt", {.init = "data/regression_init.pbtxt", .operators = soft_abs()});
  model.add_training({.loss = "loss", .optimizer = "adam", .rate = 0.05f});
  model.feed("x", floats{-2, -1, 0, 1, 2, 3}, {6, 1});
  model.feed("target", floats{3, 2, 1, 0, 1, 2}, {6, 1});  // |x - 1|
  for (int step = 0; step != 300; ++step) model.train();
  float const loss = model.fetch<float>("loss")[0];

  // Where the time of a run goes.
  std::map<std::string, double> seconds;
  model.run({.observer = [&](plait::op_timing const& e) { seconds[std::string(e.type)] += e.seconds; }});
  for (auto const& [type, sum] : seconds) std::cout << type << ": " << sum * 1e6 << " us\n";

  // A stopped run throws, and leaves the outputs of the run before it.
  std::stop_source interrupt;
  interrupt.request_stop();
  try {
    model.run({.stop = interrupt.get_token()});
    return 1;
  } catch (plait::run_cancelled const&) {
  }

  auto const file = (std::filesystem::temp_directory_path() / "plait_example_regression.pb").string();
  model.save_parameters(file);
  plait::session served("data/regression.pbtxt", {.init = file, .operators = soft_abs()});
  std::filesystem::remove(file);
  served.feed("x", floats{-1, 4}, {2, 1});
  served.feed("target", floats{0, 0}, {2, 1});
  served.run();
  floats const y = served.fetch<float>("y");
  std::cout << "loss " << loss << "; y(-1) = " << y[0] << ", y(4) = " << y[1] << '\n';
  return loss < 0.01f && std::abs(y[0] - 2) < 0.2f && std::abs(y[1] - 3) < 0.2f ? 0 : 1;
} catch (std::exception const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
