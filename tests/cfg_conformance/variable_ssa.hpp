// SSA construction for the variables of a function: phi placement, and the value that each load reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/net/net_traits.hpp>
#include <plait/ssa/program_traits.hpp>

#include "readers/flow_graphs.hpp"
#include "readers/promotion.hpp"

namespace cfg_conformance {

/// The accesses of a block: a net whose ops are loads and stores and whose blobs are variables, by number.
class access_net {
 public:
  explicit access_net(std::vector<variable_access> const& accesses) : accesses_(&accesses) {}

  [[nodiscard]] std::vector<variable_access> const& ops() const { return *accesses_; }
  [[nodiscard]] static std::span<std::uint32_t const> inputs(variable_access const& a) {
    return {&a.variable, a.is_store ? 0u : 1u};
  }
  [[nodiscard]] static std::span<std::uint32_t const> outputs(variable_access const& a) {
    return {&a.variable, a.is_store ? 1u : 0u};
  }

 private:
  std::vector<variable_access> const* accesses_;
};

/// A function as a program over its variables. Refers to both arguments.
class access_program {
 public:
  access_program(function_graph const& graph, promotion_round const& round) : graph_(&graph), round_(&round) {}

  [[nodiscard]] std::size_t size() const { return graph_->size(); }
  [[nodiscard]] std::uint32_t entry() const { return graph_->entry(); }
  [[nodiscard]] std::span<std::uint32_t const> successors(std::uint32_t b) const { return graph_->successors(b); }
  [[nodiscard]] access_net block(std::uint32_t b) const { return access_net(round_->blocks[b]); }

  [[nodiscard]] std::size_t name_count() const { return round_->variables.size(); }
  [[nodiscard]] static std::size_t name_index(std::uint32_t variable) { return variable; }
  [[nodiscard]] static std::uint32_t name_at(std::size_t variable) { return static_cast<std::uint32_t>(variable); }

 private:
  function_graph const* graph_;
  promotion_round const* round_;
};

/// The value of a variable at a point.
struct variable_value {
  enum class kind : std::uint8_t { undefined, store, phi };
  kind is = kind::undefined;
  std::uint32_t index = 0;  ///< index of the phi, or of the access in its block
  std::uint32_t block = 0;  ///< block of the store
};

struct variable_phi {
  std::uint32_t block = 0;
  std::uint32_t variable = 0;
  std::vector<variable_value> operands;  ///< one per edge from a reachable block
};

struct variable_ssa {
  std::vector<variable_phi> phis;
  /// By block and access; unused for stores. Unreachable blocks have none.
  std::vector<std::vector<variable_value>> loads;
};

/// Returns plait's pruned SSA form of the program.
[[nodiscard]] variable_ssa construct_variable_ssa(function_graph const& f, promotion_round const& round);

}  // namespace cfg_conformance
