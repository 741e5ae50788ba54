// Dead code by number, see dead_code.hpp.
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
  /// Loops that do nothing and can be left are dead, too. Otherwise all branches that stay in a loop are alive, since a
  /// loop that ends for every input cannot be told from one that does not.
  bool remove_loops = false;
};

/// What of a form is alive. Computing again keeps the memory.
class dense_dead_code {
 public:
  /// essential(op): whether an op is to stay whoever reads it.
  template <class Essential>
  constexpr void compute(dense_graph const& g, dense_ssa const& form, Essential essential,
                         dead_code_options const& options = {});

  constexpr bool is_live_op(op_index op) const { return ops_[op] != 0; }
  constexpr bool is_live_phi(phi_index phi) const { return phis_[phi] != 0; }
  /// Whether it matters that control comes to a block.
  constexpr bool is_live_block(std::uint32_t block) const { return blocks_[block] != 0; }
  /// Whether it matters which way control leaves a block. False if it has one way at most.
  constexpr bool is_live_branch(std::uint32_t block) const { return branches_[block] != 0; }
  /// Where control can go at once from a block with several successors whose branch is dead: the nearest block on all
  /// its ways that is alive. npos for all other blocks.
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
  std::vector<value_index> values_;        // alive, their definitions not looked at
  std::vector<std::uint32_t> waiting_;     // alive, their controllers not looked at
  post_dominator_tree<dense_graph> tree_;  // of the last compute(), as are these: not to be asked later
  control_dependence<dense_graph> control_;
};

// A phi chooses by the edge control comes over, so whatever decides that matters.
constexpr void dense_dead_code::keep_phi(dense_graph const& g, dense_ssa const& form, phi_index phi) {
  if (std::exchange(phis_[phi], char{1}) != 0) return;
  std::uint32_t const block = form.block_of_phi(phi);
  auto const arguments = form.arguments(phi);
  auto const entering = g.predecessors(block);
  keep_block(block);
  for (value_index const v : arguments) values_.push_back(v);
  for (std::size_t i = 0; i != entering.size(); ++i) {
    keep_block(entering[i]);
    // Parallel edges stand side by side.
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

// Up the tree of post-dominators, whose roots are alive; a dead branch has a living one above it, for if ways to two
// roots part in it, it is alive.
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
  PLAIT_ASSERT(g.size() == form.block_count(), "dead_code: graph and form do not belong together");
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
