#include <plait/rnn/recurrent_net.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <support/op_lines.hpp>

namespace {

using strings = std::vector<std::string>;

plait::net_builder tanh_cell() {
  plait::net_builder cell("cell");
  auto const [x, h_prev, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
  auto const h = cell.tanh(cell.fc(cell.concat({x, h_prev}, 1), w, b, "g"), "h");
  cell.external_outputs(h);
  return cell;
}

plait::recurrent_net_options tanh_options() {
  return {.cell = tanh_cell(), .inputs = {{"x_t", "x"}}, .states = {{.in = "h_prev", .out = "h", .initial = "h0"}}};
}

std::string line(plait::netdef const& n, std::size_t op) { return test::lines_of(n).at(op); }

}  // namespace

TEST_CASE("recurrent_net: the op has a step net, links, aliases and a backward step net") {
  plait::netdef n = plait::read_netdef_text(R"(name: "outer" external_input: "x")");
  plait::netdef const cell = plait::read_netdef_text(R"(
    name: "cell"
    op { type: "Mul" input: "h_prev" input: "w" output: "g" }
    op { type: "Sum" input: "g" input: "x_t" output: "h" }
    external_input: "x_t" external_input: "h_prev" external_input: "w" external_output: "h")");
  auto const made = plait::recurrent_net(n, {.cell = cell,
                                             .inputs = {{"x_t", "x"}},
                                             .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
                                             .recompute_on_backward = {"g"},
                                             .outputs_with_grads = {1},
                                             .timestep = "t",
                                             .scope = "rnn",
                                             .executor = {.num_threads = 2}});
  CHECK(made.blobs == strings{"h_all", "h_last"});
  CHECK(made.workspaces == "rnn/step_workspaces");
  CHECK(made.all("h") == "h_all");
  CHECK(made.last("h") == "h_last");
  CHECK(n == plait::read_netdef_text(R"(
    name: "outer"
    op {
      type: "RecurrentNetwork"
      input: "x" input: "h0" input: "w"
      output: "h_all" output: "h_last" output: "rnn/step_workspaces"
      arg { name: "alias_src" strings: "rnn/h_prev_states" strings: "rnn/h_prev_states" }
      arg { name: "alias_dst" strings: "h_all" strings: "h_last" }
      arg { name: "alias_offset" ints: 1 ints: -1 }
      arg { name: "recurrent_states" strings: "rnn/h_prev_states" }
      arg { name: "initial_recurrent_state_ids" ints: 1 }
      arg { name: "link_internal" strings: "h_prev" strings: "h" strings: "x_t" }
      arg { name: "link_external" strings: "rnn/h_prev_states" strings: "rnn/h_prev_states" strings: "x" }
      arg { name: "link_offset" ints: 0 ints: 1 ints: 0 }
      arg { name: "param" ints: 2 }
      arg { name: "backward_link_internal" strings: "h_grad" strings: "h_prev_grad" strings: "h_grad" }
      arg {
        name: "backward_link_external"
        strings: "rnn/h_prev_states_grad" strings: "rnn/h_prev_states_grad" strings: "x_grad"
      }
      arg { name: "backward_link_offset" ints: 1 ints: 0 ints: 0 }
      arg { name: "outputs_with_grads" ints: 1 }
      arg { name: "recompute_blobs_on_backward" strings: "g" }
      arg { name: "param_grads" strings: "w_grad" }
      arg {
        name: "backward_step_net"
        n {
          name: "RecurrentBackwardStep"
          op { type: "Mul" input: "h_prev" input: "w" output: "g" }
          op { type: "Mul" input: "h_grad" input: "w" output: "h_prev_grad" is_gradient_op: true }
          op { type: "Mul" input: "h_grad" input: "h_prev" output: "w_grad" is_gradient_op: true }
          type: "simple"
          external_input: "h_grad" external_input: "x_t" external_input: "h_prev" external_input: "w"
          external_input: "h"
        }
      }
      arg { name: "enable_rnn_executor" i: 1 }
      arg { name: "rnn_executor.num_threads" i: 2 }
      arg {
        name: "step_net"
        n {
          name: "cell"
          op { type: "Mul" input: "h_prev" input: "w" output: "g" }
          op { type: "Sum" input: "g" input: "x_t" output: "h" }
          type: "simple"
          external_input: "x_t" external_input: "h_prev" external_input: "w" external_output: "h"
        }
      }
      arg { name: "timestep" s: "t" }
    }
    external_input: "x" external_input: "h0" external_input: "w")"));
}

TEST_CASE("recurrent_net: takes and returns handles of a net_builder") {
  plait::net_builder model("model");
  auto const [x, h0, w, b] = model.external_inputs("sequence", "h0", "w", "b");
  plait::net_builder cell("cell");
  auto const [x_t, h_prev, cell_w, cell_b] = cell.external_inputs("x_t", "h_prev", "w", "b");
  auto const h = cell.tanh(cell.fc(cell.concat({x_t, h_prev}, 1), cell_w, cell_b), "h");
  auto const out = plait::recurrent_net(
      model, {.cell = cell, .inputs = {{x_t, x}}, .states = {{.in = h_prev, .out = h, .initial = h0}}});
  CHECK(out.all(h).name() == "h_all");
  model.scale(out.last("h"), 2.0f, "y");
  CHECK(test::lines_of(model.net()) ==
        test::lines{"RecurrentNetwork: sequence h0 w b -> h_all h_last model/recurrent/step_workspaces",
                    "Scale: h_last -> y"});
}

TEST_CASE("recurrent_net: inputs must be known to the builder, whatever its name scope") {
  plait::net_builder model("model");
  model.external_inputs("x", "w", "b");
  auto const scope = model.scope("layer");
  auto const options = tanh_options();
  plait::netdef const before = model.net();
  try {
    (void)plait::recurrent_net(model, options);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "h0");
  }
  CHECK(model.net() == before);
  auto given = options;
  given.states[0].initial = model.constant_fill({4}, 0.0f, "h0").name();
  CHECK(plait::recurrent_net(model, given).all("h").name() == "h_all");
  CHECK(line(model.net(), 1).starts_with("RecurrentNetwork: x layer/h0 w b -> h_all"));
}

TEST_CASE("recurrent_net: two in one net do not share states, except as Caffe2") {
  for (bool const as_caffe2 : {false, true}) {
    plait::netdef n;
    n.name = n.intern("net");
    auto options = tanh_options();
    options.as_caffe2 = as_caffe2;
    CHECK(plait::recurrent_net(n, options).workspaces == "net/recurrent/step_workspaces");
    CHECK(plait::recurrent_net(n, options).workspaces ==
          (as_caffe2 ? "net/recurrent/step_workspaces" : "net/recurrent_2/step_workspaces"));
    options.scope = "";
    CHECK(plait::recurrent_net(n, options).workspaces == "/step_workspaces");
  }
}

TEST_CASE("recurrent_net: stacked recurrences are differentiated as a whole") {
  plait::net_builder model("model");
  model.external_inputs("x", "h0", "w", "b", "k0");
  auto options = tanh_options();
  auto const first = plait::recurrent_net(model, options);
  plait::net_builder second("second");
  auto const [y, k, v] = second.external_inputs("y_t", "k_prev", "w");
  second.mul(second.sum({y, k}), v, "k");
  auto const last = plait::recurrent_net(model, {.cell = second,
                                                 .inputs = {{y, first.all("h")}},
                                                 .states = {{.in = k, .out = "k", .initial = "k0"}},
                                                 .outputs_with_grads = {1}});
  auto const gradients = model.edit([&](plait::netdef& n) {
    return plait::add_gradient_ops(n, {plait::gradient_seed(last.last("k").name())}, plait::gradient_rules::standard());
  });
  CHECK(gradients.at("x").values == "x_grad");
  CHECK(gradients.at("h0").values == "h0_grad");
  CHECK(gradients.at("w").values == "w_grad");
  test::lines const ops = test::lines_of(model.net());
  REQUIRE(ops.size() == 6);
  CHECK(ops[3] ==
        "RecurrentNetworkGradient: k_last_autogen_grad h_all k0 w k_all k_last model/recurrent_2/step_workspaces"
        " -> h_all_grad w_grad k0_grad");
  CHECK(ops[4] ==
        "RecurrentNetworkGradient: h_all_grad x h0 w b h_all h_last model/recurrent/step_workspaces"
        " -> x_grad _w_grad_autosplit_0 b_grad h0_grad");
  CHECK(ops[5] == "Sum: w_grad _w_grad_autosplit_0 -> w_grad");
}

TEST_CASE("recurrent_net: an initial value of two states is an input for each, except as Caffe2") {
  plait::net_builder cell("cell");
  auto const [x, h, c] = cell.external_inputs("x_t", "h_prev", "c_prev");
  cell.mul(x, h, "h");
  cell.mul(x, c, "c");
  cell.external_outputs("h", "c");
  for (bool const as_caffe2 : {false, true}) {
    plait::netdef n;
    (void)plait::recurrent_net(n, {.cell = cell,
                                   .inputs = {{"x_t", "x"}},
                                   .states = {{.in = "h_prev", .out = "h", .initial = "zero"},
                                              {.in = "c_prev", .out = "c", .initial = "zero"}},
                                   .as_caffe2 = as_caffe2});
    CHECK(line(n, 0).starts_with("RecurrentNetwork: x zero zero -> h_all h_last c_all c_last"));
    CHECK(plait::find_argument(n, n.op[0], "initial_recurrent_state_ids")->ints ==
          std::vector<std::int64_t>{1, as_caffe2 ? 1 : 2});
    // Both gradients are accumulated, whichever input index the states have.
    auto const made = plait::add_gradient_ops(n, {plait::gradient_seed("h_all")}, plait::gradient_rules::standard());
    CHECK(made.at("zero").values == "zero_grad");
    CHECK(line(n, 2).ends_with(" -> x_grad zero_grad _zero_grad_autosplit_0"));
    CHECK(line(n, 3) == "Sum: zero_grad _zero_grad_autosplit_0 -> zero_grad");
  }
}

TEST_CASE("recurrent_net as Caffe2: one blob may be the out of two states, and have several roles") {
  plait::net_builder cell("cell");
  auto const [x, h, c] = cell.external_inputs("x_t", "h_prev", "c_prev");
  cell.mul(cell.mul(x, h, "g"), c, "h");
  cell.external_outputs("h");
  plait::recurrent_net_options options{
      .cell = cell,
      .inputs = {{"x_t", "x"}},
      .states = {{.in = "h_prev", .out = "h", .initial = "h0"}, {.in = "c_prev", .out = "h", .initial = "c0"}},
      .outputs_with_grads = {7},
      .timestep = "x_t",
      .forward_only = true};
  plait::netdef n;
  CHECK_THROWS_AS((void)plait::recurrent_net(n, options), plait::net_error);
  CHECK(n.op.empty());
  options.as_caffe2 = true;
  (void)plait::recurrent_net(n, options);
  CHECK(line(n, 0).starts_with("RecurrentNetwork: x h0 c0 -> h_all h_last h_all h_last "));
  CHECK(plait::find_argument(n, n.op[0], "alias_src")->strings ==
        strings{"/recurrent/h_prev_states", "/recurrent/h_prev_states", "/recurrent/c_prev_states",
                "/recurrent/c_prev_states"});
  CHECK(plait::find_argument(n, n.op[0], "alias_offset")->ints == std::vector<std::int64_t>{1, -1, 1, -1});
}

TEST_CASE("recurrent_net as Caffe2: recomputed blobs are accumulated like gradients, by an op to one blob only") {
  plait::net_builder cell("cell");
  auto const [x, h, c, b] = cell.external_inputs("x_t", "h_prev", "c_prev", "b");
  SUBCASE("a recomputed state") {
    cell.tanh(cell.sum({x, h}, "s"), "h");
    cell.external_outputs("h");
    plait::netdef n;
    (void)plait::recurrent_net(n, {.cell = cell,
                                   .inputs = {{"x_t", "x"}},
                                   .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
                                   .recompute_on_backward = {"h"},
                                   .as_caffe2 = true});
    auto const ops = test::lines_of(*plait::find_argument(n, n.op[0], "backward_step_net")->n);
    REQUIRE(ops.size() == 3);
    CHECK(ops[0] == "Tanh: s -> h_accum");
    CHECK(ops[1] == "Sum: h h_accum -> h");
  }
  SUBCASE("an op that accumulates to two blobs") {
    auto const made = cell.sum({x, h}, "h");
    cell.tanh(cell.fc(made, cell.sigmoid(c, "c"), b, "y"), "z");
    cell.external_outputs("h", "c", "z");
    plait::netdef n;
    plait::recurrent_net_options options{
        .cell = cell,
        .inputs = {{"x_t", "x"}},
        .states = {{.in = "h_prev", .out = "h", .initial = "h0"}, {.in = "c_prev", .out = "c", .initial = "c0"}},
        .as_caffe2 = true};
    CHECK_THROWS_WITH_AS((void)plait::recurrent_net(n, options),
                         "plait: recurrent net: Caffe2 fails where one op of the backward step adds to two blobs",
                         plait::net_error);
    CHECK(n.op.empty());
    options.as_caffe2 = false;
    (void)plait::recurrent_net(n, options);
    CHECK(n.op.size() == 1);
  }
}

TEST_CASE("recurrent_net: the timestep is not a parameter, unless it is unnamed as Caffe2") {
  plait::net_builder cell("cell");
  auto const [x, h, t, p] = cell.external_inputs("x_t", "h_prev", "timestep", "p");
  cell.op("Unit", {x, h, t, p}, "h");
  auto const inputs = [&](std::string const& timestep, bool as_caffe2) {
    plait::netdef n;
    (void)plait::recurrent_net(n, {.cell = cell,
                                   .inputs = {{"x_t", "x"}},
                                   .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
                                   .timestep = timestep,
                                   .forward_only = true,
                                   .as_caffe2 = as_caffe2});
    return line(n, 0).substr(0, line(n, 0).find(" ->"));
  };
  CHECK(inputs("", false) == "RecurrentNetwork: x h0 p");
  CHECK(inputs("timestep", false) == "RecurrentNetwork: x h0 p");
  CHECK(inputs("p", false) == "RecurrentNetwork: x h0 timestep");
  CHECK(inputs("", true) == "RecurrentNetwork: x h0 timestep p");
  CHECK(inputs("timestep", true) == "RecurrentNetwork: x h0 p");
}

TEST_CASE("recurrent_net: forward only allows several sequences, and ops without a gradient") {
  plait::net_builder cell("cell");
  auto const [a, b, h] = cell.external_inputs("a_t", "b_t", "h_prev");
  cell.op("NoSuchOp", {a, b, h}, "h");
  plait::netdef n;
  plait::recurrent_net_options options{.cell = cell,
                                       .inputs = {{a, "a"}, {b, "b"}},
                                       .states = {{.in = h, .out = "h", .initial = "h0"}},
                                       .scope = "r",
                                       .forward_only = true,
                                       .parallel_executor = false};
  (void)plait::recurrent_net(n, options);
  CHECK(line(n, 0) == "RecurrentNetwork: a b h0 -> h_all h_last r/step_workspaces");
  CHECK(plait::find_argument(n, n.op[0], "link_external")->strings ==
        strings{"r/h_prev_states", "r/h_prev_states", "a", "b"});
  CHECK(plait::find_argument(n, n.op[0], "initial_recurrent_state_ids")->ints == std::vector<std::int64_t>{2});
  CHECK(plait::find_argument(n, n.op[0], "enable_rnn_executor")->i == 0);
  for (char const* name : {"param", "param_grads", "backward_link_internal", "outputs_with_grads", "backward_step_net"})
    CHECK(plait::find_argument(n, n.op[0], name) == nullptr);

  plait::netdef const before = n;
  options.inputs.pop_back();
  options.forward_only = false;
  CHECK_THROWS_AS(plait::recurrent_net(n, options), plait::gradient_error);
  CHECK(n == before);
}

TEST_CASE("recurrent_net: each sequence is an input once; sequences and states without a gradient get none") {
  plait::net_builder cell("cell");
  auto const [a, b, i, h, c] = cell.external_inputs("a_t", "b_t", "id", "h_prev", "c_prev");
  cell.mul(cell.sum({a, b}), h, "h");
  cell.op("ConstantFill", {i}, {"c"});
  plait::recurrent_net_options options{
      .cell = cell,
      .inputs = {{i, "ids"}, {a, "x"}, {b, "x", 3}},
      .states = {{.in = h, .out = "h", .initial = "h0"}, {.in = c, .out = "c", .initial = "c0"}},
      .scope = "r"};
  plait::netdef n;
  (void)plait::recurrent_net(n, options);
  CHECK(line(n, 0) == "RecurrentNetwork: ids x h0 c0 -> h_all h_last c_all c_last r/step_workspaces");
  auto const integers = [&](char const* name) { return plait::find_argument(n, n.op[0], name)->ints; };
  auto const texts = [&](char const* name) { return plait::find_argument(n, n.op[0], name)->strings; };
  CHECK(integers("sequences") == std::vector<std::int64_t>{1});
  CHECK(integers("link_window") == std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 3});
  CHECK(texts("backward_link_external") ==
        strings{"r/h_prev_states_grad", "r/h_prev_states_grad", "r/c_prev_states_grad", "x_grad", "x_grad"});
  CHECK(integers("backward_link_window") == std::vector<std::int64_t>{1, 1, 1, 1, 3});
  auto const made =
      plait::add_gradient_ops(n, {plait::gradient_seed("h_all")}, plait::gradient_rules::standard()).at("x");
  CHECK(made.values == "x_grad");
  CHECK(line(n, 2).ends_with(" -> x_grad h0_grad c0_grad"));

  options.as_caffe2 = true;
  options.inputs = {{a, "x"}};
  options.states.pop_back();
  options.cell = [] {
    plait::net_builder one("cell");
    auto const [x, h_prev] = one.external_inputs("a_t", "h_prev");
    one.mul(x, x, "h");
    return one;
  }();
  options.states[0].in = "h_prev";
  plait::netdef const before = n;
  CHECK_THROWS_AS(plait::recurrent_net(n, options), plait::net_error);
  CHECK(n == before);
}

TEST_CASE("recurrent_net: options.outputs selects outputs and their first steps") {
  auto options = tanh_options();
  options.states[0].window = 2;
  options.cell = [] {
    plait::net_builder cell("cell");
    auto const [x, past, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
    auto const [older, newer] = cell.op<2>("Split", past, {"older", "newer"}, {{"axis", 0}});
    cell.tanh(cell.fc(cell.concat({x, older, newer}, 2), w, b, "g"), "h");
    return cell;
  }();
  options.outputs = {{"h", -2, "tail"}, {"h", 1, "later"}, {"h", 0, "everything"}};
  options.outputs_with_grads = {2, 0};
  plait::netdef n;
  auto const made = plait::recurrent_net(n, options);
  CHECK(made.blobs == strings{"tail", "later", "everything"});
  CHECK(made.all("h") == "everything");
  CHECK_THROWS_AS((void)made.last("h"), plait::net_error);
  CHECK(line(n, 0) == "RecurrentNetwork: x h0 w b -> tail later everything /recurrent/step_workspaces");
  CHECK(plait::find_argument(n, n.op[0], "alias_offset")->ints == std::vector<std::int64_t>{-2, 3, 2});
}

TEST_CASE("recurrent_net: a window that ends in the step is concatenated there") {
  plait::net_builder cell("cell");
  auto const [x, past] = cell.external_inputs("x_t", "past");
  cell.tanh(x, "copy");
  cell.op("ReduceSum", {past}, {"y"}, {{"axes", {0}}});
  plait::netdef n;
  (void)plait::recurrent_net(
      n, {.cell = cell,
          .inputs = {{x, "x"}},
          .states = {{.in = past, .out = "copy", .initial = "x0", .window = 3, .window_ends_in_step = true}},
          .scope = "r"});
  auto const* step = &*plait::find_argument(n, n.op[0], "step_net")->n;
  CHECK(test::lines_of(*step) ==
        test::lines{"Tanh: x_t -> copy", "Concat: past_before copy -> past past_dims", "ReduceSum: past -> y"});
  CHECK(plait::find_argument(n, n.op[0], "link_internal")->strings == strings{"past_before", "copy", "x_t"});
  CHECK(plait::find_argument(n, n.op[0], "link_window")->ints == std::vector<std::int64_t>{2, 1, 1});
  CHECK(plait::find_argument(n, n.op[0], "alias_offset")->ints == std::vector<std::int64_t>{2, -1});
}

TEST_CASE("recurrent_net: the cell is unchanged, and the op has the device of the options") {
  auto options = tanh_options();
  plait::netdef const before = options.cell.net();
  options.device = plait::device_spec{.kind = plait::device_kind::cuda, .id = 2};
  plait::netdef n;
  (void)plait::recurrent_net(n, options);
  CHECK(options.cell.net() == before);
  REQUIRE(n.op[0].device_option);
  CHECK(n.op[0].device_option->device_type == 1);
  CHECK(n.op[0].device_option->device_id == 2);
}
