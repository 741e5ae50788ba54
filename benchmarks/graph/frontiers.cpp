// Iterated dominance frontiers: plait and LLVM 14's IDFCalculator, which both follow Sreedhar and Gao, from a
// dominator tree of the same blocks. "all frontiers" is plait's computation of the frontiers themselves (Cytron et
// al.).
//
// 100 sets of 1 to 8 neighbouring nodes (10 sets above 10,000 nodes), queried one after the other. Preparation for the
// graph counts, the dominator tree and the sets do not. The loop nest is left out where LLVM, or all frontiers, take
// too long: the sum of the frontiers' sizes is quadratic.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/frontiers.hpp>

#include "rivals.hpp"

#ifdef PLAIT_BENCH_LLVM
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/GenericIteratedDominanceFrontier.h>

#include "llvm_graph.hpp"
#endif

namespace {

using node_sets = std::vector<std::vector<std::uint32_t>>;
using block_sets = std::vector<std::vector<foreign::block*>>;

node_sets sets_for(bench::edges const& from) {
  std::mt19937 random(5);
  node_sets made(from.nodes > 10'000 ? 10 : 100);
  for (auto& set : made) {
    std::size_t const base = random() % from.nodes;
    for (std::size_t count = 1 + random() % 8; count != 0; --count)
      set.push_back(static_cast<std::uint32_t>(std::min(from.nodes - 1, base + random() % 32)));
  }
  return made;
}

block_sets block_sets_for(bench::edges const& from, foreign::function const& f) {
  block_sets made;
  for (auto const& set : sets_for(from)) {
    made.emplace_back();
    for (std::uint32_t const n : set) made.back().push_back(f.blocks[n].get());
  }
  return made;
}

struct with_plait {
  foreign::function graph;
  plait::dominator_tree<foreign::function> tree;
  plait::iterated_frontier<foreign::function> frontier;
  block_sets sets;
  std::size_t found = 0;

  explicit with_plait(bench::edges const& from) : graph(from), tree(graph), sets(block_sets_for(from, graph)) {}
  void run() {
    frontier.compute(tree);
    found = 0;
    for (auto const& set : sets)
      for (foreign::block* b : frontier(set)) found += b->number;
  }
  std::size_t result() const { return found; }
};

// Iterates the frontiers to a fixed point.
struct with_all_frontiers {
  foreign::function graph;
  plait::dominator_tree<foreign::function> tree;
  plait::dominance_frontiers<foreign::function> frontiers;
  block_sets sets;
  std::size_t found = 0;
  std::vector<std::uint32_t> seen;
  std::vector<foreign::block*> open;

  explicit with_all_frontiers(bench::edges const& from)
      : graph(from), tree(graph), sets(block_sets_for(from, graph)), seen(from.nodes) {}
  void run() {
    frontiers.compute(tree);
    std::ranges::fill(seen, 0u);
    found = 0;
    std::uint32_t round = 0;
    for (auto const& set : sets) {
      ++round;
      open = set;
      while (!open.empty()) {
        foreign::block* const b = open.back();
        open.pop_back();
        for (foreign::block* member : frontiers[b]) {
          if (seen[member->number] == round) continue;
          seen[member->number] = round;
          found += member->number;
          open.push_back(member);
        }
      }
    }
  }
  std::size_t result() const { return found; }
};

#ifdef PLAIT_BENCH_LLVM
struct with_llvm {
  foreign::function graph;
  llvm::DominatorTreeBase<foreign::block, false> tree;
  std::vector<std::unique_ptr<llvm::SmallPtrSet<foreign::block*, 8>>> sets;
  std::size_t found = 0;

  explicit with_llvm(bench::edges const& from) : graph(from) {
    tree.recalculate(graph);
    for (auto const& set : sets_for(from)) {
      sets.push_back(std::make_unique<llvm::SmallPtrSet<foreign::block*, 8>>());
      for (std::uint32_t const n : set) sets.back()->insert(graph.blocks[n].get());
    }
  }
  void run() {
    llvm::IDFCalculatorBase<foreign::block, false> frontier(tree);
    llvm::SmallVector<foreign::block*, 32> blocks;
    found = 0;
    for (auto const& set : sets) {
      blocks.clear();
      frontier.setDefiningBlocks(*set);
      frontier.calculate(blocks);
      for (foreign::block* b : blocks) found += b->number;
    }
  }
  std::size_t result() const { return found; }
};
#endif

template <class Rival>
void add(char const* name, std::size_t nest_limit) {
  bench::shape const shapes[] = {{"random", bench::random_edges},
                                 {"layered", bench::layered_edges},
                                 {"nest", bench::nest_edges, nest_limit},
                                 {"joined functions", bench::joined_functions}};
  bench::add_rival<with_plait, Rival>("iterated frontier", name, shapes);
}

[[maybe_unused]] bool const added = [] {
  add<with_plait>("plait", 1'000'000);
  add<with_all_frontiers>("plait, all frontiers", 10'000);
#ifdef PLAIT_BENCH_LLVM
  add<with_llvm>("LLVM", 100'000);
#endif
  return true;
}();

}  // namespace
