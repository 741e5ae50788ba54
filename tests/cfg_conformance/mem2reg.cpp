#include "mem2reg.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <plait/graph/dominators.hpp>

#include "readers/promotion.hpp"
#include "variable_ssa.hpp"

namespace cfg_conformance {

namespace {

std::string shown_name(std::string const& name, std::string const& type) {
  return name.empty() || name.find_first_not_of("0123456789") == std::string::npos ? '(' + type + ')' : name;
}

// The position of a variable's only store, if it has one.
struct single_store {
  std::size_t count = 0;
  std::uint32_t block = 0;
  std::uint32_t index = 0;
};

class foretelling {
 public:
  foretelling(ll_function const& f, function_graph const& graph)
      : graph_(graph), tree_(graph), promoter_(f), made_(graph.size()) {}

  phis_by_block run() {
    for (;;) {
      round_ = promoter_.next();
      if (round_.variables.empty()) break;
      settle_single_stores();
      ssa_ = construct_variable_ssa(graph_, round_);
      phi_names_.clear();
      for (std::size_t p = 0; p != ssa_.phis.size(); ++p) phi_names_.push_back('#' + std::to_string(phi_count_++));
      replace_loads();
      eliminate_phis();
      for (std::size_t p = 0; p != ssa_.phis.size(); ++p) {
        variable_phi const& phi = ssa_.phis[p];
        variable const& v = round_.variables[phi.variable];
        if (promoter_.resolved(phi_names_[p]) != phi_names_[p] || constant_[phi.variable]) continue;
        made_[phi.block].push_back(shown_name(v.name, v.type));
        for (variable_value const& operand : phi.operands) promoter_.use_in_phi(name_of(operand));
      }
    }
    for (auto& names : made_) std::ranges::sort(names);
    return std::move(made_);
  }

 private:
  // In LLVM's order, because the stored value may itself be the only value of another variable: the last variable
  // replaces a finished one in the list.
  void settle_single_stores() {
    std::vector<single_store> stores(round_.variables.size());
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> loads(round_.variables.size());
    for (std::uint32_t b = 0; b != round_.blocks.size(); ++b)
      for (std::uint32_t i = 0; i != round_.blocks[b].size(); ++i) {
        variable_access const& a = round_.blocks[b][i];
        if (a.is_store)
          stores[a.variable] = {stores[a.variable].count + 1, b, i};
        else
          loads[a.variable].emplace_back(b, i);
      }
    constant_.assign(round_.variables.size(), false);
    std::vector<bool> settled(round_.variables.size(), false);
    std::vector<std::uint32_t> order;
    for (std::uint32_t v = 0; v != round_.variables.size(); ++v) order.push_back(v);
    for (std::size_t at = 0; at != order.size();) {
      std::uint32_t const v = order[at];
      if (!settle(v, stores[v], loads[v])) {
        ++at;
        continue;
      }
      settled[v] = true;
      order[at] = order.back();
      order.pop_back();
    }
    for (std::uint32_t b = 0; b != round_.blocks.size(); ++b)
      for (variable_access const& a : round_.blocks[b])
        if (a.is_store && !settled[a.variable] && !tree_.contains(b)) promoter_.leave(b, a.instruction);
  }

  bool settle(std::uint32_t v, single_store const& store,
              std::vector<std::pair<std::uint32_t, std::uint32_t>> const& loads) {
    if (store.count == 0 && loads.empty()) return true;
    if (store.count == 1) {
      value_name const value = promoter_.resolved(round_.blocks[store.block][store.index].value);
      if (!promoter_.block_of(value) && !value.starts_with('#')) {
        constant_[v] = true;
        for (auto const& [b, i] : loads) promoter_.replace(round_.blocks[b][i].value, value);
        return true;
      }
      bool all = true;
      for (auto const& [b, i] : loads) {
        // In LLVM everything dominates unreachable blocks.
        if (b == store.block ? i > store.index : !tree_.contains(b) || tree_.dominates(store.block, b))
          promoter_.replace(round_.blocks[b][i].value, value);
        else
          all = false;
      }
      if (all) return true;
    }
    return settle_in_one_block(v, store, loads);
  }

  // Handles variables with all accesses in one block and no load before the first store, unless nothing is stored.
  bool settle_in_one_block(std::uint32_t v, single_store const& store,
                           std::vector<std::pair<std::uint32_t, std::uint32_t>> const& loads) {
    std::uint32_t const block = store.count != 0 ? store.block : loads.front().first;
    std::size_t here = 0;
    std::optional<value_name> value;
    if (store.count == 0) value = value_name();
    for (variable_access const& a : round_.blocks[block]) {
      if (a.variable != v) continue;
      ++here;
      if (!a.is_store && !value) return false;
      if (a.is_store) value = a.value;
    }
    std::size_t everywhere = 0;
    for (auto const& accesses : round_.blocks)
      everywhere += static_cast<std::size_t>(
          std::ranges::count_if(accesses, [&](variable_access const& a) { return a.variable == v; }));
    if (here != everywhere) return false;
    value = value_name();
    for (variable_access const& a : round_.blocks[block]) {
      if (a.variable != v) continue;
      if (a.is_store)
        value = a.value;
      else
        promoter_.replace(a.value, promoter_.resolved(*value));
    }
    return true;
  }

  value_name name_of(variable_value const& value) const {
    switch (value.is) {
      case variable_value::kind::store:
        return promoter_.resolved(round_.blocks[value.block][value.index].value);
      case variable_value::kind::phi:
        return promoter_.resolved(phi_names_[value.index]);
      default:
        return {};
    }
  }

  void replace_loads() {
    // Dominators first, so that stored values are known when they are loaded.
    for (std::uint32_t const b : tree_.preorder())
      for (std::uint32_t i = 0; i != round_.blocks[b].size(); ++i) {
        variable_access const& a = round_.blocks[b][i];
        if (!a.is_store && promoter_.resolved(a.value) == a.value)
          promoter_.replace(a.value, name_of(ssa_.loads[b][i]));
      }
  }

  void eliminate_phis() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t p = 0; p != ssa_.phis.size(); ++p) {
        if (constant_[ssa_.phis[p].variable] || promoter_.resolved(phi_names_[p]) != phi_names_[p]) continue;
        if (auto const value = simplified(p)) {
          promoter_.replace(phi_names_[p], *value);
          changed = true;
        }
      }
    }
  }

  // Follows LLVM's SimplifyPHINode.
  std::optional<value_name> simplified(std::size_t p) const {
    value_name common;
    bool undefined = false;
    for (variable_value const& operand : ssa_.phis[p].operands) {
      value_name const value = name_of(operand);
      if (value == phi_names_[p]) continue;
      if (value.empty()) {
        undefined = true;
        continue;
      }
      if (!common.empty() && common != value) return std::nullopt;
      common = value;
    }
    if (common.empty() || !undefined || dominates(common, ssa_.phis[p].block)) return common;
    return std::nullopt;
  }

  bool dominates(value_name const& value, std::uint32_t block) const {
    if (value.starts_with('#')) {
      auto const p = std::ranges::find(phi_names_, value);
      if (p == phi_names_.end()) return false;  // of an earlier round: its block is not known any more
      return tree_.strictly_dominates(ssa_.phis[static_cast<std::size_t>(p - phi_names_.begin())].block, block);
    }
    auto const from = promoter_.block_of(value);
    if (!from) return true;
    if (!tree_.strictly_dominates(*from, block)) return false;
    // The value of an invoke is available on its normal edge only.
    auto const label = promoter_.normal_target_of(value);
    if (!label) return true;
    auto const target = graph_.find(*label);
    if (!target || !tree_.dominates(*target, block)) return false;
    for (std::uint32_t b = 0; b != graph_.size(); ++b)
      if (b != *from && tree_.contains(b) && !tree_.dominates(*target, b) &&
          std::ranges::find(graph_.successors(b), *target) != graph_.successors(b).end())
        return false;
    return true;
  }

  function_graph const& graph_;
  plait::dominator_tree<function_graph> tree_;
  promoter promoter_;
  promotion_round round_;
  variable_ssa ssa_;
  std::vector<bool> constant_;  // by variable: stored once, and that no instruction's result
  std::vector<value_name> phi_names_;
  std::size_t phi_count_ = 0;
  phis_by_block made_;
};

std::vector<ll_instruction const*> phis_of(ll_block const& block) {
  std::vector<ll_instruction const*> made;
  for (ll_instruction const& i : block.instructions)
    if (i.opcode == "phi") made.push_back(&i);
  return made;
}

// Returns the variable of a phi: x.addr for "x.addr.0", "x.addr.12", "x.addr.01" (made unique). A name without a final
// dot and digits has none.
std::string variable_of_phi(std::string const& phi) {
  std::size_t const dot = phi.find_last_not_of("0123456789");
  if (dot == std::string::npos || dot + 1 == phi.size() || phi[dot] != '.') return '%' + phi;
  return phi.substr(0, dot);
}

}  // namespace

phis_by_block expected_phis(ll_function const& f, function_graph const& graph) { return foretelling(f, graph).run(); }

phis_by_block phis_made(ll_function const& before, ll_function const& after) {
  phis_by_block made(before.blocks.size());
  for (std::size_t b = 0; b != before.blocks.size(); ++b) {
    auto const there = phis_of(before.blocks[b]);
    auto const now = phis_of(after.blocks[b]);
    for (std::size_t i = 0; i + there.size() < now.size(); ++i) {
      std::string type;
      for (std::size_t t = 0; t != end_of_type(now[i]->operands, 0); ++t)
        type += (t == 0 ? "" : " ") + std::string(now[i]->operands[t].text);
      made[b].push_back(shown_name(variable_of_phi(now[i]->result), type));
    }
    std::ranges::sort(made[b]);
  }
  return made;
}

}  // namespace cfg_conformance
