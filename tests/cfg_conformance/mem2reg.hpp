// What LLVM's mem2reg makes of a function, foretold from plait's phis.
#pragma once

#include <string>
#include <vector>

#include "readers/flow_graphs.hpp"
#include "readers/ll.hpp"

namespace cfg_conformance {

/// Names of variables, sorted, by block. A variable without a name is called by its type: "(i32)".
using phis_by_block = std::vector<std::vector<std::string>>;

/// The phis that plait places for all variables that mem2reg promotes, in as many rounds as it takes, less those that
/// mem2reg does not leave, which is decided by values and not by where phis go:
///   - a phi whose operands are one value, itself or undefined, if that value dominates it, is replaced by the value;
///   - a variable whose only store is of a constant or an argument is that value everywhere.
[[nodiscard]] phis_by_block expected_phis(ll_function const& f, function_graph const& graph);

/// The phis in M.mem2reg.ll that were not in M.ll. mem2reg calls a phi like its variable, with a dot and a number
/// behind it, and puts it before those that are there. Precondition: as many blocks.
[[nodiscard]] phis_by_block phis_made(ll_function const& before, ll_function const& after);

}  // namespace cfg_conformance
