// The table of rules and the table of operators belong together.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/operators.hpp>
#include <plait/exec/serial.hpp>
#include <plait/gradient/standard_rules.hpp>

namespace {

bool is_gradient_type(std::string_view type) {
  return (type.ends_with("Gradient") || type == "DropoutGrad") && type != "StopGradient" && type != "ZeroGradient" &&
         type != "NegateGradient";
}

TEST_CASE("every operator has a rule, or one that says why it has none") {
  auto const& rules = plait::gradient_rules::standard();
  for (plait::op_schema const* schema : plait::standard_operators<plait::serial>().schemas()) {
    std::string const& type = schema->type();
    CAPTURE(type);
    plait::gradient_rule const* const rule = rules.find(type);
    if (is_gradient_type(type)) continue;  // gradients of gradients are there where rules are
    REQUIRE(rule != nullptr);
    if (rule->how == plait::gradient_rule::kind::refused) CHECK(!rule->reason.empty());
    if (rule->how == plait::gradient_rule::kind::derived) CHECK(rule->make);
  }
}

TEST_CASE("every rule makes operators that there are") {
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
  check(plait::second_order_rules);
}

TEST_CASE("rules as Caffe2 has them refuse what it does not have, and nothing else") {
  auto const& standard = plait::gradient_rules::standard();
  auto const recorded = plait::caffe2_gradient_rules();
  CHECK(recorded.size() == standard.size());
  CHECK(recorded.find("Where")->how == plait::gradient_rule::kind::refused);
  CHECK(recorded.find("ReduceSum")->how == plait::gradient_rule::kind::refused);
  CHECK(recorded.find("Relu")->how == plait::gradient_rule::kind::derived);
}

}  // namespace
