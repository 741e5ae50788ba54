// Model of LLVM's mem2reg: predicts its phis from plait's phi placement.
#pragma once

#include <string>
#include <vector>

#include "readers/flow_graphs.hpp"
#include "readers/ll.hpp"

namespace cfg_conformance {

/// Names of variables, sorted, by block. An unnamed variable is named by its type: "(i32)".
using phis_by_block = std::vector<std::vector<std::string>>;

/// Returns the phis that plait places for all variables that mem2reg promotes, in as many rounds as it takes, except
/// those that mem2reg removes, which depends on values and not on placement:
///   - a phi whose operands are one value, itself or undefined, if that value dominates it, is replaced by the value;
///   - a variable whose only store is of a constant or an argument is that value everywhere.
[[nodiscard]] phis_by_block expected_phis(ll_function const& f, function_graph const& graph);

/// Returns the phis in M.mem2reg.ll that were not in M.ll. mem2reg names a phi after its variable, with a dot and a
/// number as suffix, and inserts it before existing ones. Precondition: equal numbers of blocks.
[[nodiscard]] phis_by_block phis_made(ll_function const& before, ll_function const& after);

}  // namespace cfg_conformance
