// Consistency of the tables of rules and operators.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/gradient/standard_rules.hpp>

namespace {

bool is_gradient_type(std::string_view type) {
  return (type.ends_with("Gradient") || type == "DropoutGrad") && type != "StopGradient" && type != "ZeroGradient" &&
         type != "NegateGradient";
}

TEST_CASE("standard_rules: every operator has a rule, which emits ops or has a reason for refusal") {
  auto const& rules = plait::gradient_rules::standard();
  for (plait::op_schema const* schema : plait::standard_operators<plait::serial>().schemas()) {
    std::string const& type = schema->type();
    CAPTURE(type);
    plait::gradient_rule const* const rule = rules.find(type);
    if (is_gradient_type(type)) continue;  // second order is optional
    REQUIRE(rule != nullptr);
    if (rule->how == plait::gradient_rule::kind::refused) CHECK(!rule->reason.empty());
    if (rule->how == plait::gradient_rule::kind::derived) CHECK(rule->make);
  }
}

TEST_CASE("standard_rules: every table rule emits an existing operator") {
  auto const& operators = plait::standard_operators<plait::serial>();
  auto const check = [&](auto const& rules) {
    for (plait::simple_rule const& rule : rules) {
      CAPTURE(std::string(rule.type));
      CAPTURE(std::string(rule.gradient));
      CHECK(operators.find(rule.type) != nullptr);
      CHECK(operators.find(rule.gradient) != nullptr);
    }
  };
  check(plait::elementwise_rules);
  check(plait::matrix_rules);
  check(plait::movement_rules);
  check(plait::row_reduction_rules);
  check(plait::second_order_rules);
}

TEST_CASE("caffe2_gradient_rules: refuse exactly the types without a gradient in Caffe2") {
  auto const& standard = plait::gradient_rules::standard();
  auto const recorded = plait::caffe2_gradient_rules();
  CHECK(recorded.size() == standard.size());
  CHECK(recorded.find("Where")->how == plait::gradient_rule::kind::refused);
  CHECK(recorded.find("ReduceSum")->how == plait::gradient_rule::kind::refused);
  CHECK(recorded.find("Relu")->how == plait::gradient_rule::kind::derived);
}

}  // namespace
