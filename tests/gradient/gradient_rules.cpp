#include <plait/gradient/gradient_rules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>

using plait::gradient_rule;
using plait::gradient_rules;

TEST_CASE("gradient_rules: a table is a value") {
  gradient_rules mine = gradient_rules::standard();
  std::size_t const before = gradient_rules::standard().size();
  mine.set("Mine", [](plait::gradient_context&) {});
  mine.refuse("Mul", "no products today");
  CHECK(mine.size() == before + 1);
  CHECK(mine.find("Mul")->how == gradient_rule::kind::refused);
  CHECK(mine.find("Mul")->reason == "no products today");
  CHECK(gradient_rules::standard().find("Mul")->how == gradient_rule::kind::derived);
  CHECK(gradient_rules::standard().find("Mine") == nullptr);
  CHECK(gradient_rules::standard().size() == before);
}

TEST_CASE("gradient_rules: a later rule replaces an earlier one") {
  gradient_rules r;
  r.set_none({"A", "B"});
  CHECK(r.find("A")->how == gradient_rule::kind::none);
  r.set("A", [](plait::gradient_context&) {}).repeatable = false;
  CHECK(r.find("A")->how == gradient_rule::kind::derived);
  CHECK_FALSE(r.find("A")->repeatable);
  r.edit("B").must_be_read = true;
  CHECK(r.find("B")->must_be_read);
  auto types = r.types();
  std::ranges::sort(types);
  CHECK(types == std::vector<std::string_view>{"A", "B"});
}

TEST_CASE("standard_rules: each rule emits ops or has a reason for refusal") {
  gradient_rules const& rules = gradient_rules::standard();
  for (std::string_view type : rules.types()) {
    CAPTURE(type);
    gradient_rule const& rule = *rules.find(type);
    if (rule.how == gradient_rule::kind::derived) CHECK(rule.make);
    if (rule.how == gradient_rule::kind::refused) CHECK(!rule.reason.empty());
    // Versions, not op types, decide whether an op may be in place.
    CHECK_FALSE(rule.in_place);
  }
  CHECK(rules.find("StopGradient")->must_be_read);
  CHECK(rules.find("ZeroGradient")->always);
  CHECK_FALSE(rules.find("Dropout")->repeatable);
}

TEST_CASE("caffe2_gradient_rules: types without a gradient in Caffe2 are refused") {
  gradient_rules const rules = plait::caffe2_gradient_rules();
  CHECK(rules.size() == gradient_rules::standard().size());
  for (std::string_view type : {"BooleanMask", "LengthsGather", "NormalizeL1", "ReduceSum", "ReduceTailSum"}) {
    CAPTURE(type);
    CHECK(rules.find(type)->how == gradient_rule::kind::refused);
    CHECK(gradient_rules::standard().find(type)->how == gradient_rule::kind::derived);
  }
  for (std::string_view type : {"ReluGradient", "ConvGradient", "CopyOnDeviceLike", "AliasWithName", "EnsureCPUOutput"})
    CHECK(rules.find(type)->how == gradient_rule::kind::refused);
  CHECK(rules.find("Unique")->how == gradient_rule::kind::refused);
  for (std::string_view type : {"Iter", "LearningRate"}) CHECK(rules.find(type)->how == gradient_rule::kind::none);
}

TEST_CASE("caffe2_gradient_rules: an output is in place only if Caffe2's schema allows it") {
  auto const refusal = [](char const* op) {
    try {
      (void)plait::backward_pass(test::net_of<test::edit_net>({op}), {"y"}, plait::caffe2_gradient_rules(),
                                 {.as_caffe2 = true});
      return std::string();
    } catch (plait::gradient_error const& e) {
      return e.problems.front().text;
    }
  };
  CHECK(refusal("Sum: y x -> y") == "");
  CHECK(refusal("Sum: x y -> y") == "op 0 (Sum): reads and writes 'y', and ops of this type have no gradient in place");
  CHECK(refusal("Add: x y -> y") == "");
  CHECK(refusal("Transpose: y -> y") != "");
  CHECK(refusal("OneHot: y n -> y") != "");  // though no gradient flows back
  CHECK(refusal("OneHot: x n -> y") == "");
}

TEST_CASE("caffe2_gradient_rules: Dropout requires is_test, Concat ignores a gradient of its sizes") {
  auto const lines = [](test::edit_net const& n, std::vector<plait::gradient_seed> const& seeds) {
    return test::lines_of(plait::backward_pass(n, seeds, plait::caffe2_gradient_rules(), {.as_caffe2 = true}).net);
  };
  test::edit_net dropout = test::net_of<test::edit_net>({"Dropout: x -> y mask"});
  CHECK_THROWS_AS((void)lines(dropout, {{"y", "dy"}}), plait::gradient_error);
  dropout.ops[0].arguments.push_back({"is_test", std::int64_t{0}});
  CHECK(lines(dropout, {{"y", "dy"}}) == test::lines{"DropoutGrad: dy mask -> x_grad"});
  CHECK(lines(test::net_of<test::edit_net>({"Concat: a b -> y sizes"}), {{"sizes", "d"}}).empty());
}

TEST_CASE("caffe2_gradient_rules: WeightedSum has one gradient op, with gradients of the weights on request") {
  test::edit_net n = test::net_of<test::edit_net>({"WeightedSum: x a y b -> z"});
  auto const back = [&] {
    return plait::backward_pass(n, {{"z", "dz"}}, plait::caffe2_gradient_rules(), {.as_caffe2 = true});
  };
  CHECK(test::lines_of(back().net) == test::lines{"WeightedSumGradient: dz x a y b -> x_grad y_grad"});
  CHECK_FALSE(back().gradients.contains("a"));
  n.ops[0].arguments.push_back({"grad_on_w", std::int64_t{1}});
  CHECK(test::lines_of(back().net) == test::lines{"WeightedSumGradient: dz x a y b -> x_grad y_grad a_grad b_grad"});
  CHECK(back().gradients.at("b").values == "b_grad");
}

TEST_CASE("caffe2_gradient_rules: Caffe2's names overwrite a live gradient") {
  test::edit_net const n = test::net_of<test::edit_net>({"Sqr: x -> a", "Add: a x -> y"});
  CHECK(
      test::lines_of(plait::backward_pass(n, {{"y", "dy"}}, plait::caffe2_gradient_rules(), {.as_caffe2 = true}).net) ==
      test::lines{"Scale: dy -> dy", "Mul: dy x -> x_grad", "Sum: x_grad dy -> x_grad"});
}

TEST_CASE("standard_rules: gradient ops inherit or replace arguments") {
  test::edit_net transpose = test::net_of<test::edit_net>({"Transpose: x -> y"});
  transpose.ops[0].arguments = {{"axes", std::vector<std::int64_t>{1, 2, 0}}, {"use_cudnn", std::int64_t{1}}};
  test::edit_net reduction_backward = test::net_of<test::edit_net>({"SparseToDense: i x -> y"});
  reduction_backward.ops[0].arguments = {{"output_first_dim", std::int64_t{4}}};
  auto const arguments = [](test::edit_net const& n, bool as_caffe2) {
    return plait::backward_pass(n, {{"y", "dy"}}, gradient_rules::standard(), {.as_caffe2 = as_caffe2})
        .net.ops.front()
        .arguments;
  };
  for (bool const as_caffe2 : {false, true}) {
    auto const made = arguments(transpose, as_caffe2);
    REQUIRE(made.size() == 2);
    CHECK(made[0] == plait::argument_spec{"axes", std::vector<std::int64_t>{2, 0, 1}});
    CHECK(made[1] == transpose.ops[0].arguments[1]);
    CHECK(arguments(reduction_backward, as_caffe2).size() == (as_caffe2 ? 1 : 0));
  }
}
