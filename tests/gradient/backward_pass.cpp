// Gradient ops and names of small nets, after Caffe2's core_gradients_test.
#include <plait/gradient/backward_pass.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>
#include <support/gradient_rules_of_tests.hpp>
#include <support/op_lines.hpp>

using plait::blob_gradient;
using test::lines;

namespace {

using net = test::edit_net;
using seeds = std::vector<plait::gradient_seed>;
using map = std::map<std::string, std::string>;

struct result {
  lines ops;
  map gradients;
};

plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = test::gradient_rules_of_tests();
  return made;
}

map shown(plait::gradient_map const& gradients) {
  map made;
  for (auto const& [blob, g] : gradients) made[blob] = g.is_sparse() ? g.indices + " " + g.values : g.values;
  return made;
}

result back(lines const& ops, seeds const& ys, plait::gradient_options const& options = {}) {
  auto const made = plait::backward_pass(test::net_of<net>(ops), ys, rules(), options);
  return {test::lines_of(made.net), shown(made.gradients)};
}

std::vector<plait::gradient_problem> problems(lines const& ops, seeds const& ys,
                                              plait::gradient_options const& options = {}) {
  net n = test::net_of<net>(ops);
  net const before = n;
  try {
    (void)plait::add_gradient_ops(n, ys, rules(), options);
  } catch (plait::gradient_error const& e) {
    CHECK(n == before);
    return e.problems;
  }
  return {};
}

plait::gradient_options const caffe2 = {.as_caffe2 = true};

}  // namespace

TEST_CASE("backward_pass: a chain is differentiated op by op in reverse") {
  result const r = back({"Direct: in -> hidden", "Direct: hidden -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> hidden_grad", "DirectGradient: hidden_grad -> in_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}, {"hidden", "hidden_grad"}, {"in", "in_grad"}});
}

TEST_CASE("backward_pass: a seed without a gradient starts from ones") {
  auto const made =
      plait::backward_pass(test::net_of<net>({"Direct: in -> hidden", "Direct: hidden -> out"}), {"out"}, rules());
  CHECK(test::lines_of(made.net) == lines{"ConstantFill: out -> out_autogen_grad",
                                          "DirectGradient: out_autogen_grad -> hidden_grad",
                                          "DirectGradient: hidden_grad -> in_grad"});
  CHECK(made.net.ops[0].arguments == std::vector<plait::argument_spec>{{"value", 1.0f}});
  CHECK(made.gradients.at("out") == blob_gradient::dense("out_autogen_grad"));
}

TEST_CASE("backward_pass: ops that no seed depends on have no gradient") {
  result const r = back({"Direct: in -> hidden", "Direct: hidden -> out"}, {{"hidden", "hidden_grad"}});
  CHECK(r.ops == lines{"DirectGradient: hidden_grad -> in_grad"});
  CHECK(r.gradients == map{{"hidden", "hidden_grad"}, {"in", "in_grad"}});
}

TEST_CASE("backward_pass: without seeds there are no gradients") {
  result const r = back({"Direct: in -> hidden", "Direct: hidden -> out"}, {});
  CHECK(r.ops.empty());
  CHECK(r.gradients.empty());
}

TEST_CASE("backward_pass: a chain in place has its gradients in place") {
  result const r = back({"Direct: in -> in", "Direct: in -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> in_grad", "DirectGradient: in_grad -> in_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}, {"in", "in_grad"}});
}

TEST_CASE("backward_pass: an op whose output is overwritten unread has no gradient; Caffe2 refuses it") {
  lines const ops = {"Direct: x -> x", "Direct: y -> x", "Direct: x -> y"};
  result const r = back(ops, {{"y", "dy"}});
  CHECK(r.ops == lines{"DirectGradient: dy -> x_grad", "DirectGradient: x_grad -> y_grad"});
  CHECK(r.gradients == map{{"x", "x_grad"}, {"y", "y_grad"}});

  auto const wrong = problems(ops, {{"y", "dy"}}, caffe2);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 0);
  CHECK(wrong[0].blob == "x");
  CHECK(wrong[0].needed == 1);
  CHECK(wrong[0].present == 2);
  CHECK(wrong[0].writers == std::vector<plait::op_index>{0, 1});
}

TEST_CASE("backward_pass: one of several outputs that is overwritten unread has no gradient; Caffe2 refuses it") {
  net const n = test::net_of<net>({"Split: x -> a b", "Relu: w -> b"});
  plait::gradient_rules const caffe2_rules = plait::caffe2_gradient_rules();  // without fills of zeros
  seeds const ys = {{"a", "da"}, {"b", "db"}};
  lines const made = test::lines_of(plait::backward_pass(n, ys, caffe2_rules).net);
  CHECK(made == lines{"ReluGradient: b db -> w_grad", "Concat: da -> x_grad _x_grad_dims"});
  try {
    (void)plait::backward_pass(n, ys, caffe2_rules, caffe2);
    FAIL("accepted");
  } catch (plait::gradient_error const& wrong) {
    REQUIRE(wrong.problems.size() == 1);
    CHECK(wrong.problems[0].op == 0);
    CHECK(wrong.problems[0].blob == "b");
    CHECK(wrong.problems[0].needed == 1);
    CHECK(wrong.problems[0].present == 2);
  }
}

TEST_CASE("backward_pass: Caffe2 passes the gradient of an overwriting version through") {
  lines const ops = {"Add: a b -> y", "Direct: w -> y"};
  CHECK(back(ops, {{"y", "dy"}}).gradients == map{{"w", "w_grad"}, {"y", "dy"}});
  result const r = back(ops, {{"y", "dy"}}, caffe2);
  CHECK(r.ops == lines{"DirectGradient: dy -> w_grad"});
  CHECK(r.gradients == map{{"a", "dy"}, {"b", "dy"}, {"w", "w_grad"}, {"y", "dy"}});
}

TEST_CASE("backward_pass: a gradient op reads a forward output") {
  result const r =
      back({"UseOutput: in -> hidden", "UseOutput: hidden -> out", "Direct: out -> sink"}, {{"sink", "sink_grad"}});
  CHECK(r.ops == lines{"DirectGradient: sink_grad -> out_grad", "UseOutputGradient: out out_grad -> hidden_grad",
                       "UseOutputGradient: hidden hidden_grad -> in_grad"});
}

TEST_CASE("backward_pass: a gradient op reads an output that was written in place") {
  result const r = back({"UseOutput: in -> in", "Direct: in -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> in_grad", "UseOutputGradient: in in_grad -> in_grad"});
}

TEST_CASE("backward_pass: a needed output that is overwritten is refused") {
  auto const wrong = problems({"UseOutput: in -> hidden", "Direct: hidden -> hidden", "UseOutput: hidden -> out"},
                              {{"out", "out_grad"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 0);
  CHECK(wrong[0].blob == "hidden");
  CHECK(wrong[0].needed == 1);
  CHECK(wrong[0].present == 2);
  CHECK(wrong[0].writers == std::vector<plait::op_index>{0, 1});
  CHECK(wrong[0].text ==
        "op 0 (UseOutput): its gradient needs 'hidden' at version 1, which is overwritten (version 2 is the last); "
        "written by op 0 (UseOutput), op 1 (Direct)");
}

TEST_CASE("backward_pass: a gradient op reads a forward input") {
  result const r =
      back({"Direct: in -> hidden", "UseInput: hidden -> out", "Direct: out -> sink"}, {{"sink", "sink_grad"}});
  CHECK(r.ops == lines{"DirectGradient: sink_grad -> out_grad", "UseInputGradient: hidden out_grad -> hidden_grad",
                       "DirectGradient: hidden_grad -> in_grad"});
}

TEST_CASE("backward_pass: a needed input that is overwritten is refused") {
  auto const wrong = problems({"Direct: in -> hidden", "UseInput: hidden -> out", "Direct: out -> hidden"},
                              {{"hidden", "hidden_grad"}});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 1);
  CHECK(wrong[0].blob == "hidden");
  CHECK(wrong[0].needed == 1);
  CHECK(wrong[0].present == 2);
}

TEST_CASE("backward_pass: gradients of a blob with several readers are summed (fan-out)") {
  result const r =
      back({"Direct: in -> hidden1", "Direct: in -> hidden2", "Direct: hidden1 -> out1", "Direct: hidden2 -> out2"},
           {{"out1", "out1_grad"}, {"out2", "out2_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out2_grad -> hidden2_grad", "DirectGradient: out1_grad -> hidden1_grad",
                       "DirectGradient: hidden2_grad -> in_grad",
                       "DirectGradient: hidden1_grad -> _in_grad_autosplit_0",
                       "Sum: in_grad _in_grad_autosplit_0 -> in_grad"});
  CHECK(r.gradients.at("in") == "in_grad");
}

TEST_CASE("backward_pass: gradients of a blob that one op reads several times are summed") {
  result const r = back({"Mul: in in -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"Mul: out_grad in -> in_grad", "Mul: out_grad in -> _in_grad_autosplit_0",
                       "Sum: in_grad _in_grad_autosplit_0 -> in_grad"});
}

TEST_CASE("backward_pass: a reader without a gradient contributes nothing") {
  result const r =
      back({"Direct: in -> hidden1", "Nogradient: in -> hidden2", "Direct: hidden1 -> out", "Direct: hidden2 -> out2"},
           {{"out", "out_grad"}, {"out2", "out2_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out2_grad -> hidden2_grad", "DirectGradient: out_grad -> hidden1_grad",
                       "DirectGradient: hidden1_grad -> in_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"},
                           {"out2", "out2_grad"},
                           {"hidden1", "hidden1_grad"},
                           {"hidden2", "hidden2_grad"},
                           {"in", "in_grad"}});
}

TEST_CASE("backward_pass: each version of a blob has its own sum") {
  result const r = back({"Direct: in -> in", "Direct: in -> hidden1", "Direct: in -> hidden2",
                         "Direct: hidden1 -> out1", "Direct: hidden2 -> out2"},
                        {{"out1", "out1_grad"}, {"out2", "out2_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out2_grad -> hidden2_grad", "DirectGradient: out1_grad -> hidden1_grad",
                       "DirectGradient: hidden2_grad -> in_grad",
                       "DirectGradient: hidden1_grad -> _in_grad_autosplit_0",
                       "Sum: in_grad _in_grad_autosplit_0 -> in_grad", "DirectGradient: in_grad -> in_grad"});
}

TEST_CASE("backward_pass: successive versions with several readers each have a sum") {
  result const r =
      back({"Direct: in -> in", "Direct: in -> hidden1", "Direct: in -> hidden2", "Direct: hidden1 -> in",
            "Direct: in -> hidden1", "Direct: in -> hidden2", "Direct: hidden1 -> out1", "Direct: hidden2 -> out2"},
           {{"out1", "out1_grad"}, {"out2", "out2_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out2_grad -> hidden2_grad", "DirectGradient: out1_grad -> hidden1_grad",
                       "DirectGradient: hidden2_grad -> in_grad",
                       "DirectGradient: hidden1_grad -> _in_grad_autosplit_0",
                       "Sum: in_grad _in_grad_autosplit_0 -> in_grad",  // of version 2
                       "DirectGradient: in_grad -> hidden1_grad", "DirectGradient: hidden1_grad -> in_grad",
                       "DirectGradient: in_grad -> in_grad"});
  CHECK(r.gradients.at("in") == "in_grad");
}

TEST_CASE("backward_pass: gradient ops, sums included, are placed on the forward ops' device") {
  net n = test::net_of<net>({"Direct: in -> hidden1", "Direct: in -> hidden2", "Sum: hidden1 hidden2 -> out"});
  for (plait::op_spec& op : n.ops) op.device = plait::device_spec{plait::device_kind::cuda, 1};
  plait::device_spec const there{plait::device_kind::cuda, 1};
  auto const made = plait::backward_pass(n, {{"out", "out_grad"}}, rules());
  REQUIRE(made.net.ops.size() == 3);
  for (plait::op_spec const& op : made.net.ops) CHECK(op.device == there);
  CHECK(made.net.ops[2].type == "Sum");
}

TEST_CASE("backward_pass: Sum passes its gradient to every input") {
  result const r = back({"Sum: in1 in2 -> hidden", "Direct: hidden -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> hidden_grad"});
  CHECK(r.gradients ==
        map{{"out", "out_grad"}, {"hidden", "hidden_grad"}, {"in1", "hidden_grad"}, {"in2", "hidden_grad"}});
}

TEST_CASE("backward_pass: an op without outputs (Print) is ignored") {
  result const r = back({"Sum: in in -> hidden", "Print: hidden ->", "Direct: hidden -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> hidden_grad", "Sum: hidden_grad hidden_grad -> in_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}, {"hidden", "hidden_grad"}, {"in", "in_grad"}});
}

TEST_CASE("StopGradient: stops the gradient") {
  result const r = back({"Direct: in -> hidden", "StopGradient: hidden -> hidden2", "Direct: hidden2 -> out"},
                        {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> hidden2_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}, {"hidden2", "hidden2_grad"}});
}

TEST_CASE("StopGradient: stops the gradient in place") {
  result const r =
      back({"Direct: in -> hidden", "StopGradient: hidden -> hidden", "Direct: hidden -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> hidden_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}});  // none of hidden, which would be that of the stopped version
}

TEST_CASE("StopGradient: stops the gradient of one of two readers") {
  result const r = back(
      {"Direct: in -> hidden", "StopGradient: hidden -> hidden2", "Direct: hidden -> out1", "Direct: hidden2 -> out2"},
      {{"out1", "out1_grad"}, {"out2", "out2_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out2_grad -> hidden2_grad", "DirectGradient: out1_grad -> hidden_grad",
                       "DirectGradient: hidden_grad -> in_grad"});
}

TEST_CASE("StopGradient: without a reader it is refused") {
  auto const wrong = problems({"Direct: in -> hidden", "StopGradient: hidden -> auto_blobx"}, {"hidden"});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].op == 1);
  CHECK(wrong[0].blob == "auto_blobx");
  CHECK_FALSE(wrong[0].needed);
}

TEST_CASE("backward_pass: a seed that another seed depends on gets the sum") {
  result const r = back({"Direct: x -> y", "Direct: y -> z"}, {"y", "z"});
  CHECK(r.ops == lines{"ConstantFill: y -> y_autogen_grad", "ConstantFill: z -> z_autogen_grad",
                       "DirectGradient: z_autogen_grad -> _y_grad_autosplit_0",
                       "Sum: y_autogen_grad _y_grad_autosplit_0 -> y_autogen_grad",
                       "DirectGradient: y_autogen_grad -> x_grad"});
}

TEST_CASE("backward_pass: Add and Sub inside a net pass their gradient through") {
  lines const add = {"Direct: in1 -> hidden", "Direct: in2 -> hidden2", "Add: hidden hidden2 -> sum",
                     "Direct: sum -> out"};
  result const r = back(add, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> sum_grad", "DirectGradient: sum_grad -> in2_grad",
                       "DirectGradient: sum_grad -> in1_grad"});
  CHECK(r.gradients.at("hidden") == "sum_grad");
  CHECK(r.gradients.at("hidden2") == "sum_grad");

  lines sub = add;
  sub[2] = "Sub: hidden hidden2 -> sum";
  result const s = back(sub, {{"out", "out_grad"}});
  CHECK(s.ops == lines{"DirectGradient: out_grad -> sum_grad", "Negative: sum_grad -> hidden2_grad",
                       "DirectGradient: hidden2_grad -> in2_grad", "DirectGradient: sum_grad -> in1_grad"});
  CHECK(s.gradients.at("hidden") == "sum_grad");
}

TEST_CASE("backward_pass: Add and Sub at the inputs pass their gradient through") {
  result const r = back({"Direct: in1 -> hidden1", "Add: hidden1 in2 -> out"}, {{"out", "out_grad"}});
  CHECK(r.ops == lines{"DirectGradient: out_grad -> in1_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"}, {"hidden1", "out_grad"}, {"in2", "out_grad"}, {"in1", "in1_grad"}});

  result const s = back({"Direct: in1 -> hidden1", "Sub: hidden1 in2 -> out"}, {{"out", "out_grad"}});
  CHECK(s.ops == lines{"Negative: out_grad -> in2_grad", "DirectGradient: out_grad -> in1_grad"});
}

TEST_CASE("backward_pass: layers of Add and Sub sum gradients that are passed through") {
  result const r = back({"Add: in1 in2 -> hidden1", "Add: in2 in3 -> hidden2", "Add: hidden1 hidden2 -> out"},
                        {{"out", "out_grad"}});
  CHECK(r.ops == lines{"Sum: out_grad out_grad -> in2_grad"});
  CHECK(r.gradients == map{{"out", "out_grad"},
                           {"hidden1", "out_grad"},
                           {"hidden2", "out_grad"},
                           {"in1", "out_grad"},
                           {"in2", "in2_grad"},
                           {"in3", "out_grad"}});

  result const s = back({"Sub: in1 in2 -> hidden1", "Sub: in2 in3 -> hidden2", "Sub: hidden1 hidden2 -> out"},
                        {{"out", "out_grad"}});
  CHECK(s.ops == lines{"Negative: out_grad -> hidden2_grad", "Negative: hidden2_grad -> in3_grad",
                       "Negative: out_grad -> in2_grad", "Sum: in2_grad hidden2_grad -> in2_grad"});
}

TEST_CASE("backward_pass: a given gradient and those of readers are summed; Caffe2 drops the given one") {
  lines const ops = {"Direct: in -> y", "Direct: y -> z"};
  result const r = back(ops, {{"y", "dy"}, {"z", "dz"}});
  CHECK(r.ops ==
        lines{"DirectGradient: dz -> y_grad", "Sum: y_grad dy -> y_grad", "DirectGradient: y_grad -> in_grad"});
  CHECK(r.gradients.at("y") == "y_grad");
  result const c = back(ops, {{"y", "dy"}, {"z", "dz"}}, caffe2);
  CHECK(c.ops == lines{"DirectGradient: dz -> y_grad", "DirectGradient: y_grad -> in_grad"});
}

TEST_CASE("add_gradient_ops: appends the ops of backward_pass to the net") {
  net n = test::net_of<net>({"Direct: in -> hidden", "Mul: hidden hidden -> out"});
  net const alone = n;
  plait::gradient_map const gradients = plait::add_gradient_ops(n, {"out"}, rules());
  auto const apart = plait::backward_pass(alone, {"out"}, rules());
  CHECK(gradients == apart.gradients);
  lines all = test::lines_of(alone);
  for (std::string const& op : test::lines_of(apart.net)) all.push_back(op);
  CHECK(test::lines_of(n) == all);
}

TEST_CASE("add_gradient_ops: a net with gradient ops can be differentiated again") {
  // z = (x y)², dz/dx = 2 x y², d²z/dx² = 2 y²: all rules exist, and no name is used twice.
  net n = test::net_of<net>({"Mul: x y -> p", "Mul: p p -> z"});
  auto const first = plait::add_gradient_ops(n, {"z"}, rules());
  auto const second = plait::add_gradient_ops(n, {plait::gradient_seed(first.at("x").values)}, rules());
  CHECK(second.contains("x"));
  CHECK(second.at("x").values != first.at("x").values);
}
