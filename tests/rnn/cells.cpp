// Every cell there is, held to the same laws.
#include <plait/rnn/cells.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/rnn/recurrent_layer.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <plait/rnn/unrolled_layer.hpp>
#include <support/named_numbers.hpp>

namespace {

using test::apart;
using test::filled;
using test::numbers;
using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t inputs = 3, hidden = 2, steps = 4, batch = 3;

// A cell that hands on what it was given: a state, and its input.
struct passing_cell {
  std::vector<plait::cell_state> states() const { return {{"now", inputs}, {"before", inputs}, {"given", inputs}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {inputs});
    auto const seen = s.net.sum({s.mul_vector(s.states[1], w), s.states[2], s.input});
    return {s.net.tanh(seen, "now"), s.states[0], s.input};
  }
};

// A cell of a user, who knows nothing of lengths.
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
      {"of a user", own_cell{}},
      {"that hands on what it was given", passing_cell{}},
  };
}

// How the layer "r" is made in a test.
struct variant {
  std::optional<std::vector<std::int64_t>> lengths = {};
  bool wide = true;  // lengths are int64
  bool unrolled = false;
  bool given = false;  // initial states are
  plait::recurrent_layer_options layer = {};
};

struct built {
  plait::trained_model model{"net", {.type = plait::element_type::float64}};
  plait::recurrent_layer layer;
  plait::workspace<plait::serial> blobs;
  strings ys;

  built(plait::any_cell const& cell, variant const& how, tensor const& x) {
    plait::recurrent_layer_options o = how.layer;
    o.sequence = model.net.external_input("x");
    blobs.feed("x", x);
    std::int64_t const rows = x.dims()[1];
    if (how.lengths) {
      o.lengths = model.net.external_input("lengths");
      blobs.feed("lengths",
                 how.wide ? tensor::from(*how.lengths, {rows})
                          : tensor::from(std::vector<std::int32_t>(how.lengths->begin(), how.lengths->end()), {rows}));
    }
    auto const states = cell.states();
    if (how.given)
      for (std::size_t i = 0; i != states.size(); ++i) {
        o.initial.push_back(model.net.external_input("start" + std::to_string(i)));
        // Each of the forms there are.
        plait::shape dims{states[i].width};
        if (i % 3 != 0) dims = {rows, states[i].width};
        if (i % 3 == 2) dims = {1, rows, states[i].width};
        blobs.feed(o.initial.back(), filled(o.initial.back(), dims));
      }
    else
      o.learn_initial = true;
    for (std::size_t const state : cell.output_states()) o.outputs_with_grads.push_back(2 * state);
    for (std::size_t i = 0; i != states.size(); ++i) o.outputs_with_grads.push_back(2 * i + 1);
    layer = how.unrolled ? plait::add_unrolled_layer(model, "r", cell, static_cast<std::int32_t>(x.dims()[0]), o)
                         : plait::add_recurrent_layer(model, "r", cell, o);
    for (std::string const& p : model.parameters()) blobs.feed(p, filled(p, plait::shape(model.parameter_shape(p))));
    ys = {layer.output};
    for (auto const& last : layer.last) ys.push_back(last);
  }

  strings moved() const {
    strings made = model.parameters();
    for (auto const& name : blobs.names())
      if (name != "lengths" && std::ranges::find(made, name) == made.end()) made.push_back(name);
    return made;
  }
};

struct results {
  numbers output;
  std::vector<numbers> all, last;
  std::map<std::string, numbers> gradients;
};

// Of a weighted sum of the output and all last states.
results run(plait::any_cell const& cell, variant const& how, tensor const& x) {
  built b(cell, how, x);
  plait::netdef net = b.model.net.net();
  std::vector<plait::gradient_seed> seeds;
  strings fetch = b.ys;
  for (auto const& state : b.layer.all) fetch.push_back(state);
  plait::gradient_map gradients;
  if (!how.layer.forward_only) {
    auto const width = static_cast<std::int64_t>(cell.output_width());
    auto const seed = [&](std::string const& name, std::string const& y, plait::shape const& dims) {
      std::string const gradient = name + "_seed";
      seeds.emplace_back(y, gradient);
      b.blobs.feed(gradient, filled(gradient, dims));
    };
    strings const moved = b.moved();
    auto const states = cell.states();
    seed("output", b.ys[0], {x.dims()[0], x.dims()[1], width});
    for (std::size_t i = 0; i != states.size(); ++i)
      seed("last" + std::to_string(i), b.ys[i + 1], {1, x.dims()[1], states[i].width});
    gradients = plait::add_gradient_ops(net, seeds, plait::gradient_rules::standard(), {.only = moved});
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
  }
  plait::compile(net, plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
  results made;
  made.output = b.blobs.fetch<double>(b.layer.output.name());
  for (auto const& state : b.layer.all) made.all.push_back(b.blobs.fetch<double>(state.name()));
  for (auto const& state : b.layer.last) made.last.push_back(b.blobs.fetch<double>(state.name()));
  for (auto const& [name, g] : gradients) made.gradients[name] = b.blobs.fetch<double>(g.values);
  return made;
}

void check_same(results const& got, results const& expected) {
  CHECK(apart(got.output, expected.output) < 1e-13);
  CHECK(apart(got.all, expected.all) < 1e-13);
  CHECK(apart(got.last, expected.last) < 1e-13);
  for (auto const& [name, gradient] : got.gradients) {
    CAPTURE(name);
    REQUIRE(expected.gradients.contains(name));
    CHECK(apart(gradient, expected.gradients.at(name)) < 1e-12);
  }
}

tensor sequence() { return filled("x", {steps, batch, inputs}); }
std::vector<std::int64_t> const lengths{4, 2, 3};
std::vector<std::optional<std::vector<std::int64_t>>> const with_and_without{std::nullopt, lengths};

// The steps of each sequence back to front.
numbers reversed(numbers const& x, std::vector<std::int64_t> const& ends) {
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

TEST_CASE("Cells have the gradients that differences have") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without) {
      CAPTURE(name);
      built b(cell, {.lengths = ends, .given = ends.has_value()}, sequence());
      auto const check = plait::check_gradient(b.model.net.net(), b.ys, b.moved(), b.blobs);
      CAPTURE(check.text());
      CHECK(check.ok());
    }
}

TEST_CASE("Written out, recomputed, with other lengths' type: the same results and gradients") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without)
      for (bool const drop : {false, true}) {
        CAPTURE(name);
        variant const plain{.lengths = ends, .given = true, .layer = {.drop_states = drop}};
        results const expected = run(cell, plain, sequence());
        variant other = plain;
        other.unrolled = true;
        check_same(run(cell, other, sequence()), expected);
        other = plain;
        other.layer.recompute = true;
        check_same(run(cell, other, sequence()), expected);
        other = plain;
        other.wide = false;
        check_same(run(cell, other, sequence()), expected);
        other = plain;
        other.layer.forward_only = true;
        check_same(run(cell, other, sequence()), expected);
      }
}

TEST_CASE("A batch of sequences of different lengths is each of them alone") {
  numbers const x = sequence().values<double>();
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true}) {
      CAPTURE(name);
      CAPTURE(reverse);
      results const together = run(cell, {.lengths = lengths, .layer = {.reverse = reverse}}, sequence());
      auto const width = static_cast<std::size_t>(cell.output_width());
      for (std::size_t n = 0; n != batch; ++n) {
        CAPTURE(n);
        auto const length = static_cast<std::size_t>(lengths[n]);
        numbers own, output;
        for (std::size_t t = 0; t != length; ++t) {
          std::size_t const row = t * batch + n;
          own.insert(own.end(), x.begin() + static_cast<std::ptrdiff_t>(row * inputs),
                     x.begin() + static_cast<std::ptrdiff_t>((row + 1) * inputs));
          output.insert(output.end(), together.output.begin() + static_cast<std::ptrdiff_t>(row * width),
                        together.output.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
        }
        results const alone = run(cell, {.layer = {.reverse = reverse}}, tensor::from(own, {lengths[n], 1, inputs}));
        CHECK(apart(output, alone.output) < 1e-13);
        for (std::size_t s = 0; s != together.last.size(); ++s) {
          std::size_t const state = alone.last[s].size();
          auto const first = together.last[s].begin() + static_cast<std::ptrdiff_t>(n * state);
          CHECK(apart(numbers(first, first + static_cast<std::ptrdiff_t>(state)), alone.last[s]) < 1e-13);
        }
      }
    }
}

TEST_CASE("In reverse is forward on what is reversed") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without) {
      CAPTURE(name);
      auto const turned = ends.value_or(std::vector<std::int64_t>(batch, steps));
      results const got = run(cell, {.lengths = ends, .layer = {.reverse = true}}, sequence());
      tensor const x = tensor::from(reversed(sequence().values<double>(), turned), {steps, batch, inputs});
      results const expected = run(cell, {.lengths = ends}, x);
      CHECK(apart(got.last, expected.last) < 1e-13);
      for (std::size_t s = 0; s != got.all.size(); ++s)
        CHECK(apart(got.all[s], reversed(expected.all[s], turned)) < 1e-13);
    }
}

TEST_CASE("Where a sequence has ended, states are kept, or zero") {
  for (auto const& [name, cell] : all_cells())
    for (bool const drop : {false, true}) {
      CAPTURE(name);
      results const got = run(cell, {.lengths = lengths, .layer = {.drop_states = drop}}, sequence());
      for (numbers const& state : got.all) {
        std::size_t const width = state.size() / (steps * batch);
        for (std::size_t n = 0; n != batch; ++n)
          for (auto t = static_cast<std::size_t>(lengths[n]); t != steps; ++t)
            for (std::size_t k = 0; k != width; ++k)
              CHECK(state[(t * batch + n) * width + k] == (drop ? 0 : state[((t - 1) * batch + n) * width + k]));
      }
    }
}

TEST_CASE("Lengths beyond a sequence end with it, negative ones before it") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true})
      for (bool const unrolled : {false, true}) {
        CAPTURE(name);
        CAPTURE(reverse);
        CAPTURE(unrolled);
        variant how{.lengths = {{steps, 0, 2}}, .unrolled = unrolled, .layer = {.reverse = reverse}};
        results const expected = run(cell, how, sequence());
        for (auto const& far : {std::vector<std::int64_t>{steps + 1, -1, 2}, {most, -most - 1, 2}}) {
          how.lengths = far;
          check_same(run(cell, how, sequence()), expected);
        }
      }
}

TEST_CASE("Lengths are integers") {
  for (auto const& [name, cell] : all_cells())
    for (bool const reverse : {false, true})
      for (bool const unrolled : {false, true}) {
        CAPTURE(name);
        CAPTURE(reverse);
        built b(cell, {.lengths = lengths, .unrolled = unrolled, .layer = {.reverse = reverse}}, sequence());
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

TEST_CASE("Single steps with a layer's parameters do what the layer does") {
  for (auto const& [name, cell] : all_cells())
    for (auto const& ends : with_and_without) {
      CAPTURE(name);
      built b(cell, {.lengths = ends, .given = false}, sequence());
      plait::net_builder& net = b.model.net;
      strings states;
      for (std::size_t i = 0; i != b.layer.last.size(); ++i) {
        states.push_back(net.external_input("begin" + std::to_string(i)));
        b.blobs.feed(states.back(), tensor::from(numbers(static_cast<std::size_t>(batch * cell.states()[i].width)),
                                                 {1, batch, cell.states()[i].width}));
      }
      for (std::string const& p : b.model.parameters())  // as the layer begins
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
                                       .lengths = ends ? std::optional<std::string>("lengths") : std::nullopt,
                                       .timestep = number,
                                       .parameters = "r"});
        states.assign(made.states.begin(), made.states.end());
        outputs.push_back(made.output);
      }
      CHECK(b.model.parameters().size() == parameters);
      strings fetch = outputs;
      fetch.push_back(b.layer.output);
      plait::compile(net.net(), plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
      CHECK(apart(test::joined(b.blobs, outputs), b.blobs.fetch<double>(b.layer.output.name())) < 1e-13);
    }
}

TEST_CASE("Dropout is of the output in training, and what goes on is whole") {
  plait::lstm_cell const lstm{inputs, hidden};
  results const whole = run(lstm, {}, sequence());
  results const dropped = run(plait::dropout_cell{lstm, 0.5f, false}, {}, sequence());
  CHECK(apart(dropped.all, whole.all) == 0);
  std::size_t zeros = 0;
  for (std::size_t i = 0; i != whole.output.size(); ++i) {
    zeros += dropped.output[i] == 0;
    CHECK((dropped.output[i] == 0 || std::abs(dropped.output[i] - 2 * whole.output[i]) < 1e-13));
  }
  CHECK(zeros != 0);
  CHECK(zeros != whole.output.size());
  CHECK(run(plait::dropout_cell{lstm, 0.5f, true}, {}, sequence()).output == whole.output);
  CHECK(run(plait::dropout_cell{lstm, 0.5f, false}, {.layer = {.forward_only = true}}, sequence()).output ==
        whole.output);
}
