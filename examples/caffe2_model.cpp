// A Caffe2 model run from its two files: an init net that makes the parameters and a predict net that uses them.
#include <exception>
#include <iostream>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/validate.hpp>

namespace {

// Returns p, two probabilities, for three features.
std::vector<float> predict(std::vector<float> const& features) {
  plait::netdef const init = plait::read_netdef("data/demo_init_net.pbtxt");  // text, JSON or binary
  plait::netdef const net = plait::read_netdef("data/demo_net.pbtxt");

  plait::workspace<plait::serial> blobs;
  auto const& operators = plait::standard_operators<plait::serial>();
  plait::compile(init, operators, blobs).run();  // makes the parameters
  blobs.feed("x", features, {1, 3});
  blobs.feed("sharpen", std::vector<bool>{true}, {});
  auto plan = plait::compile(net, operators, blobs);  // once
  plan.run();                                         // as often as there are inputs
  std::vector<float> const p = blobs.fetch<float>("p");
  return p;
}

// Lists what Caffe2 would refuse, or what is merely odd, before anything runs.
void report_problems(plait::netdef const& net) {
  for (plait::net_problem const& problem : plait::validate(net)) {
    if (problem.severity == plait::net_problem_severity::note) continue;
    std::cerr << problem.message << '\n';
  }
}

}  // namespace

int main() try {
  report_problems(plait::read_netdef("data/demo_net.pbtxt"));
  std::vector<float> const p = predict({1, -2, 0.5f});
  std::cout << "p = " << p[0] << ' ' << p[1] << '\n';
  float const sum = p[0] + p[1];
  return p.size() == 2 && sum > 0.999f && sum < 1.001f ? 0 : 1;
} catch (std::exception const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
