#include <plait/rnn/detail/backward_step.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <support/op_lines.hpp>

namespace {

using strings = std::vector<std::string>;
using plait::detail::backward_step;

plait::netdef net(std::string const& text) { return plait::read_netdef_text(text); }

strings names(plait::netdef const& n, std::vector<plait::symbol> const& symbols) {
  strings made;
  for (plait::symbol const s : symbols) made.emplace_back(n.text(s));
  return made;
}

plait::netdef const gated = net(R"(
  op { type: "Mul" input: "x_t" input: "w" output: "a" }
  op { type: "Tanh" input: "a" output: "b" }
  op { type: "Mul" input: "b" input: "h_prev" output: "h" }
  op { type: "Mul" input: "h" input: "v" output: "y" }
  external_input: "x_t" external_input: "h_prev" external_input: "w" external_input: "v"
  external_output: "h" external_output: "y")");

plait::recurrent_net_options options_of(plait::netdef const& cell) {
  return {.cell = cell, .inputs = {{"x_t", "x"}}, .states = {{.in = "h_prev", .out = "h", .initial = "h0"}}};
}

backward_step step(plait::recurrent_net_options const& options, strings const& wanted = {"x_t", "h_prev", "w", "v"}) {
  return {options.cell.net(), options, plait::gradient_rules::standard(), wanted};
}

}  // namespace

TEST_CASE("backward step net: has gradient ops, saved blobs as inputs, and names of gradients") {
  auto const options = options_of(gated);
  backward_step const back = step(options);
  CHECK(back.net.text(back.net.name) == "RecurrentBackwardStep");
  CHECK(back.net.text(back.net.type) == "simple");
  CHECK(test::lines_of(back.net) == test::lines{"Mul: h_grad h_prev -> b_grad", "Mul: h_grad b -> h_prev_grad",
                                                "TanhGradient: b b_grad -> a_grad", "Mul: a_grad w -> x_t_grad",
                                                "Mul: a_grad x_t -> w_grad"});
  CHECK(names(back.net, back.net.external_input) == strings{"b", "h_grad", "x_t", "h_prev", "w", "v", "h", "y"});
  CHECK(back.gradient("w") == "w_grad");
  CHECK(back.gradient("v").empty());  // only y depends on it, which is not a state
  CHECK(back.needed_gradient("x_t") == "x_t_grad");
  try {
    (void)back.needed_gradient("v");
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "v");
    CHECK(std::string(problem.what()) ==
          "plait: recurrent net: 'v' has no gradient: no state of the next step "
          "depends on it in a differentiable way");
  }
}

TEST_CASE("backward step net: dead gradient ops are omitted, except as Caffe2") {
  auto options = options_of(gated);
  CHECK(test::lines_of(step(options, {"h_prev"}).net) == test::lines{"Mul: h_grad b -> h_prev_grad"});
  options.as_caffe2 = true;
  // All external outputs have gradients then; their contributions to the state's gradient have a separate Sum.
  test::lines const all = test::lines_of(step(options, {"h_prev"}).net);
  CHECK(all.size() == 8);
  CHECK(all[0] == "Mul: y_grad v -> h_grad_accum");
  CHECK(all[1] == "Sum: h_grad h_grad_accum -> h_grad");
}

TEST_CASE("backward step net: recomputed ops come first, in the order of the cell, and their outputs are not kept") {
  auto options = options_of(gated);
  options.recompute_on_backward = {"b", "a"};
  backward_step const back = step(options);
  test::lines const ops = test::lines_of(back.net);
  CHECK(test::lines(ops.begin(), ops.begin() + 3) ==
        test::lines{"Mul: x_t w -> a", "Tanh: a -> b", "Mul: h_grad h_prev -> b_grad"});
  CHECK(names(back.net, back.net.external_input) == strings{"h_grad", "x_t", "h_prev", "w", "v", "h", "y"});

  options.recompute_on_backward = {"b"};
  CHECK(names(step(options).net, step(options).net.external_input).front() == "a");
}

TEST_CASE("backward step net: states are kept; as Caffe2 they are recomputed, which fails for two of one op") {
  plait::netdef const lstm = net(R"(
    op { type: "Sum" input: "p" input: "x_t" output: "g" }
    op { type: "LSTMUnit" input: "h_prev" input: "c_prev" input: "g" input: "len" input: "timestep"
         output: "h" output: "c" }
    external_input: "x_t" external_input: "timestep" external_input: "h_prev" external_input: "c_prev"
    external_input: "p" external_input: "len" external_output: "h" external_output: "c")");
  plait::recurrent_net_options options{
      .cell = lstm,
      .inputs = {{"x_t", "x"}},
      .states = {{.in = "h_prev", .out = "h", .initial = "h0"}, {.in = "c_prev", .out = "c", .initial = "c0"}},
      .recompute_on_backward = {"h", "c", "g"}};
  backward_step const back = step(options, {"x_t", "h_prev", "c_prev", "p"});
  CHECK(test::lines_of(back.net) ==
        test::lines{
            "Sum: p x_t -> g",
            "LSTMUnitGradient: h_prev c_prev g len timestep h c h_grad c_grad -> h_prev_grad c_prev_grad g_grad"});
  CHECK(plait::detail::recomputed_blobs(options) == strings{"g"});
  CHECK(back.gradient("p") == "g_grad");
  CHECK(back.gradient("x_t") == "g_grad");
  options.as_caffe2 = true;
  CHECK(plait::detail::recomputed_blobs(options) == strings{"h", "c", "g"});
  CHECK_THROWS_WITH_AS((void)step(options, {"x_t", "h_prev", "c_prev", "p"}),
                       "plait: recurrent net: Caffe2 fails where one op of the backward step adds to two blobs",
                       plait::net_error);
}

TEST_CASE("backward step net: as Caffe2, an op that accumulates to two blobs is refused") {
  // The gradient of MatMul adds to both states.
  plait::netdef const cell = net(R"(
    op { type: "Mul" input: "x_t" input: "h_prev" output: "h" }
    op { type: "Mul" input: "x_t" input: "c_prev" output: "c" }
    op { type: "MatMul" input: "h" input: "c" output: "d" }
    external_input: "x_t" external_input: "h_prev" external_input: "c_prev"
    external_output: "h" external_output: "c" external_output: "d")");
  plait::recurrent_net_options options{.cell = cell, .inputs = {{"x_t", "x"}}, .as_caffe2 = true};
  for (std::string const s : {"h", "c", "d"}) options.states.push_back({s + "_prev", s, s + "0"});
  plait::gradient_rules rules = plait::gradient_rules::standard();
  rules.set("MatMul", [](plait::gradient_context& c) {
    c.op("BothGradients", {c.output_gradient(0)}, {c.input_gradient(0), c.input_gradient(1)});
  });
  try {
    backward_step const back(cell, options, rules, {});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "c_grad");
    CHECK(problem.op == 0);
  }
  rules.set("MatMul", [](plait::gradient_context& c) {
    c.op("OneGradient", {c.output_gradient(0)}, {c.input_gradient(0)});
    c.op("OtherGradient", {c.output_gradient(0)}, {c.input_gradient(1)});
  });
  backward_step const back(cell, options, rules, {});
  test::lines const ops = test::lines_of(back.net);
  CHECK(test::lines(ops.begin(), ops.begin() + 4) ==
        test::lines{"OneGradient: d_grad -> h_grad_accum", "Sum: h_grad h_grad_accum -> h_grad",
                    "OtherGradient: d_grad -> c_grad_accum", "Sum: c_grad c_grad_accum -> c_grad"});
}

TEST_CASE("backward step net: refuses cells without a gradient, sparse gradients and ops that are not repeatable") {
  auto const refused = [](plait::recurrent_net_options const& options, std::string const& blob,
                          std::string const& text) {
    try {
      backward_step const back = step(options, {"h_prev", "w"});
      (void)back.needed_gradient("w");
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      CHECK(problem.blob == blob);
      CHECK(std::string(problem.what()).find(text) != std::string::npos);
    }
  };
  refused(options_of(net(R"(op { type: "Sign" input: "w" output: "s" }
                            op { type: "Mul" input: "s" input: "h_prev" output: "h" })")),
          "", "Sign");
  refused(options_of(net(R"(op { type: "Gather" input: "w" input: "x_t" output: "s" }
                            op { type: "Mul" input: "s" input: "h_prev" output: "h" })")),
          "w", "the gradient of 'w' is sparse");
  auto options = options_of(net(R"(op { type: "Dropout" input: "w" output: "s" output: "mask" }
                                   op { type: "Mul" input: "s" input: "h_prev" output: "h" })"));
  options.recompute_on_backward = {"s", "mask"};
  refused(options, "s", "Dropout, which is not repeatable");
  options.as_caffe2 = true;
  options.recompute_on_backward = {};
  refused(options, "w", "no gradient");  // no external output is declared
}
