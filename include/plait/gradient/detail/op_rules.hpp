// Look-up of gradient rules by op index.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Finds rules by op index, with one look-up in the rule table per op type of the net. Refers to net and table.
template <gradient_net N>
class op_rules {
 public:
  op_rules(forward_net<N> const& net, gradient_rules const& rules) : net_(&net), rules_(&rules) {}

  /// Looks up the rules of all types. Call it after forward_net::compute. O(types).
  void find_all() {
    by_type_.clear();
    for (std::uint32_t type = 0; type != net_->type_count(); ++type)
      by_type_.push_back(rules_->find(net_->text_of_type(type)));
  }
  /// Returns the rule of an op, nullptr if its type has none.
  gradient_rule const* operator[](op_index op) const { return by_type_[net_->type_number(op)]; }
  /// Returns true if an op may be recomputed (deterministic).
  bool is_repeatable(op_index op) const {
    gradient_rule const* const rule = (*this)[op];
    bool const known = rule != nullptr && rule->how != gradient_rule::kind::refused;
    return known && rule->repeatable && !net_->has_nets(op);
  }

 private:
  forward_net<N> const* net_;
  gradient_rules const* rules_;
  std::vector<gradient_rule const*> by_type_;
};

}  // namespace plait
