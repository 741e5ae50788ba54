// Gradient rules of control flow: If, While, Do.
#pragma once

#include <string_view>

#include <plait/gradient/detail/rules/do_rule.hpp>
#include <plait/gradient/detail/rules/if_rule.hpp>
#include <plait/gradient/detail/rules/while_rule.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

/// Adds the rules of If, While and Do. Nested nets must be netdefs (subnets with `net`, a shared_ptr, and `argument`),
/// and the net type must accept such (subnet_extensible_net).
inline void add_control_flow_rules(gradient_rules& rules) {
  auto const add = [&](std::string_view type, gradient_rule::planner plan, gradient_rule::maker make) {
    gradient_rule rule;
    rule.how = gradient_rule::kind::derived;
    rule.plan = std::move(plan);
    rule.make = std::move(make);
    rule.repeatable = false;
    rules.set(type, std::move(rule));
  };
  add("Do", detail::plan_do, detail::make_do_gradient);
  add("If", detail::plan_if, detail::make_if_gradient);
  add("While", detail::plan_while, detail::make_while_gradient);
}

}  // namespace plait
