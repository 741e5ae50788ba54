// Recurrent networks: a user-defined cell, layers and stacks, single steps for decoding, attention, PyTorch weights.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/check_gradient.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/trained_model.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <plait/rnn/weights.hpp>

namespace {

using backend = plait::serial;
auto const& operators() { return plait::standard_operators<backend>(); }

plait::tensor<backend> waves(plait::shape const& dims) {
  std::vector<float> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
  return plait::tensor<backend>::from(made, dims);
}

// ---- a user-defined cell: h' = (1 - z) h + z tanh(w x + u h), z = sigmoid(leak), with a leak per unit

struct leaky_cell {
  std::int64_t inputs, hidden;

  std::vector<plait::cell_state> states() const { return {{"hidden_t", hidden}}; }
  plait::blob_handle prepare(plait::cell_scope& s, plait::blob_handle const& sequence) const {
    return s.fc(sequence, "i2h", inputs, hidden);
  }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const z = s.net.sigmoid(s.parameter("leak", {hidden}));
    auto const fresh = s.net.tanh(s.net.sum({s.input, s.fc(s.states[0], "h2h", hidden, hidden)}));
    return {s.net.add(s.states[0], s.mul_vector(s.net.sub(fresh, s.states[0]), z), "hidden_t")};
  }
};
PLAIT_CHECK_RECURRENT_CELL(leaky_cell);

bool user_defined_cell() {
  plait::trained_model model("leaky", {.seed = 1});
  model.net.external_inputs("x", "lengths");
  auto const layer =
      plait::add_recurrent_layer(model, "leaky", leaky_cell{2, 3}, {.sequence = "x", .lengths = "lengths"});

  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), operators(), blobs).run();
  blobs.feed("x", waves({4, 2, 2}));
  blobs.feed("lengths", plait::tensor<backend>::from(std::vector<std::int64_t>{4, 2}, {2}));
  auto const check = plait::check_gradient(model.net.net(), {layer.output}, {"x", "leaky/leak"}, blobs);
  std::cout << "user-defined cell: " << check.text() << '\n';
  return check.ok();
}

// ---- the layers of a model, trained to remember the first number of a sequence

bool training() {
  plait::trained_model model("memory", {.seed = 1});
  auto const [x, target] = model.net.external_inputs("x", "target");
  auto const lstm = plait::add_recurrent_layer(
      model, "lstm", plait::lstm_cell{.inputs = 1, .hidden = 8, .forget_bias = 1}, {.sequence = x});
  auto const guess = model.fc(lstm.output, "guess", lstm.output_width, 1, 2);
  model.net.averaged_loss(model.net.sqr(model.net.sub(guess, target)), "loss");

  model.net.edit([&](plait::netdef& net) {
    auto const gradients =
        plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard(), {.only = model.parameters()});
    auto const update = plait::add_adam(net, gradients, model.parameters(), {.rate = 0.02f});
    model.init.edit([&](plait::netdef& init) { plait::add_init_ops(init, update); });
  });

  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), operators(), blobs).run();
  constexpr std::int64_t steps = 5, batch = 16;
  auto const sequence = waves({steps, batch, 1});
  std::vector<float> const numbers = sequence.values<float>();
  std::vector<float> wanted;
  for (std::size_t i = 0; i != numbers.size(); ++i) wanted.push_back(numbers[i % std::size_t{batch}]);
  blobs.feed("x", sequence);
  blobs.feed("target", plait::tensor<backend>::from(wanted, {steps, batch, 1}));
  auto step = plait::compile(model.net.net(), operators(), blobs, {.fetch = {"loss"}});
  step.run();
  float const before = blobs.fetch<float>("loss")[0];
  for (int i = 0; i != 200; ++i) step.run();
  float const after = blobs.fetch<float>("loss")[0];
  std::cout << "training: loss " << before << " -> " << after << '\n';
  return after < before / 10;
}

// ---- stacks, directions, single steps

bool stacks_and_steps() {
  plait::trained_model model("stack");
  model.net.external_inputs("x", "lengths", "x_t", "h", "c");
  // Two stacked LSTMs.
  auto const stack = plait::add_recurrent_layers(model, "stack", plait::stack_of<plait::lstm_cell>(4, {8, 16}),
                                                 {.layer = {.sequence = "x"}});
  // Bidirectional; the backward direction starts at the end of each sequence.
  auto const both = plait::add_bidirectional_layer(model, "both", plait::gru_cell{.inputs = 16, .hidden = 8},
                                                   {.sequence = stack.back().output, .lengths = "lengths"});
  // A single time step with the parameters of the lower LSTM.
  auto const step = plait::add_recurrent_step(model, "decode", plait::lstm_cell{4, 8},
                                              {.input = "x_t", .states = {"h", "c"}, .parameters = "stack_layer_0"});
  std::cout << "stacks: " << model.parameters().size() << " parameters, " << both.output_width
            << " outputs, next state " << step.states[0].name() << '\n';
  return both.output_width == 16;
}

// ---- encoder and decoder with attention

bool attention() {
  plait::trained_model model("translator");
  model.net.external_inputs("source", "source_lengths", "target", "x_t", "h", "seen");
  auto const encoder = plait::add_bidirectional_layer(model, "encoder", plait::gru_cell{.inputs = 4, .hidden = 8},
                                                      {.sequence = "source", .lengths = "source_lengths"});
  // Loop-invariant blobs of the attention.
  auto const memory = plait::add_attention_memory(
      model, "decoder",
      {.encoder_outputs = encoder.output, .width = encoder.output_width, .lengths = "source_lengths"});
  plait::attention_cell const cell{.decoder = plait::gru_cell{.inputs = 4, .hidden = 8}, .memory = memory};
  auto const decoder = plait::add_recurrent_layer(model, "decoder", cell, {.sequence = "target"});
  // A single time step, to decode: its states are the decoder's and the last attention context.
  auto const step = plait::add_recurrent_step(model, "decode", cell,
                                              {.input = "x_t", .states = {"h", "seen"}, .parameters = "decoder"});

  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), operators(), blobs).run();
  blobs.feed("source", waves({5, 2, 4}));
  blobs.feed("source_lengths", plait::tensor<backend>::from(std::vector<std::int64_t>{5, 3}, {2}));
  blobs.feed("target", waves({3, 2, 4}));
  blobs.feed("x_t", waves({1, 2, 4}));
  blobs.feed("h", plait::tensor<backend>::from(std::vector<float>(16), {1, 2, 8}));
  blobs.feed("seen", plait::tensor<backend>::from(std::vector<float>(32), {1, 2, 16}));
  plait::compile(model.net.net(), operators(), blobs, {.fetch = {step.output, decoder.output}}).run();
  auto const one = blobs.fetch<float>(step.output);
  auto const all = blobs.fetch<float>(decoder.output);
  std::cout << "attention: a decoder of " << decoder.output_width << " outputs\n";
  return std::equal(one.begin(), one.end(), all.begin(), [](float a, float b) { return std::abs(a - b) < 1e-5f; });
}

// ---- weights of PyTorch

bool weights() {
  plait::lstm_cell const cell{2, 1};
  std::vector<plait::parameter> const state_dict{
      {"weight_ih_l0", {{4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}}},
      {"weight_hh_l0", {{4, 1}, std::vector<float>{1, 2, 3, 4}}},
      {"bias_ih_l0", {{4}, std::vector<float>{1, 2, 3, 4}}},
      {"bias_hh_l0", {{4}, std::vector<float>{1, 2, 3, 4}}},
  };
  plait::trained_model model("imported");
  model.net.external_input("x");
  (void)plait::add_recurrent_layer(model, "lstm", cell, {.sequence = "x"});
  auto const found = plait::torch_weights_of(state_dict, 0);  // of layer 0
  for (auto const& p : plait::to_parameters(cell, "lstm", plait::from_torch(cell, found))) model.set(p);

  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), operators(), blobs).run();
  // The order of gates is i, f, g, o in PyTorch, and i, f, o, g in plait.
  return blobs.fetch<float>("lstm/gates_t_b") == std::vector<float>{1, 2, 4, 3};
}

}  // namespace

int main() { return user_defined_cell() && training() && stacks_and_steps() && attention() && weights() ? 0 : 1; }
