// Gradients of stacks and of layers in both directions, whatever of them is looked at.
#include <plait/rnn/recurrent_layers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <plait/rnn/unrolled_layer.hpp>
#include <support/named_numbers.hpp>

namespace {

using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t inputs = 3, steps = 4, batch = 3;

// Hands on one blob as two states.
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

}  // namespace

TEST_CASE("A stack has gradients of the last states of its highest layer alone, and of those of all layers") {
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

TEST_CASE("Of a layer in both directions one may be looked at alone") {
  fed_model m;
  auto const both = plait::add_bidirectional_layer(
      m, "b", plait::lstm_cell{inputs, 2},
      {.sequence = "x", .lengths = "lengths", .learn_initial = true, .outputs_with_grads = {0, 1, 2, 3}});
  SUBCASE("the cell's last state forward") { m.check({both.last[1]}); }
  SUBCASE("all steps in reverse") { m.check({both.all[2]}); }
  SUBCASE("the output") { m.check({both.output}); }
  SUBCASE("the output and a last state") { m.check({both.output, both.last[3]}); }
}

TEST_CASE("Written out, and in a single step, an LSTM whose last cell state nobody looks at has gradients") {
  fed_model m;
  plait::lstm_cell const lstm{inputs, 2};
  plait::recurrent_layer_options const options{.sequence = "x", .learn_initial = true};
  SUBCASE("written out") { m.check({plait::add_unrolled_layer(m, "u", lstm, steps, options).output}); }
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

TEST_CASE("A cell may hand on one blob as several states") {
  fed_model m;
  auto const layer = plait::add_recurrent_layer(m, "l", doubling_cell(),
                                                {.sequence = "x", .learn_initial = true, .outputs_with_grads = {0, 3}});
  CHECK(layer.all[0].name() == "l/one_all");
  CHECK(layer.all[1].name() == "l/other_all");
  m.check({layer.output, layer.last[1]});
}
