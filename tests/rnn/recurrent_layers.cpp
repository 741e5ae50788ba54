// Stacked and bidirectional layers: the laws of a single layer hold, and gradients exist whichever outputs are used.
#include <plait/rnn/recurrent_layers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <support/built_layer.hpp>
#include <support/named_numbers.hpp>

namespace {

using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

using test::layer_size::batch, test::layer_size::inputs, test::layer_size::steps;

// Returns one blob as two states.
struct doubling_cell {
  std::vector<plait::cell_state> states() const { return {{"one", inputs}, {"other", inputs}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {inputs});
    auto const made = s.net.tanh(s.net.sum({s.mul_vector(s.states[0], w), s.states[1], s.input}), "one");
    return {made, made};
  }
};

struct fed_model : plait::trained_model {
  fed_model() : trained_model("net", {.type = plait::element_type::float64}) {
    net.external_inputs("x", "lengths");
    blobs.feed("x", test::filled("x", {steps, batch, inputs}));
    blobs.feed("lengths", tensor::from(std::vector<std::int64_t>{4, 0, 2}, {batch}));
  }

  void check(strings const& ys) {
    strings moved = parameters();
    moved.emplace_back("x");
    for (std::string const& p : parameters()) blobs.feed(p, test::filled(p, plait::shape(parameter_shape(p))));
    auto const found = plait::check_gradient(net.net(), ys, moved, blobs);
    CAPTURE(found.text());
    CHECK(found.ok());
  }

  plait::workspace<plait::serial> blobs;
};

constexpr std::int64_t hidden = 2;

struct stack_kind {
  std::size_t layers;
  bool bidirectional = false, chained = false;
};
std::vector<stack_kind> const stack_kinds{{1, true}, {2}, {2, true}, {3, false, true}, {2, true, true}};

std::vector<plait::lstm_cell> cells_of(stack_kind const& kind) {
  std::vector<plait::lstm_cell> made{{inputs, hidden, 0.7f}};
  while (made.size() != kind.layers) made.push_back({kind.bidirectional ? 2 * hidden : hidden, hidden, 0.7f});
  return made;
}

// Returns a stack "r" of LSTM layers.
test::layer_subject stack(stack_kind const& kind) {
  test::layer_subject made{.outputs_with_grads = {0, 1, 2, 3}};
  std::vector<plait::cell_state> const states = plait::lstm_cell{inputs, hidden}.states();
  for (std::size_t i = 0; i != kind.layers * (kind.bidirectional ? 2 : 1); ++i) {
    made.ends.insert(made.ends.end(), states.size(), hidden);
    if (!kind.chained || i < (kind.bidirectional ? 2 : 1))
      made.begin.insert(made.begin.end(), states.begin(), states.end());
  }
  made.add = [kind](plait::trained_model& model, test::layer_variant const&, plait::recurrent_layer_options const& o) {
    return plait::add_recurrent_layers(model, "r", cells_of(kind),
                                       {.layer = o, .bidirectional = kind.bidirectional, .chained = kind.chained});
  };
  return made;
}

// Returns a chained stack that is built by single layers, one for each direction.
test::layer_subject chained_by_hand(stack_kind const& kind) {
  test::layer_subject made = stack(kind);
  made.add = [kind](plait::trained_model& model, test::layer_variant const&, plait::recurrent_layer_options o) {
    std::vector<plait::recurrent_layer> layers;
    std::vector<plait::lstm_cell> const cells = cells_of(kind);
    strings initial = o.initial;
    for (std::size_t i = 0; i != cells.size(); ++i) {
      std::string const name = "r_layer_" + std::to_string(i);
      plait::recurrent_layer whole;
      strings outputs;
      for (bool const reverse : {false, true}) {
        if (reverse && !kind.bidirectional) continue;
        o.reverse = reverse;
        o.initial.clear();
        for (std::size_t s = 0; !initial.empty() && s != 2; ++s) o.initial.push_back(initial[reverse ? 2 + s : s]);
        std::string const direction = !kind.bidirectional ? "" : reverse ? "/backward" : "/forward";
        auto const one = plait::add_recurrent_layer(model, name + direction, cells[i], o);
        whole.all.insert(whole.all.end(), one.all.begin(), one.all.end());
        whole.last.insert(whole.last.end(), one.last.begin(), one.last.end());
        whole.output_width += one.output_width;
        outputs.push_back(one.output);
      }
      whole.output = kind.bidirectional ? model.net.concat({outputs[0], outputs[1]}, 2) : model.net.blob(outputs[0]);
      layers.push_back(whole);
      o.sequence = whole.output;
      o.learn_initial = false;
      initial.assign(whole.last.begin(), whole.last.end());
    }
    return layers;
  };
  return made;
}

std::vector<std::optional<test::lengths_list>> const with_and_without{std::nullopt, {{steps, 0, 2}}};

}  // namespace

TEST_CASE("recurrent layers: gradients of stacks equal finite differences") {
  for (stack_kind const& kind : stack_kinds)
    for (auto const& ends : with_and_without)
      for (bool const given : {false, true}) {
        CAPTURE(kind.layers);
        CAPTURE(kind.bidirectional);
        CAPTURE(kind.chained);
        CAPTURE(given);
        test::built_layer b(stack(kind), {.lengths = ends, .given = given});
        auto const check = plait::check_gradient(b.model.net.net(), b.ys, b.moved(), b.blobs);
        CAPTURE(check.text());
        CHECK(check.ok());
      }
}

TEST_CASE("recurrent layers: recompute, forward only and the type of lengths do not change results") {
  for (stack_kind const& kind : stack_kinds)
    for (auto const& ends : with_and_without)
      for (bool const drop : {false, true})
        for (bool const reverse : {false, true}) {
          if (reverse && kind.bidirectional) continue;
          CAPTURE(kind.layers);
          CAPTURE(kind.bidirectional);
          CAPTURE(kind.chained);
          CAPTURE(drop);
          CAPTURE(reverse);
          test::check_variants(stack(kind),
                               {.lengths = ends, .given = !drop, .layer = {.drop_states = drop, .reverse = reverse}});
        }
}

TEST_CASE("recurrent layers: each row of a batch of different lengths equals its sequence alone") {
  for (stack_kind const& kind : stack_kinds)
    for (bool const given : {false, true}) {
      CAPTURE(kind.layers);
      CAPTURE(kind.bidirectional);
      CAPTURE(kind.chained);
      CAPTURE(given);
      test::check_batch_is_each_alone(stack(kind), {.lengths = {{steps, 0, 2}}, .given = given});
    }
}

TEST_CASE("recurrent layers: chained layers equal layers with explicit initial states") {
  for (stack_kind const& kind : stack_kinds) {
    if (!kind.chained) continue;
    for (auto const& ends : with_and_without)
      for (bool const given : {false, true}) {
        CAPTURE(kind.bidirectional);
        CAPTURE(given);
        test::layer_variant const how{.lengths = ends, .given = given};
        test::check_same(test::run_layer(stack(kind), how), test::run_layer(chained_by_hand(kind), how));
      }
  }
}

TEST_CASE("recurrent layers: last states have gradients, those of the top layer alone or of all layers") {
  for (bool const bidirectional : {false, true})
    for (bool const all : {false, true}) {
      CAPTURE(bidirectional);
      CAPTURE(all);
      fed_model m;
      std::int64_t const width = bidirectional ? 4 : 2;
      std::vector<plait::any_cell> const cells{plait::gru_cell{inputs, 2}, plait::lstm_cell{width, 2},
                                               plait::lstm_cell{width, 3}};
      auto const made = plait::add_recurrent_layers(
          m, "s", cells,
          {.layer = {.sequence = "x", .lengths = "lengths", .learn_initial = true, .outputs_with_grads = {1, 3}},
           .bidirectional = bidirectional});
      strings ys{made.back().last[0], made.back().last[1]};
      if (all)
        for (std::size_t i = 0; i != 2; ++i) ys.insert(ys.end(), made[i].last.begin(), made[i].last.end());
      m.check(ys);
    }
}

TEST_CASE("bidirectional layer: outputs of one direction alone have gradients") {
  fed_model m;
  auto const both = plait::add_bidirectional_layer(
      m, "b", plait::lstm_cell{inputs, 2},
      {.sequence = "x", .lengths = "lengths", .learn_initial = true, .outputs_with_grads = {0, 1, 2, 3}});
  SUBCASE("the cell's last state forward") { m.check({both.last[1]}); }
  SUBCASE("all steps in reverse") { m.check({both.all[2]}); }
  SUBCASE("the output") { m.check({both.output}); }
  SUBCASE("the output and a last state") { m.check({both.output, both.last[3]}); }
}

TEST_CASE("unrolled layer and recurrent step: an LSTM whose last cell state is unused has gradients") {
  fed_model m;
  plait::lstm_cell const lstm{inputs, 2};
  plait::recurrent_layer_options const options{.sequence = "x", .learn_initial = true};
  SUBCASE("unrolled") { m.check({plait::add_unrolled_layer(m, "u", lstm, steps, options).output}); }
  SUBCASE("the last hidden state") { m.check({plait::add_unrolled_layer(m, "u", lstm, steps, options).last[0]}); }
  SUBCASE("the last cell state") { m.check({plait::add_unrolled_layer(m, "u", lstm, steps, options).last[1]}); }
  SUBCASE("a step") {
    m.net.external_inputs("x_t", "h", "c");
    for (auto const& [name, width] :
         {std::pair("x_t", inputs), std::pair("h", std::int64_t{2}), std::pair("c", std::int64_t{2})})
      m.blobs.feed(name, test::filled(name, {1, batch, width}));
    auto const step = plait::add_recurrent_step(m, "s", lstm, {.input = "x_t", .states = {"h", "c"}});
    m.check({step.output});
  }
}

TEST_CASE("recurrent layer: a cell may return one blob as several states") {
  fed_model m;
  auto const layer = plait::add_recurrent_layer(m, "l", doubling_cell(),
                                                {.sequence = "x", .learn_initial = true, .outputs_with_grads = {0, 3}});
  CHECK(layer.all[0].name() == "l/one_all");
  CHECK(layer.all[1].name() == "l/other_all");
  m.check({layer.output, layer.last[1]});
}
