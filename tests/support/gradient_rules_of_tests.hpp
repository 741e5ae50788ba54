// Gradient rules of synthetic op types, one for each kind of dependence, as in Caffe2's core tests.
#pragma once

#include <plait/gradient/standard_rules.hpp>

namespace test {

/// Returns the standard rules with rules for Direct (its gradient needs no value), UseOutput, UseInput, Nogradient (no
/// gradient) and Print (no output).
[[nodiscard]] inline plait::gradient_rules gradient_rules_of_tests() {
  plait::gradient_rules rules = plait::gradient_rules::standard();
  rules.set("Direct",
            [](plait::gradient_context& c) { c.op("DirectGradient", {c.output_gradient(0)}, {c.input_gradient(0)}); });
  rules.set("UseOutput", [](plait::gradient_context& c) {
    c.op("UseOutputGradient", {c.output(0), c.output_gradient(0)}, {c.input_gradient(0)});
  });
  rules.set("UseInput", [](plait::gradient_context& c) {
    c.op("UseInputGradient", {c.input(0), c.output_gradient(0)}, {c.input_gradient(0)});
  });
  rules.set_none({"Nogradient", "Print"});
  return rules;
}

}  // namespace test
