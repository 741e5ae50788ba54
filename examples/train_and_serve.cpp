// A recurrent cell is trained over sequences, written to a folder, read again and served step by step.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/trained_model.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <plait/transform/init_net.hpp>

namespace {

using backend = plait::serial;
auto const& operators() { return plait::standard_operators<backend>(); }

constexpr std::int64_t hidden = 16;

// ---- the model: one GRU over a sequence of numbers, which says at each step the number before

plait::trained_model make_model() {
  plait::trained_model model("echo", {.seed = 1});
  auto const [x, target] = model.net.external_inputs("x", "target");  // T×N×1 each
  auto const layer = plait::add_recurrent_layer(model, "gru", plait::gru_cell{1, hidden}, {.sequence = x});
  auto const guess = model.fc(layer.output, "guess", hidden, 1, 2);
  model.net.averaged_loss(model.net.sqr(model.net.sub(guess, target)), "loss");
  model.net.edit([&](plait::netdef& net) {
    auto const gradients =
        plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard(), {.only = model.parameters()});
    auto const update = plait::add_adam(net, gradients, model.parameters(), {.rate = 0.02f});
    model.init.edit([&](plait::netdef& init) { plait::add_init_ops(init, update); });
  });
  return model;
}

// Numbers between -1 and 1 without an order, and the same one step later.
void feed_sequences(plait::workspace<backend>& blobs, std::int64_t steps, std::int64_t sequences) {
  std::vector<float> numbers, before;
  std::uint32_t state = 7;
  for (std::int64_t t = 0; t != steps; ++t)
    for (std::int64_t n = 0; n != sequences; ++n) {
      state = state * 1664525u + 1013904223u;
      before.push_back(t == 0 ? 0.0f : numbers[numbers.size() - static_cast<std::size_t>(sequences)]);
      numbers.push_back(static_cast<float>(state >> 8) / static_cast<float>(1u << 23) - 1);
    }
  blobs.feed("x", numbers, {steps, sequences, 1});
  blobs.feed("target", before, {steps, sequences, 1});
}

// ---- the same cell, one step at a time: the state is an input, and is written again

plait::netdef make_serving_net() {
  plait::trained_model model("echo_step");
  auto const [x, state] = model.net.external_inputs("x_t", "state");
  auto const step = plait::add_recurrent_step(model, "step", plait::gru_cell{1, hidden},
                                              {.input = "x_t", .states = {"state"}, .parameters = "gru"});
  auto const guess = model.fc(step.output, "guess", hidden, 1, 2);
  model.net.copy(step.states[0], state);
  model.net.external_outputs(guess, state);
  return model.net.take();
}

float train(std::filesystem::path const& folder) {
  plait::trained_model model = make_model();
  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), operators(), blobs).run();
  feed_sequences(blobs, 12, 32);
  auto step = plait::compile(model.net.net(), operators(), blobs, {.fetch = {"loss"}});
  for (int i = 0; i != 150; ++i) step.run();

  auto const parameters = plait::fetch(blobs, model.parameters());
  plait::save_model(folder, make_serving_net(), plait::init_net_from_parameters<plait::netdef>(parameters).net);
  return blobs.fetch<float>("loss")[0];
}

std::vector<float> serve(std::filesystem::path const& folder, std::vector<float> const& numbers) {
  auto const [net, init] = plait::load_model(folder);
  plait::workspace<backend> blobs;
  plait::compile(init, operators(), blobs).run();
  blobs.feed("x_t", std::vector<float>(1), {1, 1, 1});
  blobs.feed("state", std::vector<float>(hidden), {1, 1, hidden});
  auto step = plait::compile(net, operators(), blobs);
  std::vector<float> answers;
  for (float const x : numbers) {
    blobs.refill("x_t", std::vector<float>{x});
    step.run();
    answers.push_back(blobs.fetch<float>("guess")[0]);
  }
  return answers;
}

}  // namespace

int main() try {
  auto const folder = std::filesystem::temp_directory_path() / "plait_example_train_and_serve";
  float const loss = train(folder);
  std::vector<float> const answers = serve(folder, {0.5f, -0.25f, 0.75f, 0});
  std::filesystem::remove_all(folder);
  std::cout << "loss " << loss << "; after 0.5, -0.25, 0.75, 0:";
  for (float const x : answers) std::cout << ' ' << x;
  std::cout << '\n';
  auto const is_near = [](float a, float b) { return a - b < 0.2f && b - a < 0.2f; };
  return loss < 0.02f && is_near(answers[1], 0.5f) && is_near(answers[2], -0.25f) && is_near(answers[3], 0.75f) ? 0 : 1;
} catch (std::exception const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
