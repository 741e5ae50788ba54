// Loop nesting forests: plait's, natural and irreducible, and LLVM 14's LoopInfo, natural only, from a dominator tree
// of the same blocks. LLVM keeps a list of blocks for each loop, which makes it quadratic for the nest.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/loops.hpp>

#include "rivals.hpp"

#ifdef PLAIT_BENCH_LLVM
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopInfoImpl.h>

#include "llvm_graph.hpp"

namespace foreign {

class loop : public llvm::LoopBase<block, loop> {
  friend class llvm::LoopInfoBase<block, loop>;
  friend class llvm::LoopBase<block, loop>;
  explicit loop(block* header) : LoopBase(header) {}
  loop() = default;
};

}  // namespace foreign

template <>
struct llvm::GraphTraits<llvm::DomTreeNodeBase<foreign::block>*>
    : llvm::DomTreeGraphTraitsBase<llvm::DomTreeNodeBase<foreign::block>,
                                   llvm::DomTreeNodeBase<foreign::block>::const_iterator> {};
template <>
struct llvm::GraphTraits<llvm::DomTreeNodeBase<foreign::block> const*>
    : llvm::DomTreeGraphTraitsBase<llvm::DomTreeNodeBase<foreign::block> const,
                                   llvm::DomTreeNodeBase<foreign::block>::const_iterator> {};
#endif

namespace {

struct with_plait {
  foreign::function graph;
  plait::dominator_tree<foreign::function> tree;
  plait::loop_forest<foreign::function> loops;

  explicit with_plait(bench::edges const& from) : graph(from), tree(graph) {}
  void run() { loops.compute(tree); }
  // Checksum on which both must agree: the sum of the natural loops' sizes, or of node numbers where that is too slow.
  std::size_t result() const {
    std::size_t made = 0;
    for (auto const l : loops.all())
      if (!loops.is_irreducible(l)) made += loops.node_count(l);
    return made;
  }
};

#ifdef PLAIT_BENCH_LLVM
struct with_llvm {
  foreign::function graph;
  llvm::DominatorTreeBase<foreign::block, false> tree;
  llvm::LoopInfoBase<foreign::block, foreign::loop> loops;

  explicit with_llvm(bench::edges const& from) : graph(from) {
    tree.recalculate(graph);
    tree.updateDFSNumbers();
  }
  void run() {
    loops.releaseMemory();
    loops.analyze(tree);
  }
  std::size_t result() const {
    std::size_t made = 0;
    for (foreign::loop* l : const_cast<with_llvm*>(this)->loops.getLoopsInPreorder()) made += l->getNumBlocks();
    return made;
  }
};
#endif

template <class Rival>
void add(char const* name, std::size_t nest_limit) {
  bench::shape const shapes[] = {{"random", bench::random_edges},
                                 {"chain", bench::chain_edges},
                                 {"nest", bench::nest_edges, nest_limit},
                                 {"joined functions", bench::joined_functions}};
  bench::add_rival<with_plait, Rival>("loops", name, shapes);
}

[[maybe_unused]] bool const added = [] {
  add<with_plait>("plait", 1'000'000);
#ifdef PLAIT_BENCH_LLVM
  add<with_llvm>("LLVM", 10'000);
#endif
  return true;
}();

}  // namespace
