#include <plait/gradient/detail/gradient_options.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <net/test_nets.hpp>
#include <support/gradient_rules_of_tests.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/netdef/net_builder.hpp>

using plait::mixed_gradients;
using plait::overwritten_values;
using test::lines;

namespace {

using net = test::edit_net;
using seeds = std::vector<plait::gradient_seed>;
using map = std::map<std::string, std::string>;

plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = test::gradient_rules_of_tests();
  return made;
}

map shown(plait::gradient_map const& gradients) {
  map made;
  for (auto const& [blob, g] : gradients) made[blob] = g.is_sparse() ? g.indices + " " + g.values : g.values;
  return made;
}

struct result {
  lines ops;
  map gradients;
};

result back(net const& n, seeds const& ys, plait::gradient_options const& options = {}) {
  auto const made = plait::backward_pass(n, ys, rules(), options);
  return {test::lines_of(made.net), shown(made.gradients)};
}
result back(lines const& ops, seeds const& ys, plait::gradient_options const& options = {}) {
  return back(test::net_of<net>(ops), ys, options);
}

std::vector<plait::gradient_problem> problems(net n, seeds const& ys, plait::gradient_options const& options = {}) {
  net const before = n;
  try {
    (void)plait::add_gradient_ops(n, ys, rules(), options);
  } catch (plait::gradient_error const& e) {
    CHECK(n == before);
    std::string what = e.what();
    for (plait::gradient_problem const& p : e.problems) CHECK(what.find(p.text) != std::string::npos);
    CHECK(e.op == e.problems.front().op);
    CHECK(e.blob == e.problems.front().blob);
    return e.problems;
  }
  return {};
}
std::vector<plait::gradient_problem> problems(lines const& ops, seeds const& ys,
                                              plait::gradient_options const& options = {}) {
  return problems(test::net_of<net>(ops), ys, options);
}

plait::gradient_options const caffe2 = {.as_caffe2 = true};

}  // namespace

TEST_CASE("gradient_seed: converts from a blob handle and from any text") {
  plait::net_builder n;
  plait::blob_handle const y = n.op("Direct", n.external_input("x"), "y");
  auto const from = [&](seeds const& ys) { return shown(plait::backward_pass(n.net(), ys, rules()).gradients); };
  map const wanted = from({"y"});
  CHECK(wanted.contains("x"));
  CHECK(from({y}) == wanted);
  CHECK(from({std::string("y")}) == wanted);
  CHECK(from({std::string_view("y")}) == wanted);
  CHECK(from({{y, "dy"}}).contains("x"));
}

TEST_CASE("gradient_seed: takes a blob, and a dense or sparse gradient") {
  CHECK(plait::gradient_seed("y").blob == "y");
  CHECK_FALSE(plait::gradient_seed(std::string("y")).gradient);
  CHECK(plait::gradient_seed("y", "dy").gradient == plait::blob_gradient::dense("dy"));
  CHECK(plait::gradient_seed("y", plait::blob_gradient::sparse("i", "v")).gradient->is_sparse());
}

// ---- overwritten

TEST_CASE("overwritten_values::copy: copies follow the producer, under unique names") {
  lines const ops = {"Mul: x x -> y", "Print: x_saved ->", "Tanh: y -> y", "Mul: y x -> x", "Tanh: x -> x"};
  net n = test::net_of<net>(ops);
  auto const apart = plait::backward_pass(n, {"x"}, rules(), {.overwritten = overwritten_values::copy});
  using saved = std::vector<plait::saved_value>;
  // The input value of x is saved; x_saved is a blob of the net. y is overwritten, but Tanh's gradient needs its
  // output.
  CHECK(apart.saved == saved{{{}, 0, "x", "x_saved_0"}});
  (void)plait::add_gradient_ops(n, {"x"}, rules(), {.overwritten = overwritten_values::copy});
  lines expected = {"Copy: x -> x_saved_0"};
  expected.insert(expected.end(), ops.begin(), ops.end());
  for (std::string const& op : test::lines_of(apart.net)) expected.push_back(op);
  CHECK(test::lines_of(n) == expected);
}

TEST_CASE("overwritten_values::copy: each version has one copy, which all readers share") {
  lines const ops = {"UseInput: x -> a", "UseInput: x -> b", "Direct: b -> x", "UseInput: x -> c", "Sum: a c -> x"};
  net n = test::net_of<net>(ops);
  (void)plait::add_gradient_ops(n, {{"x", "dx"}}, rules(), {.overwritten = overwritten_values::copy});
  CHECK(test::lines_of(n) == lines{"Copy: x -> x_saved_0", "UseInput: x -> a", "UseInput: x -> b", "Direct: b -> x",
                                   "Copy: x -> x_saved", "UseInput: x -> c", "Sum: a c -> x",
                                   // the backward pass: the copy that is needed first has the plain name
                                   "UseInputGradient: x_saved dx -> x_grad", "DirectGradient: x_grad -> b_grad",
                                   "UseInputGradient: x_saved_0 b_grad -> x_grad",
                                   "UseInputGradient: x_saved_0 dx -> _x_grad_autosplit_0",
                                   "Sum: x_grad _x_grad_autosplit_0 -> x_grad"});
}

TEST_CASE("overwritten_values::copy: copies are placed on the producer's device") {
  net n = test::net_of<net>({"Direct: a -> x", "UseInput: x -> y", "Direct: y -> x", "Direct: x -> z"});
  n.ops[0].device = plait::device_spec{plait::device_kind::cuda, 2};
  (void)plait::add_gradient_ops(n, {"z"}, rules(), {.overwritten = overwritten_values::copy});
  REQUIRE(test::line_of(n.ops[1]) == "Copy: x -> x_saved");
  CHECK(n.ops[1].device == n.ops[0].device);
}

TEST_CASE("overwritten_values::recompute: chains of producers run again") {
  net n = test::net_of<net>({"Scale: x -> h", "Tanh: h -> h", "Mul: h x -> y", "Direct: y -> h"});
  n.ops[0].arguments = {{"scale", 3.0f}};
  for (plait::op_spec& op : n.ops) op.device = plait::device_spec{plait::device_kind::cuda, 1};
  auto const made = plait::backward_pass(n, {{"h", "dh"}}, rules(), {.overwritten = overwritten_values::recompute});
  CHECK(made.saved.empty());
  CHECK(test::lines_of(made.net) ==
        lines{"DirectGradient: dh -> y_grad", "Mul: y_grad x -> h_grad", "Scale: x -> h_again",
              "Tanh: h_again -> h_again", "Mul: y_grad h_again -> x_grad", "TanhGradient: h_again h_grad -> h_grad",
              "Scale: h_grad -> _x_grad_autosplit_0", "Sum: x_grad _x_grad_autosplit_0 -> x_grad"});
  CHECK(made.net.ops[2].arguments == n.ops[0].arguments);
  CHECK(made.net.ops[2].device == n.ops[0].device);
  // The ops to recompute are in the net that grows.
  net whole = n;
  (void)plait::add_gradient_ops(whole, {{"h", "dh"}}, rules(), {.overwritten = overwritten_values::recompute});
  CHECK(std::vector(whole.ops.begin() + 4, whole.ops.end()) == made.net.ops);
}

TEST_CASE("overwritten_values::recompute: random ops and overwritten inputs are refused") {
  plait::gradient_options const again = {.overwritten = overwritten_values::recompute};
  auto wrong =
      problems({"Direct: x -> h", "UseInput: h -> y", "Dropout: y -> h m", "Mul: h z -> h"}, {{"h", "dh"}}, again);
  // Version 2 of h is Dropout's, which is random; version 1 can be recomputed.
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 3);
  CHECK(wrong[0].blob == "h");
  CHECK(wrong[0].needed == 2);
  CHECK(wrong[0].present == 3);

  wrong = problems({"UseInput: x -> y", "Direct: y -> x"}, {"x"}, again);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].blob == "x");
  CHECK(wrong[0].needed == 0);
}

TEST_CASE("overwritten_values: indices of a sparse result that are overwritten are refused or copied") {
  lines const ops = {"Gather: table rows -> out", "Direct: rows -> rows"};
  auto const wrong = problems(ops, {{"out", "dout"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].blob == "rows");
  CHECK(wrong[0].needed == 0);
  CHECK(wrong[0].present == 1);
  result const r = back(ops, {{"out", "dout"}}, {.overwritten = overwritten_values::copy});
  CHECK(r.gradients.at("table") == "rows_saved dout");
}

// ---- mixed

TEST_CASE("mixed_gradients: dense and sparse gradients of one blob are refused or made dense") {
  lines const ops = {"Gather: table rows -> a", "Direct: table -> b"};
  seeds const ys = {{"a", "da"}, {"b", "db"}};
  auto const wrong = problems(ops, ys);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].blob == "table");
  result const r = back(ops, ys, {.mixed = mixed_gradients::densify});
  CHECK(r.ops == lines{"DirectGradient: db -> table_grad", "SparseToDense: rows da table -> table_grad_dense",
                       "Sum: table_grad table_grad_dense -> table_grad"});
}

TEST_CASE("mixed_gradients: a sparse gradient that is needed dense is refused or made dense") {
  lines const ops = {"Direct: x -> table", "Gather: table rows -> a"};
  auto const refusing = back(test::net_of<net>({"Gather: table rows -> a"}), {{"a", "da"}});
  CHECK(refusing.gradients.at("table") == "rows da");
  auto const wrong = problems(ops, {{"a", "da"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 0);
  CHECK(wrong[0].text.find("sparse where a dense one is needed") != std::string::npos);
  result const r = back(ops, {{"a", "da"}}, {.mixed = mixed_gradients::densify});
  CHECK(r.ops ==
        lines{"SparseToDense: rows da table -> table_grad_dense", "DirectGradient: table_grad_dense -> x_grad"});
}

// ---- only

TEST_CASE("gradient_options::only: emits the ops of requested gradients only") {
  lines const ops = {"Mul: x w1 -> h", "Mul: h w2 -> y"};
  result const r = back(ops, {{"y", "dy"}}, {.only = {"w2"}});
  CHECK(r.ops == lines{"Mul: dy h -> w2_grad"});
  CHECK(r.gradients == map{{"w2", "w2_grad"}});
  result const both = back(ops, {{"y", "dy"}}, {.only = {"w1"}});
  CHECK(both.ops == lines{"Mul: dy w2 -> h_grad", "Mul: h_grad x -> w1_grad"});
  CHECK(both.gradients == map{{"w1", "w1_grad"}});
}

TEST_CASE("gradient_options::only: other blobs may have no gradient or need overwritten values") {
  // The gradient of x needs an overwritten value, Unknown has no rule.
  lines const ops = {"Unknown: z -> x", "Mul: x w -> y", "Direct: y -> w"};
  CHECK(problems(ops, {"w"}).size() >= 1);
  result const r = back({"Unknown: z -> x", "Mul: x w -> y", "Direct: y -> w"}, {{"w", "dw"}}, {.only = {"y"}});
  CHECK(r.ops == lines{"DirectGradient: dw -> y_grad"});
  result const w = back({"Unknown: z -> x", "Mul: x w -> y", "Direct: w -> u"}, {{"y", "dy"}}, {.only = {"w"}});
  CHECK(w.ops == lines{"Mul: dy x -> w_grad"});
}

TEST_CASE("gradient_options::only: an unknown blob is refused, one without a gradient is left out") {
  auto const wrong = problems({"Direct: x -> y"}, {"y"}, {.only = {"nothing"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].blob == "nothing");
  result const r = back({"Direct: x -> y", "Direct: x -> z"}, {{"y", "dy"}}, {.only = {"z"}});
  CHECK(r.ops.empty());
  CHECK(r.gradients.empty());
}

// ---- numpy_broadcasting

TEST_CASE("numpy_broadcasting: gradients are summed to the shapes of the operands") {
  plait::gradient_options const numpy = {.numpy_broadcasting = true};
  CHECK(back({"Add: a b -> c"}, {{"c", "dc"}}, numpy).ops ==
        lines{"SumReduceLike: dc a -> a_grad", "SumReduceLike: dc b -> b_grad"});
  CHECK(back({"Sub: a b -> c"}, {{"c", "dc"}}, numpy).ops ==
        lines{"SumReduceLike: dc a -> a_grad", "Negative: dc -> b_grad_autogen_pre_red",
              "SumReduceLike: b_grad_autogen_pre_red b -> b_grad"});
  CHECK(back({"Mul: a b -> c"}, {{"c", "dc"}}, numpy).ops ==
        lines{"Mul: dc b -> a_grad_autogen_pre_red", "SumReduceLike: a_grad_autogen_pre_red a -> a_grad",
              "Mul: dc a -> b_grad_autogen_pre_red", "SumReduceLike: b_grad_autogen_pre_red b -> b_grad"});
  CHECK(back({"Add: a b -> c"}, {{"c", "dc"}}).ops.empty());
}

// ---- as_caffe2

TEST_CASE("as_caffe2: gradients overwrite live blobs in Caffe2 only") {
  // x_grad is a blob of the net, y's gradient is given as h_grad.
  lines const ops = {"Direct: x -> h", "UseOutput: h -> y", "Direct: x_grad -> other"};
  result const r = back(ops, {{"y", "h_grad"}, {"other", "do"}});
  CHECK(r.ops == lines{"DirectGradient: do -> x_grad_grad", "UseOutputGradient: y h_grad -> h_grad_1",
                       "DirectGradient: h_grad_1 -> x_grad_1"});
  CHECK(r.gradients.at("x") == "x_grad_1");
  CHECK(r.gradients.at("h") == "h_grad_1");
  CHECK(r.gradients.at("y") == "h_grad");
  result const c = back(ops, {{"y", "h_grad"}, {"other", "do"}}, caffe2);
  CHECK(c.ops == lines{"DirectGradient: do -> x_grad_grad", "UseOutputGradient: y h_grad -> h_grad",
                       "DirectGradient: h_grad -> x_grad"});
}

TEST_CASE("as_caffe2: fills of ones have no device in Caffe2, else that of their blob") {
  net n = test::net_of<net>({"Direct: x -> y"});
  n.ops[0].device = plait::device_spec{plait::device_kind::cuda, 3};
  CHECK(plait::backward_pass(n, {"y"}, rules()).net.ops.at(0).device == n.ops[0].device);
  CHECK_FALSE(plait::backward_pass(n, {"y"}, rules(), caffe2).net.ops.at(0).device);
}

// ---- errors

TEST_CASE("gradient_error: reports all problems at once") {
  auto const wrong = problems({"UseInput: x -> a", "Direct: x -> x", "UseOutput: x -> b", "Direct: b -> b",
                               "UseOutput: b -> b", "Sum: a b -> y"},
                              {"y"});
  REQUIRE(wrong.size() == 2);
  CHECK(wrong[0].op == 2);
  CHECK(wrong[0].blob == "b");
  CHECK(wrong[0].needed == 1);
  CHECK(wrong[0].present == 3);
  CHECK(wrong[0].writers == std::vector<plait::op_index>{2, 3, 4});
  CHECK(wrong[1].op == 0);
  CHECK(wrong[1].blob == "x");
  CHECK(wrong[1].needed == 0);
  CHECK(wrong[1].present == 1);
  CHECK(wrong[1].writers == std::vector<plait::op_index>{1});

  auto const more = problems({"Unknown: x -> a", "Shape: x -> b", "Gather: c rows -> d", "Direct: c -> e",
                              "StopGradient: x -> f", "Sum: a b d e -> y"},
                             {"y", "nothing"}, {.only = {}});
  std::vector<std::optional<plait::op_index>> ops;
  for (auto const& p : more) ops.push_back(p.op);
  CHECK(ops == std::vector<std::optional<plait::op_index>>{4, {}, 2, 1, 0});
}

TEST_CASE("gradient_error: two different gradients of one seed are a problem") {
  auto const wrong = problems({"Direct: x -> y"}, {"y", {"y", "dy"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].blob == "y");
  CHECK(back({"Direct: x -> y"}, {"y", "y"}).ops == back({"Direct: x -> y"}, {"y"}).ops);
}
