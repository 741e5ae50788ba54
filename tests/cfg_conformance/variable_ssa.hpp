// SSA form of the variables of a function: where phis go, what each load reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/graph/dominators.hpp>

#include "readers/flow_graphs.hpp"
#include "readers/promotion.hpp"

namespace cfg_conformance {

/// What a variable holds somewhere.
struct variable_value {
  enum class kind : std::uint8_t { undefined, store, phi };
  kind is = kind::undefined;
  std::uint32_t index = 0;  ///< of the phi; of the access in its block
  std::uint32_t block = 0;  ///< of the store
  friend bool operator==(variable_value const&, variable_value const&) = default;
};

struct variable_phi {
  std::uint32_t block = 0;
  std::uint32_t variable = 0;
  std::vector<variable_value> operands;  ///< one per edge from a reachable block
};

struct variable_ssa {
  std::vector<variable_phi> phis;
  /// By block and access; of stores nothing. Unreachable blocks have none.
  std::vector<std::vector<variable_value>> loads;
};

/// Pruned SSA form by plait: phis in the iterated frontier of the stores, where the variable is live.
[[nodiscard]] variable_ssa construct_variable_ssa(function_graph const& f,
                                                  plait::dominator_tree<function_graph> const& tree,
                                                  promotion_round const& round);

}  // namespace cfg_conformance
