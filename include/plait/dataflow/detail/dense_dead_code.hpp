// Dead code analysis of a dense_ssa, by number; see dead_code.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/control_dependence.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/post_dominators.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

struct dead_code_options {
  /// Treats loops as dead that have an exit and no effect. Otherwise all branches with an edge that stays in a loop are
  /// live, since termination is undecidable.
  bool remove_loops = false;
};

/// Live ops, phis, blocks and branches of a form. compute() again reuses the memory.
class dense_dead_code {
 public:
  /// Finds live code. essential(op) returns true if an op is live even if nothing reads its outputs.
  template <class Essential>
  constexpr void compute(dense_graph const& g, dense_ssa const& form, Essential essential,
                         dead_code_options const& options = {});

  constexpr bool is_live_op(op_index op) const { return ops_[op] != 0; }
  constexpr bool is_live_phi(phi_index phi) const { return phis_[phi] != 0; }
  /// Returns true if live code depends on whether control reaches the block.
  constexpr bool is_live_block(std::uint32_t block) const { return blocks_[block] != 0; }
  /// Returns true if live code depends on the branch at the end of the block; false for fewer than two successors.
  constexpr bool is_live_branch(std::uint32_t block) const { return branches_[block] != 0; }
  /// Returns, for a block with several successors whose branch is dead, its nearest live post-dominator, to which
  /// control can jump; npos for all other blocks.
  constexpr std::uint32_t jump(std::uint32_t block) const { return jumps_[block]; }

 private:
  constexpr void keep_op(dense_ssa const& form, op_index op) {
    if (std::exchange(ops_[op], char{1}) != 0) return;
    for (value_index const v : form.reads(op)) values_.push_back(v);
    keep_block(form.block_of_op(op));
  }
  constexpr void keep_block(std::uint32_t block) {
    if (std::exchange(blocks_[block], char{1}) == 0) waiting_.push_back(block);
  }
  constexpr void keep_branch(dense_graph const& g, dense_ssa const& form, std::uint32_t block) {
    keep_block(block);
    if (g.successors(block).size() < 2 || std::exchange(branches_[block], char{1}) != 0) return;
    if (!form.ops(block).empty()) keep_op(form, form.first_op[block + 1] - 1);
  }
  constexpr void keep_phi(dense_graph const& g, dense_ssa const& form, phi_index phi);
  constexpr void propagate(dense_graph const& g, dense_ssa const& form);
  constexpr void find_jumps(dense_graph const& g);

  std::vector<char> ops_;
  std::vector<char> phis_;
  std::vector<char> blocks_;
  std::vector<char> branches_;
  std::vector<std::uint32_t> jumps_;
  std::vector<value_index> values_;     // live, their definitions not visited
  std::vector<std::uint32_t> waiting_;  // live, their controlling branches not visited
  post_dominator_tree<dense_graph>
      tree_;  // like control_, refers to the graph of the last compute(): not queried later
  control_dependence<dense_graph> control_;
};

// A phi's value depends on the incoming edge, so the branches that choose that edge are live.
constexpr void dense_dead_code::keep_phi(dense_graph const& g, dense_ssa const& form, phi_index phi) {
  if (std::exchange(phis_[phi], char{1}) != 0) return;
  std::uint32_t const block = form.block_of_phi(phi);
  auto const arguments = form.arguments(phi);
  auto const entering = g.predecessors(block);
  keep_block(block);
  for (value_index const v : arguments) values_.push_back(v);
  for (std::size_t i = 0; i != entering.size(); ++i) {
    keep_block(entering[i]);
    // Parallel edges are adjacent.
    if (i != 0 && entering[i] == entering[i - 1] && arguments[i] != arguments[i - 1]) keep_branch(g, form, entering[i]);
  }
}

constexpr void dense_dead_code::propagate(dense_graph const& g, dense_ssa const& form) {
  while (true) {
    if (!values_.empty()) {
      ssa_site const made = form.definition(values_.back());
      values_.pop_back();
      if (made.is_op()) keep_op(form, made.op());
      if (made.is_phi()) keep_phi(g, form, made.phi());
    } else if (!waiting_.empty()) {
      std::uint32_t const block = waiting_.back();
      waiting_.pop_back();
      for (std::uint32_t const branch : control_.controllers(block)) keep_branch(g, form, branch);
    } else {
      break;
    }
  }
}

// Walks the post-dominator tree down from its roots, which are live. A dead branch has a live post-dominator: a branch
// with paths to two roots is live.
constexpr void dense_dead_code::find_jumps(dense_graph const& g) {
  jumps_.assign(g.size(), npos);
  for (std::uint32_t const block : tree_.preorder()) {
    std::optional<std::uint32_t> const above = tree_.idom(block);
    if (above) jumps_[block] = blocks_[*above] != 0 ? *above : jumps_[*above];
  }
  for (std::uint32_t block = 0; block != g.size(); ++block)
    if (g.successors(block).size() < 2 || branches_[block] != 0) jumps_[block] = npos;
}

template <class Essential>
constexpr void dense_dead_code::compute(dense_graph const& g, dense_ssa const& form, Essential essential,
                                        dead_code_options const& options) {
  PLAIT_ASSERT(g.size() == form.block_count(), "dead_code: graph and form have different numbers of blocks");
  tree_.compute(g);
  control_.compute(tree_);
  ops_.assign(form.op_count(), 0);
  phis_.assign(form.phi_count(), 0);
  blocks_.assign(g.size(), 0);
  branches_.assign(g.size(), 0);
  for (std::uint32_t const root : tree_.roots()) keep_block(root);
  for (std::uint32_t block = 0; block != g.size(); ++block) {
    for (op_index const op : form.ops(block))
      if (essential(op)) keep_op(form, op);
    for (value_index const v : form.results(block)) values_.push_back(v);
    // Every cycle has an edge that leads to a lower number, or to its own node.
    if (options.remove_loops) continue;
    for (std::uint32_t const to : g.successors(block))
      if (to <= block) keep_branch(g, form, block);
  }
  propagate(g, form);
  find_jumps(g);
}

}  // namespace plait
