// Control flow operators: If, While, Do and the ops on their workspaces.
#pragma once

#include <plait/exec/detail/operators/control_flow.hpp>
#include <plait/exec/detail/operators/do_scopes.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all control flow operators.
template <backend B>
void add_control_flow(operators<B>& table) {
  add_control_flow_operators(table);
  add_scope_operators(table);
}

}  // namespace plait
