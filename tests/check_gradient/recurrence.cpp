// Gradients of recurrences built by recurrent_net equal finite differences.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/recurrent_net.hpp>

#include <support/gradient_cases.hpp>

namespace {

using plait::net_builder;
using plait::recurrent_net_options;
using names = std::vector<std::string>;
using given = std::vector<std::pair<std::string, test::tensor64>>;

test::tensor64 some(plait::shape const& dims, std::uint64_t seed) {
  std::vector<double> made;
  for (std::int64_t i = 0; i != dims.size(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    made.push_back(static_cast<double>(seed >> 11) / 4503599627370496.0 - 1);
  }
  return test::doubles(made, dims);
}

// Checks the gradients of one recurrence, with outputs_with_grads as the seeds.
void check(recurrent_net_options const& options, given const& values, names const& inputs) {
  plait::netdef n;
  auto const made = plait::recurrent_net(n, options);
  names ys;
  for (std::size_t const output : options.outputs_with_grads) ys.push_back(made.blobs[output]);
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : values) blobs.feed(name, value);
  auto const found = plait::check_gradient(n, ys, inputs, blobs);
  CAPTURE(found.text());
  CAPTURE(plait::to_text(n));
  CHECK(found.ok());
}

TEST_CASE("RecurrentNetwork gradient: two states may share an initial blob, listed once or twice") {
  net_builder cell("cell");
  auto const [x, h, c] = cell.external_inputs("x_t", "h_prev", "c_prev");
  cell.tanh(cell.sum({cell.mul(x, h), c}), "h");
  cell.mul(x, c, "c");
  cell.external_outputs("h", "c");
  plait::netdef n;
  (void)plait::recurrent_net(
      n, {.cell = cell,
          .inputs = {{x, "x"}},
          .states = {{.in = h, .out = "h", .initial = "h0"}, {.in = c, .out = "c", .initial = "h0"}},
          .outputs_with_grads = {0, 3},
          .as_caffe2 = true});
  REQUIRE(n.op[0].input.size() == 3);
  SUBCASE("twice") {}
  SUBCASE("once") { n.op[0].input = {n.op[0].input[0], n.op[0].input[1]}; }
  plait::workspace<plait::serial> blobs;
  blobs.feed("x", some({4, 2, 2}, 1));
  blobs.feed("h0", some({2, 2}, 2));
  auto const found = plait::check_gradient(n, {"h_all", "c_last"}, {"x", "h0"}, blobs);
  CAPTURE(found.text());
  CHECK(found.ok());
}

TEST_CASE("RecurrentNetwork gradient: several sequences, windows and kinds of outputs equal finite differences") {
  net_builder cell("cell");
  auto const [a, b, c, h, w] = cell.external_inputs("a_t", "b_win", "c_t", "h_prev", "w");
  auto const past = cell.op("ReduceSum", {cell.mul(b, b)}, {}, {{"axes", {0}}, {"keepdims", 1}});
  cell.tanh(cell.sum({cell.mul(a, w), past, cell.mul(c, h)}), "h");
  recurrent_net_options options{
      .cell = cell, .inputs = {{a, "a"}, {b, "b", 3}, {c, "c"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}};
  given const values{{"a", some({4, 2, 2}, 1)},
                     {"b", some({6, 2, 2}, 2)},
                     {"c", some({4, 2, 2}, 3)},
                     {"w", some({1, 2, 2}, 4)},
                     {"h0", some({2, 2}, 5)}};
  names inputs{"a", "b", "c", "w", "h0"};
  SUBCASE("all steps") { options.outputs_with_grads = {0}; }
  SUBCASE("all steps and the last") { options.outputs_with_grads = {1, 0}; }
  SUBCASE("tails that overlap") {
    options.outputs = {{"h", -2, "tail"}, {"h", 1, "later"}, {"h", -1, "last"}};
    options.outputs_with_grads = {0, 1};
  }
  SUBCASE("one sequence twice") {
    options.inputs[2].sequence = "a";
    inputs.erase(inputs.begin() + 2);
  }
  SUBCASE("sequences swapped, recomputed") {
    std::swap(options.inputs[0], options.inputs[2]);
    options.recompute_on_backward = {past};
  }
  check(options, values, inputs);
}

TEST_CASE("RecurrentNetwork gradient: the first sequence may only set the number of time steps") {
  net_builder cell("cell");
  auto const [i, x, h] = cell.external_inputs("i", "x_t", "h_prev");
  cell.op("Copy", {i}, {"unused"});
  cell.mul(cell.sigmoid(x), h, "h");
  check({.cell = cell, .inputs = {{i, "steps"}, {x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}},
        {{"steps", test::int32s({7, 8, 9}, {3, 1})}, {"x", some({3, 1, 2}, 1)}, {"h0", some({1, 1, 2}, 2)}},
        {"x", "h0"});
}

TEST_CASE("RecurrentNetwork gradient: a gradient of an output that outputs_with_grads does not list is refused") {
  net_builder cell("cell");
  auto const [x, h] = cell.external_inputs("x_t", "h_prev");
  cell.tanh(cell.mul(x, h), "h");
  plait::netdef n;
  (void)plait::recurrent_net(n, {.cell = cell,
                                 .inputs = {{x, "x"}},
                                 .states = {{.in = h, .out = "h", .initial = "h0"}},
                                 .outputs_with_grads = {0}});
  auto const& rules = plait::gradient_rules::standard();
  CHECK_NOTHROW((void)plait::backward_pass(n, {"h_all"}, rules));
  CHECK_THROWS_WITH_AS((void)plait::backward_pass(n, {"h_all", "h_last"}, rules),
                       doctest::Contains("outputs_with_grads does not list output 1"), plait::gradient_error);
}

TEST_CASE("RecurrentNetwork gradient: forward-only ops, indices out of range and internal ops are refused") {
  net_builder cell("cell");
  auto const [x, h, w] = cell.external_inputs("x_t", "h_prev", "w");
  cell.tanh(cell.sum({cell.mul(x, h), w}), "h");
  recurrent_net_options options{.cell = cell, .inputs = {{x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}};
  auto const refused = [&](plait::netdef const& n, std::string const& why) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS((void)plait::backward_pass(n, {"h_all"}, plait::gradient_rules::standard()),
                         doctest::Contains(why.c_str()), plait::gradient_error);
  };
  auto const made = [&] {
    plait::netdef n;
    (void)plait::recurrent_net(n, options);
    return n;
  };
  for (char const* const argument : {"outputs_with_grads", "param", "initial_recurrent_state_ids", "sequences"})
    for (std::int64_t const number : {std::int64_t{-1}, std::int64_t{3}}) {
      plait::netdef n = made();
      plait::net_traits<plait::netdef>::erase_argument(n, n.op[0], argument);
      n.op[0].arg.push_back(plait::make_argument(n, {argument, std::vector<std::int64_t>{0, number}}));
      refused(n, "argument '" + std::string(argument) + "' is out of range");
    }
  options.outputs_with_grads = {};
  refused(made(), "outputs_with_grads is empty: it was made without gradients");
  options.forward_only = true;
  refused(made(), "it was made without gradients");
  for (char const* const part :
       {"op { type: 'rnn_internal_apply_link' input: 't' input: 'x' output: 'h_all' output: 'x' }",
        "op { type: 'rnn_internal_accumulate_gradient_input' input: 't' input: 'x' input: 'y' output: 'h_all' }"})
    refused(plait::read_netdef_text(part), "it is internal to a RecurrentNetwork, which has a gradient as a whole");
}

TEST_CASE("RecurrentNetwork gradient: all forms of the op since 2017-01 have the same gradients") {
  net_builder cell("cell");
  auto const [x, h, t, w, b] = cell.external_inputs("x_t", "h_prev", "timestep", "w", "b");
  cell.op("Cast", {t}, {"number"}, {{"to", static_cast<std::int64_t>(plait::tensor_type::float64)}});
  auto const scaled = cell.op("Mul", {x, "number"}, {}, {{"broadcast", 1}});
  cell.tanh(cell.sum({scaled, cell.op("FC", {h, w, b}, {}, {{"axis", 2}})}), "h");
  recurrent_net_options const options{
      .cell = cell, .inputs = {{x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}};
  given const values{{"x", some({3, 2, 2}, 1)}, {"h0", some({2, 2}, 2)}, {"w", some({2, 2}, 3)}, {"b", some({2}, 4)}};
  check(options, values, {"x", "h0", "w", "b"});
  plait::netdef made;
  (void)plait::recurrent_net(made, options);
  std::vector<std::vector<double>> expected;
  for (unsigned form = 0; form != 16; ++form) {
    CAPTURE(form);
    plait::netdef n = made;
    auto const erase = [&](char const* name) {
      REQUIRE(plait::find_argument(n, n.op[0], name) != nullptr);
      plait::net_traits<plait::netdef>::erase_argument(n, n.op[0], name);
    };
    if ((form & 1U) != 0)
      for (char const* const name : {"step_net", "backward_step_net"}) {
        std::string const text = plait::to_text(*plait::find_argument(n, n.op[0], name)->n);
        erase(name);
        n.op[0].arg.push_back(plait::make_argument(n, {name, text}));
      }
    if ((form & 2U) != 0) erase("param_grads");
    if ((form & 4U) != 0) erase("outputs_with_grads");
    if ((form & 8U) != 0) erase("timestep");
    auto const gradients =
        plait::add_gradient_ops(n, {plait::gradient_seed("h_all", "dy")}, plait::gradient_rules::standard());
    names fetch;
    for (char const* const name : {"x", "w", "b", "h0"}) fetch.push_back(gradients.at(name).values);
    plait::workspace<plait::serial> blobs;
    for (auto const& [name, value] : values) blobs.feed(name, value.clone());
    blobs.feed("dy", some({3, 2, 2}, 5));
    plait::compile(n, plait::standard_operators<plait::serial>(), blobs, {.fetch = fetch}).run();
    std::vector<std::vector<double>> got;
    for (std::string const& name : fetch) got.push_back(blobs.fetch<double>(name));
    if (form == 0) expected = got;
    CHECK(got == expected);
  }
}

TEST_CASE("RecurrentNetwork gradient: windows over states equal finite differences") {
  net_builder cell("cell");
  auto const [x, past, w] = cell.external_inputs("x_t", "past", "w");
  recurrent_net_options options{.inputs = {{x, "x"}}};
  given const values{
      {"x", some({4, 2, 2}, 1)}, {"s0", some({2, 2, 2}, 2)}, {"w", some({1, 2, 2}, 3)}, {"h0", some({2}, 4)}};
  auto const weighted = [&](plait::blob_handle const& window) {
    return cell.op("ReduceSum", {cell.mul(window, window)}, {}, {{"axes", {0}}, {"keepdims", 1}});
  };
  SUBCASE("previous time steps only") {
    cell.tanh(cell.sum({weighted(past), cell.mul(x, w)}), "s");
    options.states = {{.in = past, .out = "s", .initial = "s0", .window = 2}};
  }
  SUBCASE("ending in the current time step") {
    cell.tanh(cell.mul(x, w), "s");
    auto const h = cell.external_input("h_prev");
    cell.sum({weighted(past), h}, "h");
    options.states = {{.in = past, .out = "s", .initial = "s0", .window = 3, .window_ends_in_step = true},
                      {.in = h, .out = "h", .initial = "h0"}};
    options.outputs_with_grads = {0, 2, 3};
  }
  options.cell = cell;
  check(options, values, options.states.size() == 1 ? names{"x", "w", "s0"} : names{"x", "w", "s0", "h0"});
}

TEST_CASE("RecurrentNetwork gradient: zero steps, zero rows, initial values of any rank equal finite differences") {
  net_builder cell("cell");
  auto const [x, h, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
  cell.tanh(cell.sum({cell.op("FC", {h, w, b}, {}, {{"axis", 2}}), x}), "h");
  recurrent_net_options const options{.cell = cell,
                                      .inputs = {{x, "x"}},
                                      .states = {{.in = h, .out = "h", .initial = "h0"}},
                                      .outputs_with_grads = {0, 1}};
  for (std::int64_t const steps : {0, 1, 3})
    for (std::int64_t const rows : {0, 1, 2})
      for (plait::shape const& initial : {plait::shape{2}, plait::shape{rows, 2}, plait::shape{1, rows, 2}}) {
        CAPTURE(steps);
        CAPTURE(rows);
        CAPTURE(to_string(initial));
        check(options,
              {{"x", some({steps, rows, 2}, 1)}, {"h0", some(initial, 2)}, {"w", some({2, 2}, 3)}, {"b", some({2}, 4)}},
              {"x", "h0", "w", "b"});
      }
}

TEST_CASE("RecurrentNetwork gradient: gradients that are only passed through equal finite differences") {
  net_builder cell("cell");
  auto const [x, h] = cell.external_inputs("x_t", "h_prev");
  recurrent_net_options options{.inputs = {{x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}};
  given const values{
      {"x", some({3, 1, 2}, 1)}, {"h0", some({2}, 2)}, {"c0", some({1, 2}, 3)}, {"b", some({1, 1, 2}, 4)}};
  names inputs{"x", "h0"};
  auto const declare = [&] {
    inputs.insert(inputs.end(), {"c0", "b"});
    options.states.push_back({.in = "c_prev", .out = "c", .initial = "c0"});
    return cell.external_inputs("c_prev", "b");
  };
  SUBCASE("by a sum") { cell.sum({x, h}, "h"); }
  SUBCASE("by an addition") { cell.add(x, h, "h"); }
  SUBCASE("from state to state") {
    auto const [c, b] = declare();
    cell.sum({x, h, c}, "h");
    cell.sum({h, c, b}, "c");
    options.outputs_with_grads = {0, 3};
  }
  SUBCASE("from one value to a state, a sequence and a parameter") {
    auto const [c, b] = declare();
    cell.sum({x, h, c, b}, "h");
    cell.sum({"h"}, "c");
    options.outputs_with_grads = {1, 2};
  }
  options.cell = cell;
  check(options, values, inputs);
}

TEST_CASE("RecurrentNetwork gradient: layers with residual connections equal finite differences") {
  net_builder cell("cell");
  std::vector<plait::recurrent_state> states;
  given values{{"x", some({3, 2, 2}, 1)}, {"w", some({1, 2, 2}, 2)}};
  names inputs{"x", "w"};
  std::string below = cell.external_input("x_t").name();
  (void)cell.external_input("w");
  for (int layer = 0; layer != 4; ++layer) {
    std::string const k = std::to_string(layer);
    std::string const before = cell.external_input("h" + k + "_prev").name();
    cell.tanh(cell.sum({cell.mul(below, "w"), before}), "h" + k);
    below = layer == 0 ? "h0" : cell.sum({"h" + k, below}, "residual_" + k).name();
    states.push_back({.in = before, .out = "h" + k, .initial = "init" + k});
    values.emplace_back("init" + k, some({2}, 5 + static_cast<std::uint64_t>(layer)));
    inputs.push_back("init" + k);
  }
  // The sum of the layers is loop-carried, which makes it an output.
  cell.sum({cell.external_input("y_prev"), cell.scale(below, 0.5f)}, "y");
  states.push_back({.in = "y_prev", .out = "y", .initial = "init0"});
  check({.cell = cell, .inputs = {{"x_t", "x"}}, .states = states, .outputs_with_grads = {8, 1, 4}}, values, inputs);
}

TEST_CASE("RecurrentNetwork gradient: a nested RecurrentNetwork equals finite differences") {
  net_builder inner("inner");
  auto const [u, g, x_outside, v] = inner.external_inputs("u_t", "g_prev", "x_t", "v");
  inner.tanh(inner.sum({inner.mul(u, v), inner.mul(g, x_outside)}), "g");
  net_builder cell("cell");
  auto const [x, h, us, vs] = cell.external_inputs("x_t", "h_prev", "us", "v");
  auto const made = plait::recurrent_net(cell, {.cell = inner,
                                                .inputs = {{u, us}},
                                                .states = {{.in = g, .out = "g", .initial = h}},
                                                .outputs_with_grads = {1},
                                                .scope = "inner"});
  cell.mul(made.last("g"), cell.sigmoid(x), "h");
  check({.cell = cell, .inputs = {{x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}, .scope = "outer"},
        {{"x", some({3, 1, 2}, 1)}, {"us", some({4, 1, 2}, 2)}, {"v", some({1, 1, 2}, 3)}, {"h0", some({1, 1, 2}, 4)}},
        {"x", "us", "v", "h0"});
}

TEST_CASE("RecurrentNetwork gradient: If and While in the step net equal finite differences") {
  net_builder cell("cell");
  auto const [x, h, w, t, half] = cell.external_inputs("x_t", "h_prev", "w", "timestep", "half");
  given values{{"x", some({4, 1, 2}, 1)},
               {"h0", some({1, 1, 2}, 2)},
               {"w", some({1, 1, 2}, 3)},
               {"half", test::int32s({2}, {1})}};
  SUBCASE("If") {
    cell.op("LT", {t, half}, {"early"});
    cell.declare("y");
    cell.if_(
        "early",
        [](net_builder& b) {
          b.op("Mul", {"x_t", "w"}, {"y"});
        },
        [](net_builder& b) { b.op("Tanh", {"x_t"}, {"y"}); });
    cell.sum({"y", cell.tanh(h)}, "h");
  }
  SUBCASE("While") {
    for (char const* name : {"one", "times"}) values.emplace_back(name, test::doubles({*name == 'o' ? 1.0 : 3.0}, {1}));
    auto const [one, times] = cell.external_inputs("one", "times");
    cell.op("ConstantFill", {one}, {"i"}, {{"value", 0.0f}});
    cell.op("LT", {"i", times}, {"on"});
    cell.op("Mul", {x, h}, {"acc"});
    cell.while_(
        "on",
        [](net_builder& c) {
          c.op("LT", {"i", "times"}, {"on"});
        },
        [](net_builder& b) {
          b.op("Mul", {"acc", "w"}, {"acc"});
          b.op("Add", {"i", "one"}, {"i"});
        });
    cell.op("Tanh", {"acc"}, {"h"});
  }
  check({.cell = cell, .inputs = {{x, "x"}}, .states = {{.in = h, .out = "h", .initial = "h0"}}}, values,
        {"x", "h0", "w"});
}

TEST_CASE("RecurrentNetwork gradient: operands and outputs that are overwritten afterwards are copied") {
  for (std::string_view const overwritten : {"x", "w", "h0", "h_all", "h_last"})
    for (bool in_loop : {false, true}) {
      CAPTURE(overwritten);
      CAPTURE(in_loop);
      net_builder cell("cell");
      auto const [x, h, w] = cell.external_inputs("x_t", "h_prev", "w");
      cell.tanh(cell.sum({cell.mul(x, w), h}), "h");
      plait::netdef recurrence;
      (void)plait::recurrent_net(recurrence, {.cell = cell,
                                              .inputs = {{x, "x"}},
                                              .states = {{.in = h, .out = "h", .initial = "h0"}},
                                              .outputs_with_grads = {1, 0}});
      net_builder n("n");
      for (char const* name : {"x", "w", "h0", "i", "one", "end", "more"}) n.external_input(name);
      auto const twice = [&](net_builder& b) {
        b.append_ops(recurrence);
        b.op("Copy", {"h_last"}, {"last"});
        b.op("Copy", {"h_all"}, {"all"});
        b.op("Sin", {overwritten}, {overwritten});
        b.op("Sum", {"x", "all"}, {"x"});
        b.op_n("Reshape", {"last"}, {"first", "old"}, {{"shape", {1, 2, 2}}});
        b.op("Sum", {"h0", "first"}, {"h0"});
      };
      if (in_loop)
        n.while_(
            "more",
            [](net_builder& c) {
              c.op("LT", {"i", "end"}, {"more"});
            },
            [&](net_builder& b) {
              twice(b);
              b.op("Add", {"i", "one"}, {"i"});
            });
      else
        twice(n);
      n.op("SumElements", {"x"}, {"sum"});
      n.op("SumElements", {"h0"}, {"last_sum"});
      n.op("SumElements", {"w"}, {"w_sum"});
      n.op("Sum", {"sum", "last_sum", "w_sum"}, {"y"});
      plait::workspace<plait::serial> blobs;
      for (auto const& [name, value] : given{{"x", some({3, 2, 2}, 1)},
                                             {"w", some({1, 2, 2}, 2)},
                                             {"h0", some({1, 2, 2}, 3)},
                                             {"i", test::doubles({0}, {1})},
                                             {"one", test::doubles({1}, {1})},
                                             {"end", test::doubles({2}, {1})},
                                             {"more", test::tensor64::from(std::vector<bool>{true}, {1})}})
        blobs.feed(name, value);
      auto const found = plait::check_gradient(n.net(), {"y"}, {"x", "w", "h0"}, blobs,
                                               {.gradients = {.overwritten = plait::overwritten_values::copy}});
      CAPTURE(found.text());
      CHECK(found.ok());
    }
}

}  // namespace
