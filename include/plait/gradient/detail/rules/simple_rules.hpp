// Table-driven gradient rules in the table of the run-time backward pass.
#pragma once

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/rule_patterns.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

/// Adds the rule of a table entry.
inline void add_simple_rule(gradient_rules& rules, simple_rule const& entry) {
  rules.set(entry.type, [entry](gradient_context& c) { apply_simple_rule(c, entry); });
}

}  // namespace plait
