// A multilayer perceptron from scratch: builds an init net and a forward net, and runs them on a batch.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

using backend = plait::tbb;  // or plait::serial, plait::omp, plait::cuda
using extents = std::vector<std::int64_t>;

struct perceptron {
  plait::netdef parameters;
  plait::netdef forward;
};

// Adds an op that fills a blob.
void fill(plait::netdef& net, std::string_view type, std::string const& blob, extents const& shape) {
  plait::op_def& op = net.add_op(type, {}, {blob});
  op.arg.push_back(plait::make_argument(net, {"shape", shape}));
}

perceptron make_perceptron(extents const& widths) {
  perceptron made;
  std::string in = "x";
  for (std::size_t layer = 1; layer != widths.size(); ++layer) {
    std::string const out = "layer" + std::to_string(layer);
    fill(made.parameters, "XavierFill", out + "_w", {widths[layer], widths[layer - 1]});
    fill(made.parameters, "ConstantFill", out + "_b", {widths[layer]});
    made.forward.add_op("FC", {in, out + "_w", out + "_b"}, {out});
    if (layer + 1 != widths.size()) made.forward.add_op("Relu", {out}, {out});
    in = out;
  }
  made.forward.external_output = {made.forward.intern(in)};
  return made;
}

int main() try {
  plait::operators<backend> operators;
  plait::add_activation_operators(operators);
  plait::add_fill_operators(operators);
  plait::add_fully_connected_operators(operators);
  plait::add_random_fill_operators(operators);

  perceptron const net = make_perceptron({16, 64, 32, 4});
  plait::workspace<backend> blobs;
  plait::compile(net.parameters, operators, blobs).run();

  std::int64_t const rows = 3;
  std::vector<float> batch(static_cast<std::size_t>(rows * 16));
  for (std::size_t i = 0; i != batch.size(); ++i) batch[i] = static_cast<float>(i % 7) - 3;
  blobs.feed("x", batch, {rows, 16});

  auto plan = plait::compile(net.forward, operators, blobs);  // once
  plan.run();                                                 // per batch

  plait::write_plan(std::cout, plan);
  std::vector<float> const result = blobs.fetch<float>("layer3");
  for (std::size_t i = 0; i != result.size(); ++i) std::cout << result[i] << (i % 4 == 3 ? '\n' : ' ');
  return 0;
} catch (plait::error const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
