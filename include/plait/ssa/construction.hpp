// SSA construction for programs: versions of blobs, and phis at joins of control flow (Cytron et al. 1991).
//
//   plait::program_ssa ssa(f);
//   for (auto* block : ssa.graph().order())
//     for (auto const& phi : ssa.phis(block)) …  // phi.result(), phi.arguments()
//
// The result is a side table; the program is read only. Phi placement is specified in phi_placement.hpp; renaming is
// one walk down the dominator tree, without recursion. O(operands + edges + phi arguments) beyond the placement;
// compute() again allocates only what the program has grown by. On a program of one node the versions are those of
// get_ssa (versioning.hpp). Blocks that the entry does not reach are not in the result.
//
// Version 0 of a blob is its value on entry. A read before any write reads version 0, which undefined_uses reports
// unless the program declares the blob as external input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/ssa/detail/dense_construction.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

struct construction_options {
  phi_pruning pruning = phi_pruning::pruned;
};

/// SSA form of a program, as of the last compute(). Refers to the program, which must not move. Ops are numbers (op()),
/// those of the snapshot.
template <program P>
class program_ssa {
 public:
  using node = node_t<P>;
  using key_type = program_key_t<P>;

  constexpr program_ssa() = default;
  constexpr explicit program_ssa(P const& p, construction_options const& options = {}) { compute(p, options); }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  program_ssa(P const&&, construction_options const& = {}) = delete;

  constexpr void compute(P const& p, construction_options const& options = {}) {
    snapshot_.compute(p);
    tree_.compute(graph());
    form_.compute(graph(), tree_, snapshot_.code(), options.pruning);
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  void compute(P const&&, construction_options const& = {}) = delete;

  // ---- by number
  constexpr program_snapshot<P> const& snapshot() const noexcept { return snapshot_; }
  constexpr flow_snapshot<P> const& graph() const noexcept { return snapshot_.graph(); }
  constexpr dense_dominators const& dominators() const noexcept { return tree_; }
  constexpr dense_construction const& form() const noexcept { return form_; }

  // ---- ops
  /// Returns the number of the `place`-th op of a block.
  constexpr op_index op(node const& block, std::size_t place) const { return snapshot_.op(block, place); }
  constexpr auto reads(op_index op) const { return versions(form_.reads(op)); }
  constexpr auto writes(op_index op) const { return versions(form_.writes(op)); }
  /// Returns the program results if the program ends in the block.
  constexpr auto results(node const& block) const { return versions(form_.results(graph().reached_number(block))); }

  // ---- phis
  class phi {
   public:
    constexpr phi(program_ssa const& form, phi_index index) : form_(&form), index_(index) {}
    constexpr phi_index index() const noexcept { return index_; }
    constexpr value result() const { return form_->form_.version(form_->form_.result(index_)); }
    /// Returns one argument for each of predecessors(), and for a phi of the entry a last one, the value on entry.
    constexpr auto arguments() const { return form_->versions(form_->form_.arguments(index_)); }
    constexpr node const& block() const { return form_->graph().node(form_->form_.block_of_phi(index_)); }
    constexpr auto predecessors() const {
      return std::views::transform(form_->graph().predecessors(form_->form_.block_of_phi(index_)),
                                   [form = form_](std::uint32_t b) -> node const& { return form->graph().node(b); });
    }

   private:
    program_ssa const* form_;
    phi_index index_;
  };
  /// Returns the phis of a block, in blob order. Precondition: the entry reaches the block.
  constexpr auto phis(node const& block) const {
    return std::views::transform(form_.phis(graph().reached_number(block)),
                                 [this](phi_index i) { return phi(*this, i); });
  }
  constexpr std::size_t phi_count() const noexcept { return form_.phi_count(); }

  // ---- blobs and values
  constexpr key_type name(blob_index b) const { return snapshot_.name(b); }
  constexpr key_type name(value v) const { return name(v.blob); }
  /// Returns the blob of a name, npos if no reachable block mentions it.
  template <class Key>
  constexpr blob_index find(Key const& key) const {
    blob_index const b = snapshot_.find(key);
    return b != npos && form_.occurs(b) ? b : npos;
  }
  constexpr bool contains(value v) const { return form_.contains(v); }
  /// Returns the op or phi that defines a value; neither for version 0.
  constexpr ssa_site definition(value v) const { return form_.definition(form_.index(v)); }
  /// Returns the uses of a value: phis first, then ops in order.
  constexpr std::span<ssa_use const> uses(value v) const { return form_.uses(form_.index(v)); }

  /// Returns the ops' reads of version 0 of blobs that are no external inputs: no path to them writes the blob. In op
  /// order. O(operands).
  constexpr std::vector<ssa_use> undefined_uses() const { return undefined(false); }
  /// Returns these and, through phis, reads that are of version 0 on some path. O(operands + phi arguments).
  constexpr std::vector<ssa_use> possibly_undefined_uses() const { return undefined(true); }

 private:
  constexpr auto versions(std::span<value_index const> values) const {
    return std::views::transform(values, [this](value_index v) { return form_.version(v); });
  }
  constexpr std::vector<ssa_use> undefined(bool through_phis) const;

  program_snapshot<P> snapshot_;
  dense_dominators tree_;
  dense_construction form_;
};

template <program P>
constexpr std::vector<ssa_use> program_ssa<P>::undefined(bool through_phis) const {
  std::vector<char> is_undefined(form_.value_count(), 0);
  std::vector<value_index> waiting;
  for (blob_index b = 0; b != form_.blob_count(); ++b)
    if (form_.occurs(b)) waiting.push_back(form_.index({b, 0}));
  for (value_index const v : waiting) is_undefined[v] = 1;
  for (blob_index const b : snapshot_.code().external_inputs()) is_undefined[form_.index({b, 0})] = 0;
  std::erase_if(waiting, [&](value_index v) { return is_undefined[v] == 0; });
  while (through_phis && !waiting.empty()) {
    value_index const v = waiting.back();
    waiting.pop_back();
    for (ssa_use const& use : form_.uses(v)) {
      if (!use.site.is_phi()) continue;
      value_index const merged = form_.result(use.site.phi());
      if (is_undefined[merged] != 0) continue;
      is_undefined[merged] = 1;
      waiting.push_back(merged);
    }
  }
  std::vector<ssa_use> found;
  for (op_index op = 0; op != form_.op_count(); ++op) {
    std::uint32_t slot = 0;
    for (value_index const v : form_.reads(op)) {
      if (is_undefined[v] != 0) found.push_back({ssa_site::of_op(op), slot});
      ++slot;
    }
  }
  return found;
}

}  // namespace plait
