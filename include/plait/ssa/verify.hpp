// SSA verifier: returns every violation of SSA form.
//
//   for (plait::ssa_violation const& v : plait::verify_ssa(g, tree, form)) report(plait::describe(v));
//
// In SSA form each value has one definition, which dominates every use: an op's input is defined before the op, and a
// phi's argument, which is used at the end of a predecessor, is defined in a block that dominates that end (Cytron et
// al., TOPLAS 13(4), 1991, pp. 457–459). O(operands + values) time, O(values) space, no recursion. Checks only the
// blocks of the dense_graph, which are those that the entry reaches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

enum class ssa_fault : std::uint8_t {
  misplaced,          ///< numbers of blocks, phis and ops are not consecutive, or the recorded block of a phi or op is
                      ///< not the one that lists it
  unknown_value,      ///< a number that no value has
  undefined_value,    ///< a use of a value that nothing defines and that is no external input
  defined_twice,      ///< a second definition
  wrong_definition,   ///< the recorded definition of a value is another one; site: the recorded one, if nothing
                      ///< defines the value
  argument_count,     ///< a phi does not have one argument for each predecessor; slot: of the missing one (npos there),
                      ///< or the number of arguments
  argument_mismatch,  ///< an argument of no predecessor, or several for one (in IRs that name predecessors)
  use_not_dominated,  ///< an op or program result reads a value that is not defined on every path to it
  argument_not_dominated,  ///< a phi argument is not defined on every path to the end of its predecessor
};

[[nodiscard]] constexpr std::string_view to_string(ssa_fault f) {
  switch (f) {
    case ssa_fault::misplaced:
      return "not in its block";
    case ssa_fault::unknown_value:
      return "no such value";
    case ssa_fault::undefined_value:
      return "use of a value that nothing defines";
    case ssa_fault::defined_twice:
      return "second definition of a value";
    case ssa_fault::wrong_definition:
      return "definition of a value whose recorded definition is another one";
    case ssa_fault::argument_count:
      return "not one argument for each predecessor";
    case ssa_fault::argument_mismatch:
      return "arguments that do not match the predecessors";
    case ssa_fault::use_not_dominated:
      return "use that the definition does not dominate";
    case ssa_fault::argument_not_dominated:
      return "argument whose definition does not dominate the end of its predecessor";
  }
  return {};
}

/// A violation. Blocks, ops, phis and values are numbers of the checked form.
struct ssa_violation {
  ssa_fault fault = ssa_fault::misplaced;
  std::uint32_t block = npos;  ///< the block of the op or phi; npos: form and graph have different numbers of blocks
  ssa_site site;               ///< neither op nor phi: a program result of the block
  std::uint32_t slot = 0;      ///< index of the input, output, argument or result
  value_index value = npos;    ///< npos if the fault is of no value
  friend constexpr bool operator==(ssa_violation const&, ssa_violation const&) = default;
  friend constexpr auto operator<=>(ssa_violation const&, ssa_violation const&) = default;
};

/// Returns a description such as "block 2, phi 1, slot 0, value 7: no such value".
[[nodiscard]] inline std::string describe(ssa_violation const& v) {
  std::string text = v.block == npos ? std::string("program") : "block " + std::to_string(v.block);
  if (v.site.is_phi()) text += ", phi " + std::to_string(v.site.phi());
  if (v.site.is_op()) text += ", op " + std::to_string(v.site.op());
  text += ", slot " + std::to_string(v.slot);
  if (v.value != npos) text += ", value " + std::to_string(v.value);
  return (text += ": ") += to_string(v.fault);
}

namespace detail {

class ssa_verifier {
 public:
  constexpr ssa_verifier(dense_graph const& g, dense_dominators const& tree, dense_ssa const& form)
      : graph_(g), tree_(tree), form_(form) {}

  constexpr std::vector<ssa_violation> run(std::optional<std::span<value_index const>> external_inputs) {
    if (!is_laid_out()) {
      add(ssa_fault::misplaced, npos, {}, 0, npos);
      return std::move(found_);
    }
    find_definitions();
    if (external_inputs) {
      needs_definition_.assign(form_.value_count(), 1);
      for (value_index const v : *external_inputs)
        if (v < form_.value_count()) needs_definition_[v] = 0;
    }
    for (std::uint32_t block = 0; block != form_.block_count(); ++block) check_uses(block);
    return std::move(found_);
  }

 private:
  struct definition {
    ssa_site site;
    std::uint32_t block = npos;
  };

  constexpr void add(ssa_fault fault, std::uint32_t block, ssa_site site, std::uint32_t slot, value_index v) {
    found_.push_back({fault, block, site, slot, v});
  }

  // Returns true if the arrays are consistent enough to walk the form.
  constexpr bool is_laid_out() const {
    auto const covers = [&](auto const& first, std::size_t count) {
      return first.size() == graph_.size() + 1 && first.front() == 0 && first.back() == count &&
             std::ranges::is_sorted(first);
    };
    return covers(form_.first_phi, form_.phi_count()) && covers(form_.first_op, form_.op_count()) &&
           form_.phi_block.size() == form_.phi_count() && form_.phi_arguments.size() == form_.phi_count() &&
           form_.op_block.size() == form_.op_count() && form_.op_writes.size() == form_.op_count() &&
           form_.block_results.size() == form_.block_count();
  }

  constexpr void find_definitions() {
    definitions_.assign(form_.value_count(), definition());
    for (std::uint32_t block = 0; block != form_.block_count(); ++block) {
      for (phi_index const phi : form_.phis(block)) {
        if (form_.block_of_phi(phi) != block) add(ssa_fault::misplaced, block, ssa_site::of_phi(phi), 0, npos);
        define(form_.result(phi), block, ssa_site::of_phi(phi), 0);
      }
      for (op_index const op : form_.ops(block)) {
        if (form_.block_of_op(op) != block) add(ssa_fault::misplaced, block, ssa_site::of_op(op), 0, npos);
        std::uint32_t slot = 0;
        for (value_index const v : form_.writes(op)) define(v, block, ssa_site::of_op(op), slot++);
      }
    }
    for (value_index v = 0; v != form_.value_count(); ++v)
      if (definitions_[v].block == npos && form_.definition(v) != ssa_site())
        add(ssa_fault::wrong_definition, npos, form_.definition(v), 0, v);
  }

  constexpr void define(value_index v, std::uint32_t block, ssa_site site, std::uint32_t slot) {
    if (v >= form_.value_count()) return add(ssa_fault::unknown_value, block, site, slot, v);
    // An op that lists one output twice writes one value in both slots.
    if (definitions_[v].block != npos && definitions_[v].site != site)
      return add(ssa_fault::defined_twice, block, site, slot, v);
    if (definitions_[v].block == npos && form_.definition(v) != site)
      add(ssa_fault::wrong_definition, block, site, slot, v);
    definitions_[v] = {site, block};
  }

  constexpr void check_uses(std::uint32_t block) {
    std::span<std::uint32_t const> const predecessors = graph_.predecessors(block);
    for (phi_index const phi : form_.phis(block)) {
      ssa_site const site = ssa_site::of_phi(phi);
      std::span<value_index const> const arguments = form_.arguments(phi);
      bool const fits = arguments.size() == predecessors.size() + (block == 0 ? 1 : 0);
      if (!fits)
        add(ssa_fault::argument_count, block, site, static_cast<std::uint32_t>(arguments.size()), form_.result(phi));
      for (std::uint32_t slot = 0; slot != arguments.size(); ++slot) {
        value_index const v = arguments[slot];
        if (v == npos && fits) add(ssa_fault::argument_count, block, site, slot, form_.result(phi));
        if (v == npos) continue;
        if (!is_known(v, block, site, slot) || !fits) continue;
        std::uint32_t const made = definitions_[v].block;
        // The last argument of a phi of the entry comes from outside, which no definition dominates.
        bool const reaches = made == npos || (slot < predecessors.size() && tree_.dominates(made, predecessors[slot]));
        if (!reaches) add(ssa_fault::argument_not_dominated, block, site, slot, v);
      }
    }
    for (op_index const op : form_.ops(block)) {
      std::uint32_t slot = 0;
      for (value_index const v : form_.reads(op)) check_use(v, block, ssa_site::of_op(op), slot++);
    }
    std::uint32_t slot = 0;
    for (value_index const v : form_.results(block)) check_use(v, block, ssa_site(), slot++);
  }

  constexpr void check_use(value_index v, std::uint32_t block, ssa_site site, std::uint32_t slot) {
    if (!is_known(v, block, site, slot) || definitions_[v].block == npos) return;
    definition const& made = definitions_[v];
    bool const before = made.block == block ? !site.is_op() || !made.site.is_op() || made.site.op() < site.op()
                                            : tree_.dominates(made.block, block);
    if (!before) add(ssa_fault::use_not_dominated, block, site, slot, v);
  }

  constexpr bool is_known(value_index v, std::uint32_t block, ssa_site site, std::uint32_t slot) {
    if (v >= form_.value_count()) {
      add(ssa_fault::unknown_value, block, site, slot, v);
      return false;
    }
    if (definitions_[v].block == npos && !needs_definition_.empty() && needs_definition_[v] != 0)
      add(ssa_fault::undefined_value, block, site, slot, v);
    return true;
  }

  dense_graph const& graph_;
  dense_dominators const& tree_;
  dense_ssa const& form_;
  std::vector<definition> definitions_;  // by value
  std::vector<char> needs_definition_;   // by value; empty: none does
  std::vector<ssa_violation> found_;
};

}  // namespace detail

/// Returns all violations of a form: first those of definitions, then those of uses, each in block order. `tree` is the
/// dominator tree of `g`. With `external_inputs`, a use of any other value without definition is a violation; without,
/// any value may come from outside. Does not check the index of uses (dense_ssa::uses).
[[nodiscard]] constexpr std::vector<ssa_violation> verify_ssa(
    dense_graph const& g, dense_dominators const& tree, dense_ssa const& form,
    std::optional<std::span<value_index const>> external_inputs = std::nullopt) {
  return detail::ssa_verifier(g, tree, form).run(external_inputs);
}

/// Returns all violations of a constructed form, by the numbers of ssa.graph() and ssa.form().
template <program P>
[[nodiscard]] constexpr std::vector<ssa_violation> verify_ssa(program_ssa<P> const& ssa) {
  return verify_ssa(ssa.graph(), ssa.dominators(), ssa.form());
}

}  // namespace plait
