#include <plait/rnn/detail/time_parallel_ops.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_net.hpp>
#include <support/named_numbers.hpp>
#include <support/op_lines.hpp>

namespace {

using test::apart;
using test::filled;
using test::numbers;

std::vector<plait::op_schema const*> schemas() { return plait::standard_operators<plait::serial>().schemas(); }

constexpr std::int64_t inputs = 3, hidden = 2, steps = 4, batch = 3;

// User-defined cell without prepare(): all its ops are in the step.
struct naive_cell {
  std::vector<plait::cell_state> states() const { return {{"h", hidden}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto& net = s.net;
    auto const& h = s.states[0];
    auto const scale = s.parameter("scale", {2 * hidden});
    auto const shift = s.parameter("shift", {2 * hidden});
    auto const norm = net.op<3>("LayerNorm", {s.fc(s.input, "i2h", inputs, 2 * hidden), scale, shift}, {},
                                {{"axis", -1}, {"elementwise_affine", 1}});
    auto const [x_gate, x_new] = net.split<2>(norm[0], 2);
    auto const open = net.sigmoid(net.add(x_gate, s.fc(h, "gate", hidden, hidden)));
    auto const leak = net.sigmoid(s.parameter("leak", {hidden}));
    auto const fresh = net.tanh(net.sum({s.mul_vector(x_new, leak), net.mul(open, h)}));
    return {net.add(fresh, s.mul_vector(h, leak), "h")};
  }
};

// Y = X w minus the mean of its row.
struct centred_kernel : plait::op_kernel<plait::serial> {
  explicit centred_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<plait::serial>& c) override {
    auto const* const x = c.input<double>(0);
    auto const* const w = c.input<double>(1);
    double* const y = c.output<double>(0);
    std::size_t const rows = static_cast<std::size_t>(c.dims(0)[0]), width = c.size(0) / rows;
    for (std::size_t r = 0; r != rows; ++r) {
      double const sum = std::accumulate(x + r * width, x + (r + 1) * width, 0.0);
      for (std::size_t i = r * width; i != (r + 1) * width; ++i)
        y[i] = x[i] * w[i % c.size(1)] - sum / static_cast<double>(width);
    }
  }
};

struct results {
  numbers output, last;
  std::map<std::string, numbers> gradients;
};

results run(plait::recurrent_layer_options o, bool with_lengths) {
  plait::trained_model model("net", {.type = plait::element_type::float64});
  plait::workspace<plait::serial> blobs;
  o.sequence = model.net.external_input("x");
  o.initial = {model.net.external_input("h0").name()};
  blobs.feed("x", filled("x", {steps, batch, inputs}));
  blobs.feed("h0", filled("h0", {1, batch, hidden}));
  if (with_lengths) {
    o.lengths = model.net.external_input("lengths");
    blobs.feed("lengths", plait::tensor<plait::serial>::from(std::vector<std::int64_t>{4, 2, 3}, {batch}));
  }
  auto const layer = plait::add_recurrent_layer(model, "r", naive_cell(), o);
  std::vector<std::string> moved = model.parameters();
  for (std::string const& p : moved) blobs.feed(p, filled(p, plait::shape(model.parameter_shape(p))));
  moved.insert(moved.end(), {"x", "h0"});
  plait::netdef net = model.net.net();
  std::vector<std::string> fetch{layer.output.name(), layer.last[0].name()};
  plait::gradient_map gradients;
  if (!o.forward_only) {
    blobs.feed("dy", filled("dy", {steps, batch, hidden}));
    gradients =
        plait::add_gradient_ops(net, {{layer.output.name(), "dy"}}, plait::gradient_rules::standard(), {.only = moved});
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
  }
  plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = fetch}).run();
  results made{blobs.fetch<double>(fetch[0]), blobs.fetch<double>(fetch[1]), {}};
  for (auto const& [name, g] : gradients) made.gradients[name] = blobs.fetch<double>(g.values);
  return made;
}

plait::netdef const& step_net(plait::netdef const& n) { return *plait::find_argument(n, n.op.back(), "step_net")->n; }

// Returns options of a cell with the inputs x_t, y_t, h_prev and w, to which a function adds ops that write h.
plait::recurrent_net_options options_of(void (*add)(plait::net_builder&)) {
  plait::net_builder cell("cell");
  cell.external_inputs("x_t", "y_t", "h_prev", "w");
  add(cell);
  cell.external_outputs(cell.blob("h"));
  return {.cell = cell,
          .inputs = {{"x_t", "x"}, {"y_t", "y"}},
          .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
          .forward_only = true};
}
plait::net_builder around() {
  plait::net_builder net("net");
  net.external_inputs("x", "y", "h0", "w", "a");
  return net;
}
test::lines hoisted(plait::recurrent_net_options const& options) {
  plait::net_builder net = around();
  static_cast<void>(plait::hoist_time_parallel_ops(net, options, schemas()));
  return test::lines_of(net.net());
}

}  // namespace

TEST_CASE("hoist_time_parallel_ops: state-independent ops run before the recurrence") {
  plait::trained_model model("net");
  model.net.external_inputs("x", "h0");
  plait::add_recurrent_layer(model, "r", naive_cell(), {.sequence = "x", .initial = {"h0"}, .hoist = schemas()});
  plait::netdef const& net = model.net.net();
  CHECK(test::lines_of(net) ==
        test::lines{"FC: x r/i2h_w r/i2h_b -> r/i2h_steps",
                    "LayerNorm: r/i2h_steps r/scale r/shift -> r/LayerNorm:0_steps r/LayerNorm:1_steps "
                    "r/LayerNorm:2_steps",
                    "Split: r/LayerNorm:0_steps -> r/Split:0_steps r/Split:1_steps", "Sigmoid: r/leak -> r/Sigmoid_2",
                    "Mul: r/Split:1_steps r/Sigmoid_2 -> r/Mul_steps",
                    "RecurrentNetwork: r/Split:0_steps r/Mul_steps h0 r/gate_w r/gate_b r/Sigmoid_2 -> r/h_all "
                    "r/h_last r/step_workspaces"});
  CHECK(test::lines_of(step_net(net)) ==
        test::lines{"FC: r/h_prev r/gate_w r/gate_b -> r/gate", "Add: r/Split:0 r/gate -> r/Add",
                    "Sigmoid: r/Add -> r/Sigmoid", "Mul: r/Sigmoid r/h_prev -> r/Mul_2", "Sum: r/Mul r/Mul_2 -> r/Sum",
                    "Tanh: r/Sum -> r/Tanh", "Mul: r/h_prev r/Sigmoid_2 -> r/Mul_3", "Add: r/Tanh r/Mul_3 -> r/h"});
}

TEST_CASE("hoist_time_parallel_ops: results and gradients are unchanged") {
  for (bool const lengths : {false, true})
    for (bool const reverse : {false, true}) {
      results const expected = run({.reverse = reverse}, lengths);
      results const got = run({.reverse = reverse, .hoist = schemas()}, lengths);
      CHECK(apart(got.output, expected.output) < 1e-14);
      CHECK(apart(got.last, expected.last) < 1e-14);
      CHECK(expected.gradients.size() == 9);
      for (auto const& one : expected.gradients) {
        CAPTURE(one.first);
        REQUIRE(got.gradients.contains(one.first));
        CHECK(apart(got.gradients.at(one.first), one.second) < 1e-13);
      }
      CHECK(apart(run({.reverse = reverse, .forward_only = true, .hoist = schemas()}, lengths).output,
                  expected.output) < 1e-14);
    }
}

TEST_CASE("hoist_time_parallel_ops: ops stay in the step unless rows are known to be independent") {
  SUBCASE("ops that read a state, the timestep or an overwritten blob") {
    CHECK(hoisted(options_of([](plait::net_builder& c) {
            c.op("Tanh", "h_prev", "a_t");
            c.op("Tanh", "x_t", "b_t");
            c.op("Sum", {"b_t", "a_t"}, "b_t");
            c.op("Sigmoid", "w", "w");
            c.op("Mul", {"b_t", "w"}, "h", {{"broadcast", 1}});
          })).empty());
  }
  SUBCASE("ops along the first axis, on several sequences, or on shapes that may differ") {
    CHECK(hoisted(options_of([](plait::net_builder& c) {
            c.op("Softmax", "x_t", "s_t", {{"axis", 0}});
            c.op<2>("Split", "x_t", {"left", "right"}, {{"axis", 0}});
            c.op("Sum", {"x_t", "y_t"}, "sum_t");
            c.op("Mul", {"x_t", "w"}, "product_t");
            c.op("Add", {"x_t", "w"}, "added_t", {{"broadcast", 1}, {"axis", 0}});
            c.op("Sum", {"sum_t", "h_prev"}, "h");
          })).empty());
  }
  SUBCASE("recomputed blobs and states") {
    plait::recurrent_net_options o = options_of([](plait::net_builder& c) {
      c.op("Tanh", "x_t", "again");
      c.op("Sum", {"again", "h_prev"}, "sum_t");
      c.op("Tanh", "y_t", "h");
    });
    o.recompute_on_backward = {"again"};
    CHECK(hoisted(o).empty());
  }
  SUBCASE("windows") {
    plait::recurrent_net_options o = options_of([](plait::net_builder& c) {
      c.op("Tanh", "y_t", "wide");
      c.op("ReduceSum", "wide", "narrow", {{"axes", std::vector<std::int64_t>{0}}});
      c.op("Sum", {"narrow", "h_prev", "x_t"}, "h");
    });
    o.inputs[1].window = 2;
    CHECK(hoisted(o).empty());
  }
}

TEST_CASE("hoist_time_parallel_ops: results of uncertain rank are read only by rank-independent ops") {
  CHECK(hoisted(options_of([](plait::net_builder& c) {
          c.op("ReduceTailSum", "x_t", "sum_t");  // T numbers, of which the last axis is the first
          c.op("Softmax", "sum_t", "s_t", {{"axis", -1}});
          c.op("Tanh", "sum_t", "tanh_t");
          c.op("Mul", {"sum_t", "tanh_t"}, "product_t");
          c.op<3>("LayerNorm", "x_t", {"norm_t", "mean_t", "deviation_t"}, {{"axis", 1}});
          c.op("Add", {"norm_t", "mean_t"}, "h");
        })) == test::lines{"ReduceTailSum: x -> sum_t_steps", "Tanh: sum_t_steps -> tanh_t_steps",
                           "LayerNorm: x -> norm_t_steps mean_t_steps deviation_t_steps"});
}

TEST_CASE("hoist_time_parallel_ops: a user-defined op is hoisted if its schema claims independent rows") {
  auto table = plait::standard_operators<plait::serial>();
  plait::op_schema centred = plait::op_schema("Centred").inputs(2).outputs(1);
  table.add<centred_kernel>(centred);
  auto const options = options_of([](plait::net_builder& c) {
    c.op("Centred", {"x_t", "w"}, "c_t");
    c.op("Softmax", "x_t", "s_t", {{"axis", 1}});
    c.op("ReduceTailSum", "y_t", "sum_t");
    c.op("Tanh", "c_t", "tanh_t");
    c.op("Sum", {"tanh_t", "s_t", "h_prev"}, "most");
    c.op("Mul", {"most", "sum_t"}, "h", {{"broadcast", 1}});
  });
  auto const run = [&](std::vector<plait::op_schema const*> const& known) {
    plait::net_builder net = around();
    auto const left = plait::hoist_time_parallel_ops(net, options, known);
    test::lines const before = test::lines_of(net.net());
    std::string const h = plait::recurrent_net(net, left).blobs[0];
    plait::workspace<plait::serial> blobs;
    blobs.feed("x", filled("x", {steps, batch, hidden}));
    blobs.feed("y", filled("y", {steps, batch, hidden}));
    blobs.feed("h0", filled("h0", {1, batch, hidden}));
    blobs.feed("w", filled("w", {hidden}));
    plait::compile(net.net(), table, blobs, {.fetch = {h}}).run();
    return std::pair(before, blobs.fetch<double>(h));
  };
  auto const [none, expected] = run({});
  CHECK(none.empty());
  auto const [without, same] = run(table.schemas());
  CHECK(without == test::lines{"Softmax: x -> s_t_steps", "ReduceTailSum: y -> sum_t_steps"});
  CHECK(same == expected);

  table.add<centred_kernel>(centred.rows_independent(1));
  auto const [with, as_well] = run(table.schemas());
  CHECK(with == test::lines{"Centred: x w -> c_t_steps", "Softmax: x -> s_t_steps", "ReduceTailSum: y -> sum_t_steps",
                            "Tanh: c_t_steps -> tanh_t_steps"});
  CHECK(as_well == expected);

  table.add<centred_kernel>(centred.side_effects());
  CHECK(run(table.schemas()).first == without);
}

TEST_CASE("hoist_time_parallel_ops: the first sequence stays first, and names in use get a number") {
  plait::net_builder net = around();
  plait::recurrent_net_options const left =
      plait::hoist_time_parallel_ops(net, options_of([](plait::net_builder& c) {
                                       c.op("Sigmoid", "w", "a");
                                       c.op("Tanh", "y_t", "b");
                                       c.op("Sum", {"b", "h_prev"}, "sum");
                                       c.op("Mul", {"sum", "a"}, "h", {{"broadcast", 1}});
                                     }),
                                     schemas());
  CHECK(test::lines_of(net.net()) == test::lines{"Sigmoid: w -> a_2", "Tanh: y -> b_steps"});
  REQUIRE(left.inputs.size() == 2);
  CHECK(left.inputs[0].in == "x_t");
  CHECK(left.inputs[0].sequence == "x");
  CHECK(left.inputs[1].in == "b");
  CHECK(left.inputs[1].sequence == "b_steps");
  CHECK(test::lines_of(left.cell.net()) == test::lines{"Sum: b h_prev -> sum", "Mul: sum a_2 -> h"});
  CHECK(plait::recurrent_net(net, left).blobs.size() == 2);
}

TEST_CASE("hoist_time_parallel_ops: numbered outer names do not collide with blobs of the cell") {
  std::vector<double> wanted;
  for (std::string const second : {"other", "a_2"}) {
    plait::net_builder model("m");
    model.external_inputs("x", "h0", "w", "a");  // the name a is in use
    plait::net_builder cell("cell");
    cell.external_inputs("x_t", "h_prev", "w");
    cell.tanh("w", "a");
    cell.tanh("h_prev", second);
    cell.sum({"x_t", second}, "s");
    cell.mul("s", "a", "h");
    cell.external_outputs("h");
    plait::recurrent_net_options const in_step{.cell = cell,
                                               .inputs = {{"x_t", "x"}},
                                               .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
                                               .forward_only = true};
    auto const out = plait::recurrent_net(model, plait::hoist_time_parallel_ops(model, in_step, schemas()));
    plait::workspace<plait::serial> blobs;
    blobs.feed<double>("x", {0.5, -1, 2, 0.25}, {2, 1, 2});
    blobs.feed<double>("h0", {0.1, 0.2}, {1, 1, 2});
    blobs.feed<double>("w", {0.7, -0.3}, {1, 1, 2});
    blobs.feed<double>("a", {5, 6}, {1, 1, 2});
    auto plan = plait::compile(model.net(), plait::standard_operators<plait::serial>(), blobs);
    plan.run();
    auto const made = blobs.fetch<double>(out.all("h").name());
    if (wanted.empty()) wanted = made;
    CHECK(made == wanted);
  }
}

TEST_CASE("hoist_time_parallel_ops: shapes of remaining sequences are kept") {
  plait::net_builder net = around();
  plait::recurrent_net_options o = options_of([](plait::net_builder& c) {
    c.op("Tanh", "y_t", "b");
    c.op("Sum", {"b", "h_prev"}, "h");
  });
  o.shapes = {{"x", {4, 2, 3}}, {"y", {4, 2, 3}}, {"h0", {3}}};
  plait::recurrent_net_options const left = plait::hoist_time_parallel_ops(net, o, schemas());
  CHECK(left.shapes == decltype(left.shapes){{"x", {4, 2, 3}}, {"h0", {3}}});
  CHECK_NOTHROW(plait::recurrent_net(net, left));
}

TEST_CASE("hoist_time_parallel_ops: an unknown operand is refused, and nothing is changed") {
  plait::recurrent_net_options const o = options_of([](plait::net_builder& c) {
    c.external_input("unknown");
    c.op("Sigmoid", "unknown", "a");
    c.op("Mul", {"h_prev", "a"}, "h", {{"broadcast", 1}});
  });
  plait::net_builder net = around();
  plait::netdef const before = net.net();
  CHECK_THROWS_AS(plait::hoist_time_parallel_ops(net, o, schemas()), plait::net_error);
  CHECK(net.net() == before);
}
