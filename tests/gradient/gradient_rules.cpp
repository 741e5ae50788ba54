#include <plait/gradient/gradient_rules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <plait/gradient/standard_rules.hpp>

using plait::gradient_rule;
using plait::gradient_rules;

TEST_CASE("a table of rules is a value") {
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

TEST_CASE("a later rule takes the place of an earlier one") {
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

TEST_CASE("standard rules: each derives, or says why it does not") {
  gradient_rules const& rules = gradient_rules::standard();
  for (std::string_view type : rules.types()) {
    CAPTURE(type);
    gradient_rule const& rule = *rules.find(type);
    if (rule.how == gradient_rule::kind::derived) CHECK(rule.make);
    if (rule.how == gradient_rule::kind::refused) CHECK(!rule.reason.empty());
    // Whether an op can be in place is a question of versions, not of its type.
    CHECK(rule.in_place);
  }
  CHECK(rules.find("StopGradient")->must_be_read);
  CHECK(rules.find("ZeroGradient")->always);
  CHECK_FALSE(rules.find("Dropout")->repeatable);
}

TEST_CASE("Caffe2's rules: what it lacks is refused") {
  gradient_rules const rules = plait::caffe2_gradient_rules();
  CHECK(rules.size() == gradient_rules::standard().size());
  for (std::string_view type : {"BooleanMask", "LengthsGather", "NormalizeL1", "ReduceSum", "ReduceTailSum"}) {
    CAPTURE(type);
    CHECK(rules.find(type)->how == gradient_rule::kind::refused);
    CHECK(gradient_rules::standard().find(type)->how == gradient_rule::kind::derived);
  }
  CHECK_FALSE(rules.find("Mul")->in_place);
  CHECK(rules.find("Unique")->how == gradient_rule::kind::refused);
  for (std::string_view type : {"Iter", "LearningRate"}) CHECK(rules.find(type)->how == gradient_rule::kind::none);
}
