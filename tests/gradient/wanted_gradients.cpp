// Inactive ops need no gradients.
#include <plait/gradient/detail/wanted_gradients.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <net/test_nets.hpp>
#include <support/gradient_rules_of_tests.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>

using test::lines;
using net = test::edit_net;

namespace {

// The outputs of Places are inactive. Late refuses after it has emitted an op.
plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = [] {
    plait::gradient_rules r = test::gradient_rules_of_tests();
    r.set_none({"Places"});
    r.edit("Places").has_inactive_outputs = true;
    r.refuse("Never", "it has none");
    r.set("Late", [](plait::gradient_context& c) {
      c.op("LateGradient", {c.output_gradient(0)}, {c.input_gradient(0)});
      c.refuse("it found out late");
    });
    return r;
  }();
  return made;
}

plait::backward_net<net> back(std::vector<std::string> const& ops, plait::gradient_options const& how = {}) {
  return plait::backward_pass(test::net_of<net>(ops), {{"y", "dy"}}, rules(), how);
}

std::vector<std::string> problems(std::vector<std::string> const& ops, plait::gradient_options const& how = {}) {
  std::vector<std::string> found;
  try {
    back(ops, how);
  } catch (plait::gradient_error const& e) {
    for (auto const& p : e.problems) found.push_back(p.text);
  }
  return found;
}

std::vector<std::string> const product = {"UseInput: f -> g", "Mul: g w -> y"};
std::vector<std::string> behind(std::vector<std::string> ops) {
  ops.insert(ops.end(), product.begin(), product.end());
  return ops;
}

}  // namespace

TEST_CASE("wanted_gradients: an op that reads inactive values only needs no gradient") {
  for (std::string const type : {"Never", "Unknown", "Late"}) {
    CAPTURE(type);
    auto const made = back(behind({"Places: x -> p", type + ": p -> f"}));
    CHECK(test::lines_of(made.net) ==
          lines{"Mul: dy w -> g_grad", "Mul: dy g -> w_grad", "UseInputGradient: f g_grad -> f_grad"});
    CHECK(made.gradients.contains("w"));
    CHECK(!made.gradients.contains("x"));
    CHECK(!made.gradients.contains("p"));
  }
}

TEST_CASE("wanted_gradients: inactivity propagates through chains and needs all inputs inactive") {
  CHECK(problems(behind({"Places: x -> p", "Never: p -> q", "Unknown: q p -> r", "Never: r -> f"})).empty());
  // One active input suffices; so does a fill.
  lines const one = {"op 1 (Never): it has none"};
  CHECK(problems(behind({"Places: x -> p", "Never: p z -> f"})) == one);
  CHECK(problems(behind({"ConstantFill: -> p", "Never: p -> f"})) == one);
  CHECK(problems(behind({"Nogradient: x -> p", "Never: p -> f"})) == one);
  CHECK(problems(behind({"GivenTensorIntFill: -> p", "Never: p -> f"})).empty());
  CHECK(problems(behind({"Never: -> f"})) == lines{"op 0 (Never): it has none"});
}

TEST_CASE("wanted_gradients: versions of one blob differ in activity") {
  CHECK(problems(behind({"Places: x -> p", "Never: p -> f", "Direct: z -> p"})).empty());
  CHECK(problems(behind({"Places: x -> p", "Direct: z -> p", "Never: p -> f"})) == lines{"op 2 (Never): it has none"});
}

TEST_CASE("wanted_gradients: a requested gradient of an inactive blob is refused") {
  std::vector<std::string> const ops = behind({"Places: x -> p", "Never: p -> q", "Never: q -> f"});
  CHECK(problems(ops, {.only = {"p"}}) == lines{"op 2 (Never): it has none"});
  CHECK(problems(ops, {.only = {"q"}}) == lines{"op 2 (Never): it has none"});
  CHECK(problems(ops, {.only = {"w"}}).empty());
  // Before Places nothing changes: no gradient flows back to x, whatever follows.
  CHECK(back(ops, {.only = {"x"}}).gradients.empty());
  CHECK(back(ops, {.only = {"f"}}).gradients.contains("f"));
}

TEST_CASE("wanted_gradients: Caffe2 needs a gradient of each op on the path") {
  CHECK(problems(behind({"Places: x -> p", "Never: p -> f"}), {.as_caffe2 = true}) ==
        lines{"op 1 (Never): it has none"});
}

TEST_CASE("wanted_gradients: outputs of ArgMax, OneHot, StopGradient and others are inactive, those of fills are not") {
  for (std::string const type : {"ArgMax", "OneHot", "StopGradient", "Size", "UniformIntFill"})
    CHECK(problems(behind({type + ": x -> p", "Cast: p -> f"})).empty());
  // A fill may compute a parameter.
  for (std::string const type : {"ConstantFill", "XavierFill"})
    CHECK(problems(behind({type + ": x -> p", "Cast: p -> f"})).size() == 1);
}
