// Properties of all recurrent cells: gradients, masking, reversal, unrolling.
#include <plait/rnn/cells.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <support/built_layer.hpp>
#include <support/named_numbers.hpp>

namespace {

using test::apart;
using test::layer_of;
using test::layer_results;
using test::layer_variant;
using test::lengths_list;
using test::numbers;
using test::layer_size::batch, test::layer_size::inputs, test::layer_size::steps;
using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t hidden = 2;

// Cell that returns a previous state, and its input, as states.
struct passing_cell {
  std::vector<plait::cell_state> states() const { return {{"now", inputs}, {"before", inputs}, {"given", inputs}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {inputs});
    auto const seen = s.net.sum({s.mul_vector(s.states[1], w), s.states[2], s.input});
    return {s.net.tanh(seen, "now"), s.states[0], s.input};
  }
};

// User-defined cell that ignores lengths.
struct own_cell {
  std::vector<plait::cell_state> states() const { return {{"sum", inputs}, {"last", inputs}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {inputs});
    auto const sum = s.net.add(s.mul_vector(s.states[0], w), s.input, "sum");
    return {sum, s.net.tanh(s.net.add(sum, s.states[1]), "last")};
  }
  std::vector<std::size_t> output_states() const { return {1}; }
};

std::vector<std::pair<std::string, plait::any_cell>> all_cells() {
  using namespace plait;
  return {
      {"basic, tanh", basic_rnn_cell{inputs, hidden}},
      {"basic, relu", basic_rnn_cell{inputs, hidden, rnn_activation::relu}},
      {"LSTM", lstm_cell{inputs, hidden, 0.7f}},
      {"LSTM with peepholes", peephole_lstm_cell{inputs, hidden, 0.7f}},
      {"LSTM with a projection", projected_lstm_cell{inputs, 4, hidden, 0.7f}},
      {"GRU", gru_cell{inputs, hidden}},
      {"GRU, linear before reset", gru_cell{inputs, hidden, true}},
      {"layer norm LSTM", layer_norm_lstm_cell{inputs, hidden, 0.7f}},
      {"MI LSTM", mi_lstm_cell{inputs, hidden, 0.7f}},
      {"layer norm MI LSTM", mi_lstm_cell{inputs, hidden, 0.7f, true}},
      {"dropout that drops nothing", dropout_cell{lstm_cell{inputs, hidden}, 0, false}},
      {"three layers, residual",
       multi_cell{{lstm_cell{inputs, hidden}, dropout_cell{gru_cell{hidden, hidden}, 0, false},
                   basic_rnn_cell{hidden, hidden}},
                  {0, 1, 2}}},
      {"user-defined", own_cell{}},
      {"that returns its inputs as states", passing_cell{}},
  };
}

lengths_list const lengths{4, 2, 3};
std::vector<std::optional<lengths_list>> const with_and_without{std::nullopt, lengths};

// Reverses the steps of each sequence.
numbers reversed(numbers const& x, lengths_list const& ends) {
  numbers made = x;
  std::size_t const width = x.size() / (steps * batch);
  for (std::size_t n = 0; n != batch; ++n)
    for (std::size_t t = 0; t != static_cast<std::size_t>(ends[n]); ++t) {
      std::size_t const from = static_cast<std::size_t>(ends[n]) - 1 - t;
      std::copy_n(x.begin() + static_cast<std::ptrdiff_t>((from * batch + n) * width), width,
                  made.begin() + static_cast<std::ptrdiff_t>((t * batch + n) * width));
    }
  return made;
}

}  // namespace

TEST_CASE("recurrent cells: gradients equal finite differences") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without)
      for (bool const given : {false, true}) {
        CAPTURE(name);
        CAPTURE(given);
        test::built_layer b(layer_of(cell), {.lengths = ends, .given = given});
        auto const check = plait::check_gradient(b.model.net.net(), b.ys, b.moved(), b.blobs);
        CAPTURE(check.text());
        CHECK(check.ok());
      }
}

TEST_CASE("recurrent cells: unrolling, recompute and the type of lengths do not change results or gradients") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without)
      for (bool const reverse : {false, true})
        for (bool const drop : {false, true}) {
          CAPTURE(name);
          CAPTURE(reverse);
          CAPTURE(drop);
          layer_variant plain{.lengths = ends, .given = drop, .layer = {.drop_states = drop, .reverse = reverse}};
          test::check_variants(layer_of(cell), plain);
          layer_results const expected = run_layer(layer_of(cell), plain);
          plain.unrolled = true;
          check_same(run_layer(layer_of(cell), plain), expected);
        }
}

TEST_CASE("recurrent cells: each row of a batch of different lengths equals its sequence alone") {
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true})
      for (bool const given : {false, true}) {
        CAPTURE(name);
        CAPTURE(reverse);
        CAPTURE(given);
        test::check_batch_is_each_alone(layer_of(cell),
                                        {.lengths = {{steps, 0, 2}}, .given = given, .layer = {.reverse = reverse}});
      }
}

TEST_CASE("recurrent cells: reverse equals forward on reversed sequences") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without) {
      CAPTURE(name);
      auto const turned = ends.value_or(lengths_list(batch, steps));
      layer_variant how{.lengths = ends, .layer = {.reverse = true}};
      layer_results const got = run_layer(layer_of(cell), how);
      how.layer.reverse = false;
      how.x = reversed(how.x, turned);
      layer_results const expected = run_layer(layer_of(cell), how);
      CHECK(apart(got.last, expected.last) < 1e-13);
      for (std::size_t s = 0; s != got.all.size(); ++s)
        CHECK(apart(got.all[s], reversed(expected.all[s], turned)) < 1e-13);
    }
}

TEST_CASE("recurrent cells: states are kept, or zero, after the end of a sequence") {
  for (auto const& [name, cell] : all_cells())
    for (bool const drop : {false, true}) {
      CAPTURE(name);
      layer_results const got = run_layer(layer_of(cell), {.lengths = lengths, .layer = {.drop_states = drop}});
      for (numbers const& state : got.all) {
        std::size_t const width = state.size() / (steps * batch);
        for (std::size_t n = 0; n != batch; ++n)
          for (auto t = static_cast<std::size_t>(lengths[n]); t != steps; ++t)
            for (std::size_t k = 0; k != width; ++k)
              CHECK(state[(t * batch + n) * width + k] == (drop ? 0 : state[((t - 1) * batch + n) * width + k]));
      }
    }
}

TEST_CASE("recurrent cells: lengths are clamped to 0 and the number of steps") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true})
      for (bool const unrolled : {false, true}) {
        CAPTURE(name);
        CAPTURE(reverse);
        CAPTURE(unrolled);
        layer_variant how{.lengths = {{steps, 0, 2}}, .unrolled = unrolled, .layer = {.reverse = reverse}};
        layer_results const expected = run_layer(layer_of(cell), how);
        for (auto const& far : {lengths_list{steps + 1, -1, 2}, {most, -most - 1, 2}}) {
          how.lengths = far;
          check_same(run_layer(layer_of(cell), how), expected);
        }
      }
}

TEST_CASE("recurrent cells: lengths that are not integers are refused") {
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true})
      for (bool const unrolled : {false, true}) {
        CAPTURE(name);
        CAPTURE(reverse);
        test::built_layer b(layer_of(cell), {.lengths = lengths, .unrolled = unrolled, .layer = {.reverse = reverse}});
        auto const refuses = [&](tensor const& given) {
          b.blobs.feed("lengths", given);
          auto plan = plait::compile(b.model.net.net(), plait::standard_operators<plait::serial>(), b.blobs);
          CHECK_THROWS_AS(plan.run(), plait::exec_error);
        };
        refuses(tensor::from(std::vector<float>{4, 2, 3}, {batch}));
        refuses(tensor::from(std::vector<double>{4, 2, 3}, {batch}));
        refuses(tensor::from(std::vector<bool>{true, true, true}, {batch}));
      }
}

TEST_CASE("recurrent step: steps with a layer's parameters equal the layer") {
  std::vector<layer_variant> const variants{{}, {.lengths = lengths}, {.lengths = lengths, .wide = false}};
  for (auto const& [name, cell] : all_cells())
    for (layer_variant const& how : variants) {
      CAPTURE(name);
      CAPTURE(how.wide);
      test::built_layer b(layer_of(cell), how);
      plait::net_builder& net = b.model.net;
      plait::recurrent_layer const& layer = b.layers[0];
      strings states;
      for (std::size_t i = 0; i != layer.last.size(); ++i) {
        states.push_back(net.external_input("begin" + std::to_string(i)));
        b.blobs.feed(states.back(), tensor::from(numbers(static_cast<std::size_t>(batch * cell.states()[i].width)),
                                                 {1, batch, cell.states()[i].width}));
      }
      for (std::string const& p : b.model.parameters())  // the layer's initial states
        if (p.find("initial_") != std::string::npos)
          b.blobs.feed(p, tensor::from(numbers(static_cast<std::size_t>(b.model.parameter_shape(p)[0])),
                                       {b.model.parameter_shape(p)[0]}));
      std::size_t const parameters = b.model.parameters().size();
      auto const slices = net.split("x", std::size_t{steps}, 0);
      strings outputs;
      for (std::size_t t = 0; t != steps; ++t) {
        std::string const number = net.given_tensor({{1}, std::vector<std::int32_t>{static_cast<std::int32_t>(t)}});
        auto const made =
            plait::add_recurrent_step(b.model, "step" + std::to_string(t), cell,
                                      {.input = slices[t],
                                       .states = states,
                                       .lengths = how.lengths ? std::optional<std::string>("lengths") : std::nullopt,
                                       .timestep = number,
                                       .parameters = "r"});
        states.assign(made.states.begin(), made.states.end());
        outputs.push_back(made.output);
      }
      CHECK(b.model.parameters().size() == parameters);
      strings fetch = outputs;
      fetch.push_back(layer.output);
      plait::compile(net.net(), plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
      CHECK(apart(test::joined(b.blobs, outputs), b.blobs.fetch<double>(layer.output.name())) < 1e-13);
    }
}
