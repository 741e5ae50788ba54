#include <plait/rnn/detail/cell_check.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/rnn/recurrent_net.hpp>

namespace {

using change = std::function<void(plait::recurrent_net_options&)>;

plait::netdef const cell = plait::read_netdef_text(R"(
  name: "cell"
  op { type: "FC" input: "h_prev" input: "w" input: "b" output: "g" }
  op { type: "Sum" input: "g" input: "x_t" output: "g" }
  op { type: "Split" input: "g" output: "i" output: "j" }
  op { type: "Mul" input: "i" input: "j" output: "m" }
  op { type: "Tanh" input: "m" output: "h" }
  external_input: "x_t" external_input: "h_prev" external_input: "w" external_input: "b" external_output: "h")");

plait::recurrent_net_options right() {
  return {.cell = cell, .inputs = {{"x_t", "x"}}, .states = {{.in = "h_prev", .out = "h", .initial = "h0"}}};
}

struct refusal {
  std::string text;  ///< after "plait: recurrent net: "
  std::string blob;
  std::optional<std::size_t> op = {};
};

void check_refused(change const& make_wrong, refusal const& expected) {
  plait::recurrent_net_options options = right();
  make_wrong(options);
  plait::netdef n = plait::read_netdef_text(R"(name: "outer" op { type: "Relu" input: "q" output: "x" })");
  plait::netdef const before = n;
  CAPTURE(expected.text);
  try {
    (void)plait::recurrent_net(n, options);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(std::string(problem.what()) == "plait: recurrent net: " + expected.text);
    CHECK(problem.blob == expected.blob);
    CHECK(problem.op == expected.op);
  }
  CHECK(n == before);
}

// Returns the cell with an additional op.
plait::cell_net with(std::string const& op) {
  plait::netdef more = cell;
  plait::netdef const added = plait::read_netdef_text(op);
  more.op.push_back(more.adopt(added.op[0], added));
  return more;
}

}  // namespace

TEST_CASE("recurrent_net options: valid ones are accepted") {
  plait::netdef n;
  CHECK_NOTHROW(plait::recurrent_net(n, right()));
  auto options = right();
  options.recompute_on_backward = {"j", "i", "g", "g"};
  options.outputs_with_grads = {1, 0};
  CHECK_NOTHROW(plait::recurrent_net(n, options));
}

TEST_CASE("recurrent_net options: invalid sequences are refused") {
  check_refused([](auto& o) { o.inputs.clear(); }, {"it has no sequence to run over", ""});
  check_refused(
      [](auto& o) {
        o.inputs.push_back({"b", "y"});
        o.forward_only = o.as_caffe2 = true;
      },
      {"Caffe2 takes one sequence, not 2", "b"});
  check_refused([](auto& o) { o.inputs[0].window = 0; }, {"'x_t' has a window of 0 steps", "x_t"});
  check_refused([](auto& o) { o.inputs[0].window = 2; },
                {"the first sequence determines the number of steps, and cannot have a window", "x_t"});
  check_refused([](auto& o) { o.inputs[0].in = ""; },
                {"a blob of the cell, a slice of the sequence 'x', has no name", ""});
  check_refused([](auto& o) { o.inputs[0].sequence = ""; }, {"the sequence of 'x_t' has no name", "x_t"});
  check_refused([](auto& o) { o.inputs[0].in = "typo"; },
                {"the cell has no blob 'typo', a slice of the sequence 'x'", "typo"});
  check_refused([](auto& o) { o.inputs[0].in = "h_prev"; }, {"the blob 'h_prev' of the cell has two roles", "h_prev"});
  check_refused([](auto& o) { o.cell = with(R"(op { type: "Relu" input: "x_t" output: "x_t" })"); },
                {"the cell overwrites 'x_t', a slice of the sequence 'x'", "x_t", 5});
}

TEST_CASE("recurrent_net options: invalid states are refused") {
  check_refused([](auto& o) { o.states.clear(); }, {"it has no state, and so no output", ""});
  check_refused([](auto& o) { o.states[0].in = ""; }, {"a blob of the cell, a state, has no name", ""});
  check_refused([](auto& o) { o.states[0].in = "typo"; }, {"the cell has no blob 'typo', a state", "typo"});
  check_refused([](auto& o) { o.states[0].initial = ""; }, {"the state 'h_prev' has no initial value", "h_prev"});
  check_refused([](auto& o) { o.states[0].out = ""; },
                {"the state 'h_prev' has no blob `out` with its next value", "h_prev"});
  check_refused([](auto& o) { o.states[0].out = "h_prev"; },
                {"no op of the cell writes 'h_prev', which should be the state 'h_prev' of the next step", "h_prev"});
  check_refused([](auto& o) { o.states.push_back({"b", "h", "b0"}); }, {"two states have 'h' as `out`", "h"});
  check_refused(
      [](auto& o) {
        o.states.push_back({"h_prev", "m", "m0"});
      },
      {"the blob 'h_prev' of the cell has two roles", "h_prev"});
  check_refused([](auto& o) { o.cell = with(R"(op { type: "Relu" input: "h" output: "h_prev" })"); },
                {"the cell overwrites 'h_prev', a state", "h_prev", 5});
}

TEST_CASE("recurrent_net options: an invalid timestep is refused") {
  check_refused([](auto& o) { o.timestep = "h_prev"; },
                {"the index of the step and another blob are both called 'h_prev'", "h_prev"});
  auto const called_timestep = [](auto& o) {
    plait::netdef renamed = plait::read_netdef_text(R"(
      op { type: "Sum" input: "timestep" input: "x_t" output: "h" } external_input: "x_t" external_input: "timestep")");
    o.cell = renamed;
    o.states[0].in = "timestep";
  };
  check_refused(called_timestep, {"the index of the step and another blob are both called 'timestep'", "timestep"});
  check_refused([](auto& o) { o.cell = with(R"(op { type: "Tanh" input: "h" output: "timestep" })"); },
                {"the cell overwrites 'timestep', the index of the step", "timestep", 5});
  check_refused([](auto& o) { o.timestep = "i"; }, {"the cell overwrites 'i', the index of the step", "i", 2});
  plait::netdef n;
  auto options = right();
  called_timestep(options);
  options.timestep = "t";
  CHECK_NOTHROW(plait::recurrent_net(n, options));
}

TEST_CASE("recurrent_net options: an invalid direction is refused") {
  check_refused([](auto& o) { o.lengths = "lengths"; }, {"it has lengths, but does not run in reverse", "lengths"});
  check_refused([](auto& o) { o.reverse = o.as_caffe2 = true; }, {"Caffe2 does not run in reverse", ""});
  check_refused(
      [](auto& o) {
        o.reverse = true;
        o.outputs = {{"h", -2, "tail"}};
      },
      {"it runs in reverse, so its outputs must be of all steps or the last, not from -2 on", "h"});
  check_refused(
      [](auto& o) {
        o.reverse = true;
        o.lengths = "lengths";
        o.inputs.push_back({"b", "y", 3});
      },
      {"it runs in reverse with lengths, so sequences cannot have windows", "b"});
}

TEST_CASE("recurrent_net options: an invalid executor configuration is refused") {
  check_refused([](auto& o) { o.executor = {.num_threads = -3}; },
                {"its executor has num_threads = -3, which should be 0 or more", ""});
  check_refused([](auto& o) { o.executor = {.max_parallel_timesteps = 0}; },
                {"its executor has max_parallel_timesteps = 0, which should be 1 or more", ""});
  check_refused([](auto& o) { o.executor = {.max_cuda_streams = -1}; },
                {"its executor has max_cuda_streams = -1, which should be 0 or more", ""});
}

TEST_CASE("recurrent_net options: invalid windows of states are refused") {
  check_refused([](auto& o) { o.states[0].window = -1; }, {"'h_prev' has a window of -1 steps", "h_prev"});
  check_refused([](auto& o) { o.states[0].window_ends_in_step = true; },
                {"the window of 'h_prev' is the step itself alone", "h_prev"});
  check_refused(
      [](auto& o) {
        o.states[0].window = 2;
        o.states[0].window_ends_in_step = true;
      },
      {"the window of 'h_prev' is read before the step writes its last value, 'h'", "h_prev", 0});
  check_refused(
      [](auto& o) {
        o.states[0].window = 2;
        o.states[0].window_ends_in_step = true;
        o.as_caffe2 = true;
      },
      {"Caffe2 has no window that ends in the step, as that of 'h_prev' does", "h_prev"});
}

TEST_CASE("recurrent_net options: invalid outputs are refused") {
  check_refused(
      [](auto& o) {
        o.outputs = {{"m", 0, "y"}};
      },
      {"the output 'm' is not a state; set `like` to an outer blob of the same width", "m"});
  check_refused(
      [](auto& o) {
        o.outputs = {{"w", 0, "y", "b"}};
      },
      {"the output 'w' is written by no op of the cell", "w"});
  check_refused(
      [](auto& o) {
        o.outputs = {{"typo", 0, "y", "b"}};
      },
      {"the output 'typo' is written by no op of the cell", "typo"});
  check_refused(
      [](auto& o) {
        o.outputs = {{"m", 0, "y", "b"}};
        o.as_caffe2 = true;
      },
      {"the output 'm' is not a state", "m"});
  check_refused([](auto& o) { o.outputs = {{"h", 0, ""}}; }, {"an output of 'h' has no name", "h"});
  check_refused([](auto& o) { o.outputs = {{"h", 0, "y"}, {"h", -1, "y"}}; }, {"two outputs are called 'y'", "y"});
  check_refused(
      [](auto& o) {
        o.outputs = {{"h", -2, "y"}};
        o.outputs_with_grads = {1};
      },
      {"output 1 is to have a gradient, but there are 1 outputs", ""});
}

TEST_CASE("recurrent_net options: invalid shapes are refused") {
  auto const two = [](auto& o) { o.inputs.push_back({"b", "y", 3}); };
  check_refused(
      [](auto& o) {
        o.shapes = {{"x", {5}}};
      },
      {"the sequence 'x' has 1 dimensions, and needs steps and rows", "x"});
  check_refused(
      [&](auto& o) {
        two(o);
        o.shapes = {{"x", {5, 2, 8}}, {"y", {6, 2, 8}}};
      },
      {"'y' has 4 steps, 'x' has 5", "y"});
  check_refused(
      [&](auto& o) {
        two(o);
        o.shapes = {{"x", {-1, 2}}, {"y", {6, 3}}};
      },
      {"'y' has 3 rows, 'x' has 2", "y"});
  check_refused([](auto& o) { o.shapes = {{"x", {5, 2, 8}}, {"h0", {3, 8}}}; }, {"'h0' has 3 rows, 'x' has 2", "h0"});
  check_refused(
      [](auto& o) {
        o.shapes = {{"h0", {1, 1, 2, 8}}};
      },
      {"the initial value 'h0' has 4 dimensions, not 1 to 3", "h0"});
  check_refused(
      [](auto& o) {
        o.shapes = {{"h0", {2, 4, 8}}};
      },
      {"the initial value 'h0' is for 2 steps, not for 1", "h0"});
  check_refused(
      [](auto& o) {
        o.states[0].window = 2;
        o.shapes = {{"h0", {4, 8}}};
      },
      {"the initial value 'h0' is for 1 steps, not for 2", "h0"});
  check_refused(
      [](auto& o) {
        o.shapes = {{"typo", {5, 2, 8}}};
      },
      {"a shape is set for 'typo', which is neither a sequence nor an initial value", "typo"});
  check_refused(
      [](auto& o) {
        o.shapes = {{"x_t", {1, 2, 8}}};
      },
      {"a shape is set for 'x_t', which is neither a sequence nor an initial value", "x_t"});
  plait::netdef n;
  auto options = right();
  options.shapes = {{"x", {-1, 4, 8}}, {"h0", {8}}};
  CHECK_NOTHROW(plait::recurrent_net(n, options));
}

TEST_CASE("recurrent_net options: gradients of missing outputs are refused") {
  check_refused([](auto& o) { o.outputs_with_grads = {2}; },
                {"output 2 is to have a gradient, but there are 2 outputs", ""});
  check_refused([](auto& o) { o.outputs_with_grads = {1, 1}; }, {"output 1 is listed twice", ""});
}

TEST_CASE("recurrent_net options: invalid recomputation is refused") {
  check_refused([](auto& o) { o.recompute_on_backward = {"typo"}; },
                {"'typo' is to be recomputed, but no op of the cell writes it", "typo"});
  check_refused([](auto& o) { o.recompute_on_backward = {"w"}; },
                {"'w' is to be recomputed, but no op of the cell writes it", "w"});
  check_refused([](auto& o) { o.recompute_on_backward = {"i"}; },
                {"an op that is to be recomputed also writes 'j', which is not", "j", 2});
  // The first writer of g reads the parameter before it is overwritten.
  check_refused(
      [](auto& o) {
        o.recompute_on_backward = {"g"};
        o.cell = with(R"(op { type: "Scale" input: "w" output: "w" })");
      },
      {"an op that is to be recomputed reads 'w', which is overwritten", "w", 0});
  check_refused(
      [](auto& o) {
        o.recompute_on_backward = {"w"};
        o.cell = with(R"(op { type: "Scale" input: "w" output: "w" })");
      },
      {"an op that is to be recomputed reads 'w', which is overwritten", "w", 5});
}

TEST_CASE("recurrent_net options: recompute_on_backward is ignored if forward only") {
  plait::netdef n;
  auto options = right();
  options.forward_only = true;
  options.recompute_on_backward = {"typo"};
  CHECK_NOTHROW(plait::recurrent_net(n, options));
}
