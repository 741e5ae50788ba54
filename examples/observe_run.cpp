// Runs that are watched: memory before the first, time by op type, the first op that makes a NaN, and a tensor on disk.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/npy.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/random.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using backend = plait::serial;

// Normal numbers, the same on every backend.
plait::tensor<backend> noise(plait::shape const& dims, std::uint64_t stream) {
  auto made = plait::tensor<backend>::uninitialized(plait::element_type::float32, dims);
  plait::random_stream const numbers{.seed = 7, .stream = stream};
  plait::fill_normal<backend>(numbers, 0.0f, 1.0f, made.data<float>(), static_cast<std::size_t>(dims.size()));
  return made;
}

}  // namespace

int main() {
  plait::operators<backend> operators;
  plait::add_activation_operators(operators);
  plait::add_fully_connected_operators(operators);
  plait::netdef net;
  net.add_op("FC", {"x", "w", "b"}, {"h"});
  net.add_op("Tanh", {"h"}, {"y"});

  plait::workspace<backend> blobs;
  blobs.feed("x", noise({4, 64}, 0));
  blobs.feed("w", noise({32, 64}, 1));
  blobs.feed("b", noise({32}, 2));
  auto plan = plait::compile(net, operators, blobs, {.fetch = {"y"}, .constants = {"w", "b"}});
  plait::write_memory(std::cout, plan.forecast());
  plan.run();

  plait::type_times<backend> times;
  for (int i = 0; i != 100; ++i) plan.run({.observer = &times});
  for (auto const& [type, sum] : times.sums()) std::cout << type << ": " << sum.ops << " ops\n";

  std::stringstream file;  // or a file
  plait::write_npy(file, blobs.view("y"));
  bool const same = plait::read_npy<backend>(file).values<float>() == blobs.fetch<float>("y");

  blobs.refill("x", std::vector<float>(256, std::numeric_limits<float>::quiet_NaN()));
  plait::nan_observer<backend> watch;
  try {
    plan.run({.observer = &watch});
  } catch (plait::exec_error const& problem) {
    std::cout << problem.what() << '\n';
    return same && problem.op == 0 && times.sums().at("FC").ops == 100 ? 0 : 1;
  }
  return 1;
}
