// Attention against scalar loops over doubles, and the properties of all cells.
#include <plait/rnn/detail/attention.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <support/dense_oracle.hpp>
#include <support/named_numbers.hpp>

namespace {

using plait::attention_kind;
using test::affine;
using test::apart;
using test::filled;
using test::numbers;
using test::row;
using test::sigmoid;
using test::values;
using strings = std::vector<std::string>;
using lengths_list = std::vector<std::int64_t>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t inputs = 3, hidden = 2, encoded = 4, steps = 4, places = 3, batch = 3;
attention_kind const all_kinds[] = {attention_kind::regular, attention_kind::recurrent, attention_kind::dot,
                                    attention_kind::soft_coverage};

// Variant of the layer "r", which attends to the memory "m".
struct variant {
  std::optional<lengths_list> lengths = {}, encoder_lengths = {};
  bool wide = true;  // lengths are int64
  bool unrolled = false;
  bool given = false;  // initial states are explicit
  plait::recurrent_layer_options layer = {};
};

plait::attention_memory remember(plait::trained_model& model, attention_kind kind, variant const& how,
                                 std::optional<std::int64_t> sum_width = {}, std::string const& name = "m") {
  plait::attention_memory_options o{.kind = kind, .encoder_outputs = "e", .width = encoded, .sum_width = sum_width};
  if (how.encoder_lengths) o.lengths.emplace("e_lengths");
  return plait::add_attention_memory(model, name, o);
}

// User-defined cell with attention that ignores lengths.
struct own_cell {
  plait::attention_memory memory;
  std::vector<plait::cell_state> states() const { return {{"seen", encoded}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    return {plait::attend(s, memory, s.input, inputs, {.context = s.states[0]}).context};
  }
};

// User-defined decoder that ignores attention and lengths.
struct own_decoder {
  std::vector<plait::cell_state> states() const { return {{"h", hidden}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {inputs});
    auto const x = s.fc(s.mul_vector(s.input, w), "of_input", inputs, hidden);
    return {s.net.tanh(s.net.add(s.state_fc(s.states[0], hidden, "of_state", hidden), x), "h")};
  }
};

struct attention_case {
  std::string name;
  std::function<plait::any_cell(plait::trained_model&, variant const&)> cell;
};

std::vector<attention_case> all_cases() {
  using namespace plait;
  using model = trained_model&;
  using how = variant const&;
  return {
      {"regular",
       [](model m, how v) {
         return attention_cell{lstm_cell{inputs, hidden, 0.7f}, remember(m, attention_kind::regular, v)};
       }},
      {"regular, in another width",
       [](model m, how v) {
         return attention_cell{layer_norm_lstm_cell{inputs, hidden}, remember(m, attention_kind::regular, v, 2)};
       }},
      {"recurrent",
       [](model m, how v) {
         return attention_cell{gru_cell{inputs, hidden}, remember(m, attention_kind::recurrent, v, 5)};
       }},
      {"dot",
       [](model m, how v) {
         return attention_cell{basic_rnn_cell{inputs, encoded}, remember(m, attention_kind::dot, v)};
       }},
      {"dot of other widths",
       [](model m, how v) {
         return attention_cell{mi_lstm_cell{inputs, hidden}, remember(m, attention_kind::dot, v)};
       }},
      {"soft coverage",
       [](model m, how v) {
         return attention_cell{projected_lstm_cell{inputs, 5, hidden},
                               remember(m, attention_kind::soft_coverage, v, 2)};
       }},
      {"regular, over a cell with kinks",
       [](model m, how v) {
         return attention_cell{basic_rnn_cell{inputs, hidden, rnn_activation::relu},
                               remember(m, attention_kind::regular, v)};
       }},
      {"soft coverage, over normalised gates",
       [](model m, how v) {
         return attention_cell{mi_lstm_cell{inputs, hidden, 0.7f, true}, remember(m, attention_kind::soft_coverage, v)};
       }},
      {"recurrent, over a cell of a user",
       [](model m, how v) {
         return attention_cell{own_decoder(), remember(m, attention_kind::recurrent, v)};
       }},
      {"weights that are there",
       [](model m, how v) {
         attention_memory_options o{
             .encoder_outputs = "e", .width = encoded, .weighted_encoder_outputs = m.net.tanh("e").name()};
         if (v.encoder_lengths) o.lengths = "e_lengths";
         return attention_cell{gru_cell{inputs, hidden, true}, add_attention_memory(m, "m", o)};
       }},
      {"over a stack",
       [](model m, how v) {
         return attention_cell{multi_cell{{lstm_cell{inputs, hidden}, gru_cell{hidden, hidden}}, {1}},
                               remember(m, attention_kind::recurrent, v)};
       }},
      {"in a stack",
       [](model m, how v) {
         return multi_cell{{attention_cell{gru_cell{inputs, hidden}, remember(m, attention_kind::soft_coverage, v)},
                            dropout_cell{attention_cell{peephole_lstm_cell{hidden + encoded, hidden},
                                                        remember(m, attention_kind::dot, v, {}, "m2")},
                                         0, false}}};
       }},
      {"over attention",
       [](model m, how v) {
         return attention_cell{attention_cell{basic_rnn_cell{inputs, hidden}, remember(m, attention_kind::regular, v)},
                               remember(m, attention_kind::soft_coverage, v, {}, "m2")};
       }},
      {"user-defined", [](model m, how v) { return own_cell{remember(m, attention_kind::recurrent, v)}; }},
  };
}

struct built {
  plait::trained_model model{"net", {.type = plait::element_type::float64}};
  std::optional<plait::any_cell> cell;
  plait::recurrent_layer layer;
  plait::workspace<plait::serial> blobs;
  strings ys;

  built(attention_case const& made, variant const& how, tensor const& x, tensor const& e) {
    plait::recurrent_layer_options o = how.layer;
    o.sequence = model.net.external_input("x");
    blobs.feed("x", x);
    model.net.external_input("e");
    blobs.feed("e", e);
    std::int64_t const rows = x.dims()[1];
    auto const feed_lengths = [&](std::string const& name, lengths_list const& list) {
      model.net.external_input(name);
      blobs.feed(name, how.wide ? tensor::from(list, {rows})
                                : tensor::from(std::vector<std::int32_t>(list.begin(), list.end()), {rows}));
    };
    if (how.encoder_lengths) feed_lengths("e_lengths", *how.encoder_lengths);
    if (how.lengths) {
      feed_lengths("lengths", *how.lengths);
      o.lengths = "lengths";
    }
    cell = made.cell(model, how);
    auto const states = cell->states();
    if (how.given)
      for (std::size_t i = 0; i != states.size(); ++i) {
        o.initial.push_back(model.net.external_input("start" + std::to_string(i)));
        // Each of the three allowed shapes.
        std::int64_t const width = width_of(states[i]);
        plait::shape dims{width};
        if (i % 3 != 0) dims = {rows, width};
        if (i % 3 == 2) dims = {1, rows, width};
        blobs.feed(o.initial.back(), filled(o.initial.back(), dims));
      }
    else
      o.learn_initial = true;
    for (std::size_t const state : cell->output_states()) o.outputs_with_grads.push_back(2 * state);
    for (std::size_t i = 0; i != states.size(); ++i) o.outputs_with_grads.push_back(2 * i + 1);
    layer = how.unrolled ? plait::add_unrolled_layer(model, "r", *cell, static_cast<std::int32_t>(x.dims()[0]), o)
                         : plait::add_recurrent_layer(model, "r", *cell, o);
    plait::compile(model.init.net(), plait::standard_operators<plait::serial>(), blobs).run();
    for (std::string const& p : model.parameters()) blobs.feed(p, filled(p, plait::shape(model.parameter_shape(p))));
    ys = {layer.output};
    for (auto const& last : layer.last) ys.push_back(last);
  }
  std::int64_t width_of(plait::cell_state const& state) const {
    return state.width < 0 ? blobs.view("e").dims()[0] : state.width;
  }

  // Zeroes the initial states that are parameters.
  void begin_at_zero() {
    for (std::string const& p : model.parameters())
      if (p.find("initial_") != std::string::npos) {
        plait::shape const dims(model.parameter_shape(p));
        blobs.feed(p, tensor::from(numbers(static_cast<std::size_t>(dims.size())), dims));
      }
  }

  // Returns the blobs whose gradients are checked: parameters, the sequence, the encoder's outputs, initial states.
  strings moved() const {
    strings made = model.parameters();
    for (plait::symbol const s : model.net.net().external_input) {
      std::string const name(model.net.net().text(s));
      if (!name.ends_with("lengths") && name.find('/') == std::string::npos) made.push_back(name);
    }
    return made;
  }
};

struct results {
  numbers output;
  std::vector<numbers> all, last;
  std::map<std::string, numbers> gradients;
};

tensor sequence() { return filled("x", {steps, batch, inputs}); }
tensor encoder() { return filled("e", {places, batch, encoded}); }
lengths_list const decoder_ends{4, 2, 3}, encoder_ends{2, 3, 1};

// Runs the layer, with gradients of a weighted sum of the output and all last states.
results run(attention_case const& made, variant const& how, tensor const& x = sequence(), tensor const& e = encoder()) {
  built b(made, how, x, e);
  plait::netdef net = b.model.net.net();
  std::vector<plait::gradient_seed> seeds;
  strings fetch = b.ys;
  for (auto const& state : b.layer.all) fetch.push_back(state);
  plait::gradient_map gradients;
  if (!how.layer.forward_only) {
    auto const seed = [&](std::string const& name, std::string const& y, plait::shape const& dims) {
      std::string const gradient = name + "_seed";
      seeds.emplace_back(y, gradient);
      b.blobs.feed(gradient, filled(gradient, dims));
    };
    auto const states = b.cell->states();
    seed("output", b.ys[0], {x.dims()[0], x.dims()[1], b.cell->output_width()});
    for (std::size_t i = 0; i != states.size(); ++i)
      seed("last" + std::to_string(i), b.ys[i + 1], {1, x.dims()[1], b.width_of(states[i])});
    gradients = plait::add_gradient_ops(net, seeds, plait::gradient_rules::standard(), {.only = b.moved()});
    for (std::string const& blob : b.moved()) CHECK(gradients.contains(blob));
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
  }
  plait::compile(net, plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
  results got;
  got.output = b.blobs.fetch<double>(b.layer.output.name());
  for (auto const& state : b.layer.all) got.all.push_back(b.blobs.fetch<double>(state.name()));
  for (auto const& state : b.layer.last) got.last.push_back(b.blobs.fetch<double>(state.name()));
  for (auto const& [name, g] : gradients) got.gradients[name] = b.blobs.fetch<double>(g.values);
  return got;
}

void check_same(results const& got, results const& expected) {
  CHECK(apart(got.output, expected.output) < 1e-13);
  REQUIRE(got.all.size() == expected.all.size());
  for (std::size_t i = 0; i != got.all.size(); ++i) {
    CHECK(apart(got.all[i], expected.all[i]) < 1e-13);
    CHECK(apart(got.last[i], expected.last[i]) < 1e-13);
  }
  for (auto const& [name, gradient] : got.gradients) {
    CAPTURE(name);
    REQUIRE(expected.gradients.contains(name));
    CHECK(apart(gradient, expected.gradients.at(name)) < 1e-12);
  }
}

// ---- the oracle: an LSTM with attention in scalar loops, for one row

struct oracle_states {
  std::vector<numbers> h, context, coverage;  // by step
};
// Computes attention over the encoder outputs e for the steps x of one sequence.
oracle_states oracle(attention_kind kind, std::vector<numbers> const& x, std::vector<numbers> const& e) {
  std::size_t const width = encoded, sum = kind == attention_kind::dot ? encoded : 5;
  affine const i2h("r/decoder/i2h", 4 * hidden, inputs), gates_t("r/decoder/gates_t", 4 * hidden, hidden + width);
  affine const of_query("r/weighted_decoder_hidden_state", sum, hidden);
  affine const of_context("r/weighted_prev_attention_context", sum, width);
  affine const of_output("m/weighted_encoder_outputs", sum, width), of_coverage("m/coverage_weights", sum, width);
  numbers const v = values("r/attention_logits_w", static_cast<std::int64_t>(sum));
  numbers h(hidden), c(hidden), context(width), coverage(places);
  oracle_states made;
  for (numbers const& x_t : x) {
    numbers seen = h;
    seen.insert(seen.end(), context.begin(), context.end());
    numbers const a = i2h(x_t), b = gates_t(seen);
    for (std::size_t k = 0; k != hidden; ++k) {
      auto const gate = [&](std::size_t g) { return a[g * hidden + k] + b[g * hidden + k]; };
      c[k] = sigmoid(gate(1) + 0.7f) * c[k] + sigmoid(gate(0)) * std::tanh(gate(3));
      h[k] = sigmoid(gate(2)) * std::tanh(c[k]);
    }
    numbers const q = of_query(h), before = of_context(context);
    numbers weights;
    double total = 0;
    for (std::size_t s = 0; s != e.size(); ++s) {
      numbers const w_e = of_output(e[s]), u_e = of_coverage(e[s]);
      double logit = 0;
      for (std::size_t k = 0; k != sum; ++k) {
        double z = w_e[k] + q[k];
        if (kind == attention_kind::recurrent) z += before[k];
        if (kind == attention_kind::soft_coverage) z += coverage[s] * u_e[k];
        logit += kind == attention_kind::dot ? e[s][k] * q[k] : v[k] * std::tanh(z);
      }
      weights.push_back(std::exp(logit));
      total += weights.back();
    }
    context.assign(width, 0);
    for (std::size_t s = 0; s != e.size(); ++s) {
      coverage[s] += weights[s] / total;
      for (std::size_t k = 0; k != width; ++k) context[k] += weights[s] / total * e[s][k];
    }
    made.h.push_back(h);
    made.context.push_back(context);
    made.coverage.push_back(coverage);
  }
  return made;
}

attention_case over_lstm(attention_kind kind) {
  return {"", [kind](plait::trained_model& m, variant const& v) -> plait::any_cell {
            std::optional<std::int64_t> const sum = kind == attention_kind::dot ? std::optional<std::int64_t>() : 5;
            return plait::attention_cell{plait::lstm_cell{inputs, hidden, 0.7f}, remember(m, kind, v, sum)};
          }};
}

}  // namespace

TEST_CASE("attention: each kind equals the scalar loops of the oracle") {
  for (attention_kind const kind : all_kinds)
    for (bool const ends : {false, true}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(ends);
      variant how;
      if (ends) how = {.lengths = decoder_ends, .encoder_lengths = encoder_ends, .wide = false};
      built b(over_lstm(kind), how, sequence(), encoder());
      b.begin_at_zero();
      strings fetch = b.ys;
      for (auto const& state : b.layer.all) fetch.push_back(state);
      plait::compile(b.model.net.net(), plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
      numbers const x = sequence().values<double>(), e = encoder().values<double>();
      auto const all = [&](std::size_t state) { return b.blobs.fetch<double>(b.layer.all[state].name()); };
      numbers const h = all(0), context = all(2), output = b.blobs.fetch<double>(b.layer.output.name());
      for (std::size_t n = 0; n != batch; ++n) {
        std::vector<numbers> own_x, own_e;
        for (std::size_t t = 0; t != static_cast<std::size_t>(ends ? decoder_ends[n] : steps); ++t)
          own_x.push_back(row(x, t * batch + n, inputs));
        for (std::size_t s = 0; s != static_cast<std::size_t>(ends ? encoder_ends[n] : places); ++s)
          own_e.push_back(row(e, s * batch + n, encoded));
        oracle_states const expected = oracle(kind, own_x, own_e);
        for (std::size_t t = 0; t != steps; ++t) {
          std::size_t const step = std::min(t, own_x.size() - 1), at = t * batch + n;
          CHECK(apart(row(h, at, hidden), expected.h[step]) < 1e-13);
          CHECK(apart(row(context, at, encoded), expected.context[step]) < 1e-13);
          numbers both = expected.h[step];
          both.insert(both.end(), expected.context[step].begin(), expected.context[step].end());
          CHECK(apart(row(output, at, hidden + encoded), both) < 1e-13);
          if (kind == attention_kind::soft_coverage)
            CHECK(apart(row(all(3), at, places), expected.coverage[step]) < 1e-13);
        }
      }
    }
}

TEST_CASE("attention: gradients equal finite differences") {
  for (attention_case const& one : all_cases())
    for (bool const ends : {false, true}) {
      CAPTURE(one.name);
      CAPTURE(ends);
      variant how{.given = ends};
      if (ends) how.lengths = decoder_ends, how.encoder_lengths = encoder_ends;
      built b(one, how, sequence(), encoder());
      auto const check =
          plait::check_gradient(b.model.net.net(), b.ys, b.moved(), b.blobs, {.most_elements = ends ? 6u : 2u});
      CAPTURE(check.text());
      CHECK(check.ok());
    }
}

TEST_CASE("attention: unrolling, recompute, forward only and the type of lengths do not change results") {
  for (attention_case const& one : all_cases())
    for (bool const ends : {false, true})
      for (bool const drop : {false, true}) {
        CAPTURE(one.name);
        CAPTURE(ends);
        CAPTURE(drop);
        variant plain{.given = !drop, .layer = {.drop_states = drop}};
        if (ends) plain.lengths = decoder_ends, plain.encoder_lengths = encoder_ends;
        results const expected = run(one, plain);
        variant other = plain;
        other.unrolled = true;
        check_same(run(one, other), expected);
        other = plain;
        other.layer.recompute = true;
        check_same(run(one, other), expected);
        other = plain;
        other.layer.forward_only = true;
        check_same(run(one, other), expected);
        if (!ends) continue;
        other = plain;
        other.wide = false;
        check_same(run(one, other), expected);
      }
}

TEST_CASE("attention: each row of a batch of different lengths equals its sequences alone") {
  numbers const x = sequence().values<double>(), e = encoder().values<double>();
  auto const rows_of = [](numbers const& all, std::int64_t extent, std::size_t n, std::int64_t count) {
    std::size_t const width = all.size() / static_cast<std::size_t>(extent * batch);
    numbers made;
    for (std::size_t t = 0; t != static_cast<std::size_t>(count); ++t) {
      numbers const one = row(all, t * batch + n, width);
      made.insert(made.end(), one.begin(), one.end());
    }
    return made;
  };
  for (attention_case const& one : all_cases())
    for (bool const reverse : {false, true}) {
      CAPTURE(one.name);
      CAPTURE(reverse);
      plait::recurrent_layer_options const layer{.reverse = reverse};
      results const together = run(one, {.lengths = decoder_ends, .encoder_lengths = encoder_ends, .layer = layer});
      std::size_t const width = together.output.size() / (steps * batch);
      for (std::size_t n = 0; n != batch; ++n) {
        CAPTURE(n);
        auto const length = static_cast<std::size_t>(decoder_ends[n]);
        results const alone = run(one, {.layer = layer},
                                  tensor::from(rows_of(x, steps, n, decoder_ends[n]), {decoder_ends[n], 1, inputs}),
                                  tensor::from(rows_of(e, places, n, encoder_ends[n]), {encoder_ends[n], 1, encoded}));
        for (std::size_t t = 0; t != length; ++t)
          CHECK(apart(row(together.output, t * batch + n, width), row(alone.output, t, width)) < 1e-13);
        for (std::size_t s = 0; s != together.last.size(); ++s) {
          numbers const got = row(together.last[s], n, together.last[s].size() / batch);
          numbers expected = alone.last[s];
          expected.resize(got.size());  // coverage is as wide as the longest encoder sequence: zero after the end
          CHECK(apart(got, expected) < 1e-13);
        }
      }
    }
}

TEST_CASE("attention: context and coverage are kept, or zero, after the end of a decoder's sequence") {
  for (attention_case const& one : all_cases())
    for (bool const drop : {false, true}) {
      CAPTURE(one.name);
      for (numbers const& state : run(one, {.lengths = decoder_ends, .layer = {.drop_states = drop}}).all) {
        std::size_t const width = state.size() / (steps * batch);
        for (std::size_t n = 0; n != batch; ++n)
          for (auto t = static_cast<std::size_t>(decoder_ends[n]); t != steps; ++t)
            CHECK(row(state, t * batch + n, width) == (drop ? numbers(width) : row(state, (t - 1) * batch + n, width)));
      }
    }
}

TEST_CASE("attention: steps with a layer's parameters equal the layer") {
  for (attention_case const& one : all_cases()) {
    CAPTURE(one.name);
    variant const how{.lengths = decoder_ends, .encoder_lengths = encoder_ends};
    built b(one, how, sequence(), encoder());
    plait::net_builder& net = b.model.net;
    strings states, outputs;
    auto const kinds = b.cell->states();
    for (std::size_t i = 0; i != kinds.size(); ++i) {
      states.push_back(net.external_input("begin" + std::to_string(i)));
      auto const width = b.width_of(kinds[i]);
      b.blobs.feed(states.back(), tensor::from(numbers(static_cast<std::size_t>(batch * width)), {1, batch, width}));
    }
    b.begin_at_zero();
    std::size_t const ops = net.net().op.size(), parameters = b.model.parameters().size();
    auto const slices = net.split("x", std::size_t{steps}, 0);
    for (std::int32_t t = 0; t != steps; ++t) {
      std::string const number = net.given_tensor({{1}, std::vector<std::int32_t>{t}});
      auto const made = plait::add_recurrent_step(b.model, "step" + std::to_string(t), *b.cell,
                                                  {.input = slices[static_cast<std::size_t>(t)],
                                                   .states = states,
                                                   .lengths = "lengths",
                                                   .timestep = number,
                                                   .parameters = "r"});
      states.assign(made.states.begin(), made.states.end());
      outputs.push_back(made.output);
    }
    CHECK(b.model.parameters().size() == parameters);
    for (std::size_t i = ops; i != net.net().op.size(); ++i)  // loop-invariant ops are not repeated
      for (plait::symbol const s : net.net().op[i].input) CHECK(net.net().text(s) != "e");
    strings fetch = outputs;
    fetch.push_back(b.layer.output);
    plait::compile(net.net(), plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
    CHECK(apart(test::joined(b.blobs, outputs), b.blobs.fetch<double>(b.layer.output.name())) < 1e-13);
  }
}

TEST_CASE("attention: encoder outputs after the end are masked; the context of an empty sequence is zero") {
  for (attention_kind const kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    variant const how{.encoder_lengths = lengths_list{2, 0, 3}};
    results const expected = run(over_lstm(kind), how);
    numbers e = encoder().values<double>();
    for (std::int64_t const at : {2 * batch + 0, 0 * batch + 1, 1 * batch + 1, 2 * batch + 1})
      std::fill_n(e.begin() + at * encoded, encoded, 1e6);
    results const got = run(over_lstm(kind), how, sequence(), tensor::from(e, {places, batch, encoded}));
    check_same(got, expected);
    CHECK(apart(row(got.last[2], 1, encoded), numbers(encoded)) == 0);
    for (std::int64_t const at : {2 * batch + 0, 1 * batch + 1})
      CHECK(apart(row(got.gradients.at("e"), static_cast<std::size_t>(at), encoded), numbers(encoded)) == 0);
  }
}

TEST_CASE("attention: states and parameters have Caffe2's names") {
  plait::trained_model model;
  model.net.external_inputs("x", "e");
  auto const memory = plait::add_attention_memory(
      model, "att", {.kind = attention_kind::soft_coverage, .encoder_outputs = "e", .width = encoded});
  plait::attention_cell const cell{plait::lstm_cell{inputs, hidden}, memory};
  auto const layer = plait::add_recurrent_layer(model, "att", cell, {.sequence = "x", .recompute = true});
  for (plait::op_def const& op : model.net.net().op)
    if (auto const* again = plait::find_argument(model.net.net(), op, "recompute_blobs_on_backward"))
      CHECK(again->strings ==
            strings{"att/decoder/gates_t", "att/scaled_coverage_weights", "att/decoder_hidden_encoder_outputs_sum"});
  CHECK(strings(layer.all.begin(), layer.all.end()) == strings{"att/hidden_t_external_all", "att/decoder/cell_t_all",
                                                               "att/attention_weighted_encoder_context_all",
                                                               "att/coverage_t_all"});
  CHECK(layer.output.name() == "att/states_and_context_combination");
  CHECK(layer.output_width == hidden + encoded);
  strings names = model.parameters();
  std::ranges::sort(names);
  CHECK(names == strings{"att/attention_logits_w", "att/coverage_weights_b", "att/coverage_weights_w",
                         "att/decoder/gates_t_b", "att/decoder/gates_t_w", "att/decoder/i2h_b", "att/decoder/i2h_w",
                         "att/weighted_decoder_hidden_state_b", "att/weighted_decoder_hidden_state_w",
                         "att/weighted_encoder_outputs_b", "att/weighted_encoder_outputs_w"});
  CHECK(model.has_parameter("att/attention_logits_b"));

  // Another memory with the same parameters.
  plait::add_attention_memory(
      model, "again", {.encoder_outputs = layer.output, .width = hidden + encoded, .weighted_encoder_outputs = "e"});
  plait::add_attention_memory(model, "shared", {.encoder_outputs = "e", .width = encoded, .parameters = "att"});
  CHECK(model.parameters().size() == names.size());
}

TEST_CASE("attention: invalid options are refused, and the model is rolled back") {
  using plait::net_error;
  plait::trained_model model;
  model.net.external_inputs("x", "e", "e_lengths", "w");
  plait::attention_memory_options const good{.encoder_outputs = "e", .width = encoded};
  auto const refused = [&](std::string const& name, auto const& change, std::string const& text) {
    auto options = good;
    change(options);
    plait::netdef const net = model.net.net(), init = model.init.net();
    CHECK_THROWS_WITH_AS(plait::add_attention_memory(model, name, options), text.c_str(), net_error);
    CHECK(model.net.net() == net);
    CHECK(model.init.net() == init);
  };
  using options = plait::attention_memory_options;
  refused(
      "", [](options&) {}, "plait: attention memory '': it needs a name");
  refused(
      "m", [](options& o) { o.width = 0; }, "plait: attention memory 'm': its widths must be positive");
  refused(
      "m", [](options& o) { o.sum_width = -3; }, "plait: attention memory 'm': its widths must be positive");
  refused(
      "m", [](options& o) { o.encoder_outputs = "y"; }, "plait: net 'net' has no blob 'y'");
  refused(
      "m", [](options& o) { o.lengths = "y"; }, "plait: net 'net' has no blob 'y'");
  refused(
      "m", [](options& o) { o.weighted_encoder_outputs = "y"; }, "plait: net 'net' has no blob 'y'");
  for (bool const width : {false, true})
    refused(
        "m",
        [&](options& o) {
          o.kind = attention_kind::dot;
          if (width)
            o.sum_width = 2;
          else
            o.weighted_encoder_outputs = "w";
        },
        "plait: attention memory 'm': dot attention has no weights of the encoder's outputs");
  auto const memory = plait::add_attention_memory(model, "m", good);
  refused(
      "m", [](options&) {}, "plait: attention memory 'm': the net has it already");
  refused(
      "n", [](options& o) { o.parameters = "m", o.sum_width = 2; },
      "plait: parameter 'm/weighted_encoder_outputs_w' is 4×4, not 2×4");

  auto const fails = [&](plait::attention_memory const& m, std::string const& text) {
    plait::netdef const net = model.net.net();
    plait::attention_cell const cell{plait::lstm_cell{inputs, hidden}, m};
    CHECK_THROWS_WITH_AS(plait::add_recurrent_layer(model, "r", cell, {.sequence = "x"}), text.c_str(), net_error);
    CHECK(model.net.net() == net);
  };
  auto changed = memory;
  changed.weighted.reset();
  fails(changed, "plait: the attention memory has no weighted outputs of the encoder");
  changed = memory;
  changed.kind = attention_kind::soft_coverage;
  fails(changed, "plait: recurrent layer 'r': the width of the state 'coverage_t' is unknown");
  changed.initial_coverage = "y";
  fails(changed, "plait: net 'net' has no blob 'y'");
  changed.initial_coverage = "w";
  fails(changed, "plait: the attention memory has no coverage weights");
  changed = memory;
  changed.values = "y";
  fails(changed, "plait: a cell captures 'y', which the outer net lacks");

  // User-defined cells may omit the state that the kind needs.
  struct forgetful_cell {
    plait::attention_memory memory;
    std::vector<plait::cell_state> states() const { return {{"s", inputs}}; }
    std::vector<plait::blob_handle> step(plait::cell_step& s) const {
      plait::attend(s, memory, s.input, inputs);
      return {s.input};
    }
  };
  for (attention_kind const kind : {attention_kind::recurrent, attention_kind::soft_coverage}) {
    changed.kind = kind;
    CHECK_THROWS_AS(plait::add_recurrent_layer(model, "r", forgetful_cell{changed}, {.sequence = "x"}), net_error);
  }

  // A wrong width is detected when the net runs.
  plait::workspace<plait::serial> blobs;
  auto const dot =
      plait::add_attention_memory(model, "d", {.kind = attention_kind::dot, .encoder_outputs = "e", .width = hidden});
  plait::add_recurrent_layer(model, "r", plait::attention_cell{plait::lstm_cell{inputs, hidden}, dot},
                             {.sequence = "x"});
  plait::compile(model.init.net(), plait::standard_operators<plait::serial>(), blobs).run();
  blobs.feed(
      "x", tensor::from(std::vector<float>(static_cast<std::size_t>(steps * batch * inputs)), {steps, batch, inputs}));
  blobs.feed("e", tensor::from(std::vector<float>(static_cast<std::size_t>(places * batch * encoded)),
                               {places, batch, encoded}));
  auto plan = plait::compile(model.net.net(), plait::standard_operators<plait::serial>(), blobs,
                             {.fetch = {"r/hidden_t_external_all"}});
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
}
