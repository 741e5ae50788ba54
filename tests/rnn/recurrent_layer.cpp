// Ops, names and parameters that layers, steps and stacks of cells add to a model; cells.cpp runs them.
#include <plait/rnn/recurrent_layers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/arguments.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/cells/basic_rnn.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/multi.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <support/op_lines.hpp>

namespace {

using strings = std::vector<std::string>;

// Minimal cell (archetype of the concept).
struct least_cell {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.net.sum({s.input, s.states[0]}, "s")}; }
};
static_assert(plait::recurrent_cell<least_cell>);
static_assert(!plait::cell_traits<least_cell>::masks);
static_assert(plait::recurrent_cell<plait::any_cell>);
static_assert(plait::cell_traits<plait::lstm_cell>::masks);

struct without_states {
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
};
struct without_const_step {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) { return {s.input}; }
};
struct prepares_by_name {  // a member with a wrong signature
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
  plait::blob_handle prepare(plait::cell_scope&, int) const { return {}; }
};
struct output_without_width {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
  plait::blob_handle output(plait::cell_scope&, std::vector<plait::blob_handle> const& s) const { return s[0]; }
};
static_assert(!plait::recurrent_cell<int>);
static_assert(!plait::recurrent_cell<without_states>);
static_assert(!plait::recurrent_cell<without_const_step>);
static_assert(!plait::recurrent_cell<prepares_by_name>);
static_assert(!plait::recurrent_cell<output_without_width>);

// Returns one state too many.
struct careless_cell {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const w = s.parameter("w", {1});
    return {s.net.mul(s.states[0], w, "s"), s.input};
  }
};
// Has an output that depends on a missing state.
struct cell_of_other_state {
  std::vector<std::size_t> made_of;
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.net.sum({s.input, s.states[0]}, "s")}; }
  std::vector<std::size_t> output_states() const { return made_of; }
};
// Does not name its state's blob.
struct nameless_cell {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.net.sum({s.input, s.states[0]})}; }
};
struct stateless_cell {
  std::vector<plait::cell_state> states() const { return {}; }
  std::vector<plait::blob_handle> step(plait::cell_step&) const { return {}; }
};

plait::trained_model with_sequence() {
  plait::trained_model model("net");
  model.net.external_inputs("x", "h0", "c0", "lengths");
  return model;
}

// Returns true if `add` is refused and the model is rolled back.
bool refused(std::function<void(plait::trained_model&)> const& add) {
  plait::trained_model model = with_sequence();
  (void)plait::add_recurrent_layer(model, "there", plait::any_cell(plait::lstm_cell{2, 3}), {.sequence = "x"});
  plait::netdef const net = model.net.net(), init = model.init.net();
  strings const parameters = model.parameters();
  try {
    add(model);
  } catch (plait::net_error const&) {
    return model.net.net() == net && model.init.net() == init && model.parameters() == parameters;
  }
  return false;
}

plait::netdef const& step_net(plait::netdef const& n, std::size_t op) {
  return *plait::find_argument(n, n.op.at(op), "step_net")->n;
}

}  // namespace

TEST_CASE("recurrent layer: names and parameters of an LSTM are those of Caffe2") {
  plait::trained_model model = with_sequence();
  auto const layer = plait::add_recurrent_layer(model, "lstm", plait::lstm_cell{2, 3},
                                                {.sequence = "x", .lengths = "lengths", .initial = {"h0", "c0"}});
  CHECK(layer.output.name() == "lstm/hidden_t_all");
  CHECK(layer.last[1].name() == "lstm/cell_t_last");
  CHECK(layer.output_width == 3);
  CHECK(test::lines_of(model.net.net()) ==
        test::lines{"FC: x lstm/i2h_w lstm/i2h_b -> lstm/i2h",
                    "RecurrentNetwork: lstm/i2h h0 c0 lstm/gates_t_w lstm/gates_t_b lengths -> lstm/hidden_t_all "
                    "lstm/hidden_t_last lstm/cell_t_all lstm/cell_t_last lstm/step_workspaces"});
  CHECK(test::lines_of(step_net(model.net.net(), 1)) ==
        test::lines{"FC: lstm/hidden_t_prev lstm/gates_t_w lstm/gates_t_b -> lstm/gates_t",
                    "Sum: lstm/gates_t lstm/input_t -> lstm/gates_t",
                    "LSTMUnit: lstm/hidden_t_prev lstm/cell_t_prev lstm/gates_t lengths lstm/timestep -> "
                    "lstm/hidden_t lstm/cell_t"});
  CHECK(model.parameters() == strings{"lstm/i2h_w", "lstm/i2h_b", "lstm/gates_t_w", "lstm/gates_t_b"});
  CHECK(model.parameter_shape("lstm/i2h_w") == std::vector<std::int64_t>{12, 2});
  CHECK(model.parameter_shape("lstm/gates_t_w") == std::vector<std::int64_t>{12, 3});
}

TEST_CASE("recurrent layer: its name is in the net's scope; initial states are learned under Caffe2's names, or zero") {
  plait::trained_model model = with_sequence();
  auto const guard = model.net.scope("block");
  auto const layer =
      plait::add_recurrent_layer(model, "lstm", plait::lstm_cell{2, 3}, {.sequence = "x", .learn_initial = true});
  CHECK(layer.output.name() == "block/lstm/hidden_t_all");
  CHECK(model.parameter_shape("block/lstm/initial_hidden_state") == std::vector<std::int64_t>{3});
  CHECK(model.parameter_shape("block/lstm/initial_cell_state") == std::vector<std::int64_t>{3});
  auto const zero = plait::add_recurrent_layer(model, "gru", plait::gru_cell{2, 3}, {.sequence = "x"});
  CHECK(zero.output.name() == "block/gru/hidden_t_all");
  CHECK(model.parameter_shape("block/gru/zero_hidden_state") == std::vector<std::int64_t>{3});
  CHECK(std::ranges::find(model.parameters(), "block/gru/zero_hidden_state") == model.parameters().end());
}

TEST_CASE("recurrent layer: by default only the output has gradients; gates may be recomputed") {
  for (bool const recompute : {false, true}) {
    plait::trained_model model = with_sequence();
    (void)plait::add_recurrent_layer(model, "lstm", plait::any_cell(plait::lstm_cell{2, 3}),
                                     {.sequence = "x", .initial = {"h0", "c0"}, .recompute = recompute});
    auto const& n = model.net.net();
    CHECK(plait::find_argument(n, n.op[1], "outputs_with_grads")->ints == std::vector<std::int64_t>{0});
    CHECK(plait::find_argument(n, n.op[1], "recompute_blobs_on_backward")->strings ==
          (recompute ? strings{"lstm/gates_t"} : strings{}));
  }
}

TEST_CASE("recurrent layer: layers share parameters by scope") {
  plait::trained_model model = with_sequence();
  plait::any_cell const cell = plait::lstm_cell{2, 3};
  (void)plait::add_recurrent_layer(model, "encoder", cell, {.sequence = "x"});
  auto const second = plait::add_recurrent_layer(model, "again", cell, {.sequence = "x", .parameters = "encoder"});
  CHECK(second.output.name() == "again/hidden_t_all");
  CHECK(model.parameters().size() == 4);
  CHECK(test::lines_of(model.net.net()).at(2) == "FC: x encoder/i2h_w encoder/i2h_b -> again/i2h");
}

TEST_CASE("multi_cell: inner cells have separate scopes") {
  plait::trained_model model = with_sequence();
  plait::multi_cell const cell{{plait::lstm_cell{2, 3}, plait::gru_cell{3, 3}, plait::gru_cell{3, 3}}, {1, 2}};
  auto const layer = plait::add_recurrent_layer(model, "m", plait::any_cell(cell), {.sequence = "x"});
  CHECK(layer.all.size() == 4);
  CHECK(layer.all[2].name() == "m/layer_1/hidden_t_all");
  CHECK(model.parameter_shape("m/layer_2/output_gate_t_w") == std::vector<std::int64_t>{3, 3});
  CHECK(test::lines_of(model.net.net()).back() ==
        "Sum: m/layer_2/hidden_t_all m/layer_1/hidden_t_all m/layer_0/hidden_t_all -> m/residual_output");
  CHECK(plait::cell_traits<plait::multi_cell>::output_states(cell) == std::vector<std::size_t>{3, 2, 0});
}

TEST_CASE("recurrent layers: stacked and bidirectional layers have names and parameters by layer and direction") {
  plait::trained_model model = with_sequence();
  auto const cells = plait::stack_of<plait::gru_cell>(2, {3, 4}, true);
  CHECK(cells[1].inputs == 3);
  CHECK(cells[1].linear_before_reset);
  auto const stack = plait::add_recurrent_layers(model, "s", std::vector<plait::any_cell>(cells.begin(), cells.end()),
                                                 {.layer = {.sequence = "x"}});
  CHECK(stack.back().output.name() == "s_layer_1/hidden_t_all");
  CHECK(model.parameter_shape("s_layer_1/i2h_w") == std::vector<std::int64_t>{12, 3});

  auto const both = plait::add_bidirectional_layer(model, "b", plait::any_cell(plait::lstm_cell{2, 3}),
                                                   {.sequence = "x", .lengths = "lengths"});
  CHECK(both.output.name() == "b/output");
  CHECK(both.output_width == 6);
  CHECK(both.all.size() == 4);
  CHECK(model.has_parameter("b/backward/gates_t_w"));
  CHECK(test::lines_of(model.net.net()).back().starts_with("Concat: b/forward/hidden_t_all net/ReversePackedSegs"));
}

TEST_CASE("recurrent layers: chained layers start from the last states of the layer below") {
  plait::trained_model model = with_sequence();
  (void)plait::add_recurrent_layers(model, "s",
                                    std::vector<plait::any_cell>{plait::gru_cell{2, 3}, plait::gru_cell{3, 3}},
                                    {.layer = {.sequence = "x"}, .chained = true});
  auto const& n = model.net.net();
  auto const lines = test::lines_of(n);
  CHECK(lines.back().starts_with("RecurrentNetwork: s_layer_1/i2h s_layer_0/hidden_t_last "));
  CHECK(plait::find_argument(n, n.op.at(1), "outputs_with_grads")->ints == std::vector<std::int64_t>{0, 1});
  CHECK(plait::find_argument(n, n.op.back(), "outputs_with_grads")->ints == std::vector<std::int64_t>{0});
}

TEST_CASE("recurrent layer: a second one in a scope is refused, also with a cell masked by lengths") {
  plait::trained_model model = with_sequence();
  auto const add = [&] {
    return plait::add_recurrent_layer(model, "l", plait::basic_rnn_cell{2, 3}, {.sequence = "x", .lengths = "lengths"});
  };
  (void)add();
  plait::netdef const net = model.net.net();
  CHECK_THROWS_WITH_AS((void)add(), doctest::Contains("the net has it already"), plait::net_error);
  CHECK(model.net.net() == net);
}

TEST_CASE("recurrent layer: a second layer or step in a scope is refused, whatever the names of its states' blobs") {
  plait::trained_model model = with_sequence();
  auto const refuses = [&](auto const& add) {
    add();
    plait::netdef const net = model.net.net();
    CHECK_THROWS_WITH_AS(add(), doctest::Contains(" already"), plait::net_error);
    CHECK(model.net.net() == net);
  };
  refuses([&] { (void)plait::add_recurrent_layer(model, "l", nameless_cell(), {.sequence = "x"}); });
  refuses([&] {
    (void)plait::add_recurrent_step(model, "s", plait::lstm_cell{2, 3}, {.input = "x", .states = {"h0", "c0"}});
  });
  CHECK_THROWS_AS((void)plait::add_recurrent_step(model, "s", plait::lstm_cell{2, 3},
                                                  {.input = "x", .states = {"s/hidden_t", "s/cell_t"}}),
                  plait::net_error);
  refuses([&] {
    (void)plait::add_recurrent_step(model, "m", plait::basic_rnn_cell{2, 3},
                                    {.input = "x", .states = {"h0"}, .lengths = "lengths"});
  });
}

TEST_CASE("recurrent layer: one that would overwrite a blob of the net is refused") {
  auto const refuses = [](char const* blob, auto const& add) {
    for (bool const is_given : {true, false}) {
      plait::trained_model model = with_sequence();
      if (is_given)
        (void)model.net.external_input(blob);
      else
        (void)model.net.op("Copy", {"x"}, {blob});
      plait::netdef const net = model.net.net();
      plait::netdef const init = model.init.net();
      CAPTURE(std::string(blob));
      try {
        add(model);
        FAIL("accepted");
      } catch (plait::net_error const& e) {
        CHECK(e.blob == blob);
      }
      CHECK(model.net.net() == net);
      CHECK(model.init.net() == init);
    }
  };
  for (char const* const blob : {"l/i2h", "l/i2h_w", "l/gates_t_b", "l/zero_hidden_state"})
    refuses(blob, [](plait::trained_model& model) {
      (void)plait::add_recurrent_layer(model, "l", plait::lstm_cell{2, 3}, {.sequence = "x"});
    });
  for (char const* const blob : {"l/i2h", "l/timestep_1/gates_t"})
    refuses(blob, [](plait::trained_model& model) {
      (void)plait::add_unrolled_layer(model, "l", plait::lstm_cell{2, 3}, 2, {.sequence = "x"});
    });
}

TEST_CASE("recurrent step: may update its states in place, so that it can be run repeatedly") {
  plait::trained_model model = with_sequence();
  model.net.external_input("s/hidden_t");
  auto const step =
      plait::add_recurrent_step(model, "s", plait::gru_cell{2, 3}, {.input = "x", .states = {"s/hidden_t"}});
  CHECK(step.states[0].name() == "s/hidden_t");
}

TEST_CASE("recurrent layer: seeds of parameters wrap around after the greatest") {
  plait::trained_model model("net", {.seed = std::numeric_limits<std::int64_t>::max()});
  model.net.external_inputs("x");
  (void)plait::add_recurrent_layer(model, "l", plait::lstm_cell{2, 3}, {.sequence = "x"});
  std::vector<std::int64_t> seeds;
  for (plait::op_def const& op : model.init.net().op)
    if (auto const* seed = plait::find_argument(model.init.net(), op, "seed")) seeds.push_back(seed->i.value());
  REQUIRE(seeds.size() == 2);
  CHECK(seeds[0] == std::numeric_limits<std::int64_t>::max());
  CHECK(seeds[1] < 0);
}

TEST_CASE("recurrent layer: invalid options are refused, and the model is rolled back") {
  using plait::add_recurrent_layer, plait::any_cell, plait::trained_model;
  any_cell const lstm = plait::lstm_cell{2, 3};
  auto const layer = [&](any_cell const& cell, std::string const& name, plait::recurrent_layer_options const& o) {
    return refused([&](trained_model& m) { (void)add_recurrent_layer(m, name, cell, o); });
  };
  CHECK(layer(lstm, "l", {}));  // no sequence
  CHECK(layer(lstm, "l", {.sequence = "nowhere"}));
  CHECK(layer(lstm, "", {.sequence = "x"}));
  CHECK(layer(lstm, "there", {.sequence = "x"}));  // a second time
  CHECK(layer(lstm, "l", {.sequence = "x", .lengths = "nowhere"}));
  CHECK(layer(lstm, "l", {.sequence = "x", .initial = {"h0"}}));  // one of two
  CHECK(layer(lstm, "l", {.sequence = "x", .initial = {"h0", "nowhere"}}));
  CHECK(layer(lstm, "l", {.sequence = "x", .initial = {"h0", "c0"}, .learn_initial = true}));
  CHECK(layer(lstm, "l", {.sequence = "x", .outputs_with_grads = {4}}));
  CHECK(layer(plait::lstm_cell{2, 4}, "l", {.sequence = "x", .parameters = "there"}));  // in another shape
  CHECK(layer(plait::lstm_cell{2, 0}, "l", {.sequence = "x"}));
  CHECK(layer(plait::lstm_cell{2, std::numeric_limits<std::int64_t>::max()}, "l", {.sequence = "x"}));
  CHECK(layer(careless_cell(), "l", {.sequence = "x"}));
  CHECK(layer(stateless_cell(), "l", {.sequence = "x"}));
  for (std::vector<std::size_t> const& made_of : {std::vector<std::size_t>{}, {1}, {0, 7}}) {
    any_cell const cell = cell_of_other_state{made_of};
    CHECK(layer(cell, "l", {.sequence = "x"}));
    CHECK(refused([&](trained_model& m) { (void)plait::add_unrolled_layer(m, "l", cell, 2, {.sequence = "x"}); }));
    CHECK(refused(
        [&](trained_model& m) { (void)plait::add_recurrent_step(m, "l", cell, {.input = "x", .states = {"h0"}}); }));
  }
  CHECK(layer(plait::multi_cell{{}}, "l", {.sequence = "x"}));
  CHECK(layer(plait::multi_cell{{lstm}, {1}}, "l", {.sequence = "x"}));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_recurrent_layers(m, "l", std::vector<plait::multi_cell>(2), {.layer = {.sequence = "x"}});
  }));
  CHECK(layer(plait::multi_cell{{lstm, plait::gru_cell{3, 4}}, {1}}, "l", {.sequence = "x"}));

  CHECK(refused([&](trained_model& m) { (void)plait::add_unrolled_layer(m, "l", lstm, 0, {.sequence = "x"}); }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_unrolled_layer(m, "l", any_cell(careless_cell()), 2, {.sequence = "x"});
  }));
  CHECK(refused(
      [&](trained_model& m) { (void)plait::add_recurrent_step(m, "l", lstm, {.input = "x", .states = {"h0"}}); }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_recurrent_step(m, "l", lstm, {.input = "nowhere", .states = {"h0", "c0"}});
  }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_bidirectional_layer(m, "l", lstm, {.sequence = "x", .reverse = true});
  }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_bidirectional_layer(m, "l", lstm, {.sequence = "x", .initial = {"h0", "c0"}});
  }));
  CHECK(refused([&](trained_model& m) { (void)plait::add_bidirectional_layer(m, "", lstm, {.sequence = "x"}); }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_recurrent_layers(m, "", std::vector<any_cell>{lstm}, {.layer = {.sequence = "x"}});
  }));
  CHECK(refused([&](trained_model& m) {
    (void)plait::add_recurrent_layers(m, "l", std::vector<any_cell>{}, {.layer = {.sequence = "x"}});
  }));
  CHECK(refused([&](trained_model& m) {  // fails after the first layer has been added
    (void)plait::add_recurrent_layers(m, "l", std::vector<any_cell>{lstm, careless_cell()},
                                      {.layer = {.sequence = "x"}});
  }));
}
