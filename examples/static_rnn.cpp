// A recurrent layer without a net: a cell that is written once, traced and differentiated by the compiler, learns to
// compute the mean of a sequence.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <span>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/static_cells.hpp>

namespace {

constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto /*h*/, auto c) {
  auto const next = sigmoid(f) * c + sigmoid(i) * tanh(g);
  return plait::cell_results{sigmoid(o) * tanh(next), next};
});
static_assert(lstm.is_affine(1, {5}));  // the next cell state, in the cell state

// The compiler knows all extents but the number of steps.
constexpr std::int64_t batch = 16, hidden = 8;
using layer = plait::rnn<plait::serial, lstm, float, plait::rnn_gates::summed,
                         plait::rnn_extents{.batch = batch, .inputs = 1, .hidden = hidden}>;

}  // namespace

int main() {
  constexpr std::int64_t steps = 10;
  layer rnn({.steps = steps});
  std::span<float> const parameters = rnn.parameters();
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> numbers(-1, 1);
  for (float& p : parameters) p = 0.5f * numbers(engine);

  std::vector<float> x(steps * batch), dy(steps * batch * hidden);
  std::vector<float> momentum(parameters.size());
  float* const last = dy.data() + (steps - 1) * batch * hidden;
  float first = 0, loss = 0;
  for (std::size_t run = 0; run != 400; ++run) {
    for (float& number : x) number = numbers(engine);
    rnn.pack();  // the parameters have changed
    rnn.forward(x.data());

    // The first unit is compared with the mean, at the last step.
    float const* const h = rnn.outputs() + (steps - 1) * batch * hidden;
    loss = 0;
    for (std::size_t n = 0; n != batch; ++n) {
      float mean = 0;
      for (std::size_t t = 0; t != steps; ++t) mean += x[t * batch + n] / steps;
      float const error = h[n * hidden] - mean;
      loss += error * error / batch;
      last[n * hidden] = 2 * error / batch;
    }
    if (run == 0) first = loss;
    rnn.backward(dy.data());
    for (std::size_t i = 0; i != parameters.size(); ++i) {
      momentum[i] = 0.9f * momentum[i] + std::clamp(rnn.gradients()[i], -1.0f, 1.0f);
      parameters[i] -= 0.1f * momentum[i];
    }
  }
  std::cout << "loss " << first << " -> " << loss << '\n';
  return loss < first / 4 ? 0 : 1;
}
