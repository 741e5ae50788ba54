// Control flow operators: If, While, Do and the ops on their workspaces.
#pragma once

#include <plait/exec/detail/operators/control_flow.hpp>
#include <plait/exec/detail/operators/do_scopes.hpp>
