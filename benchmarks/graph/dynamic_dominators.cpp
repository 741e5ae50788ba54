// Dynamic dominator trees: updates under edits of the graph, as in a compiler: an edge is inserted, then erased again.
//
// The graph consists of real functions; the edges lead from a node to one near it, forwards or backwards. LLVM 14 runs
// the same algorithm on the same blocks. "compute" recomputes the whole tree after each edit.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/dynamic_dominators.hpp>

#include "graphs.hpp"

#ifdef PLAIT_BENCH_LLVM
#include "llvm_graph.hpp"
#endif

namespace {

using edit = std::pair<foreign::block*, foreign::block*>;

std::vector<edit> make_edits(foreign::function const& f) {
  std::mt19937 random(3);
  std::vector<edit> made;
  std::size_t const count = f.blocks.size();
  while (made.size() != 1000) {
    std::size_t const from = random() % count;
    std::size_t const to = from + random() % 40;
    if (to < 20 || to - 20 >= count || to == from + 20) continue;
    made.emplace_back(f.blocks[from].get(), f.blocks[to - 20].get());
  }
  return made;
}

void connect(edit e) {
  e.first->successors.push_back(e.second);
  e.second->predecessors.push_back(e.first);
}
void disconnect(edit e) {
  e.first->successors.pop_back();
  e.second->predecessors.pop_back();
}

struct with_plait {
  plait::dynamic_dominator_tree<foreign::function> tree;
  explicit with_plait(foreign::function& f) : tree(f) {}
  void inserted(edit e) { tree.insert_edge(e.first, e.second); }
  void deleted(edit e) { tree.delete_edge(e.first, e.second); }
};

struct with_compute {
  foreign::function& function;
  plait::dominator_tree<foreign::function> tree;
  explicit with_compute(foreign::function& f) : function(f) {}
  void inserted(edit) { tree.compute(function); }
  void deleted(edit) { tree.compute(function); }
};

#ifdef PLAIT_BENCH_LLVM
struct with_llvm {
  llvm::DominatorTreeBase<foreign::block, false> tree;
  explicit with_llvm(foreign::function& f) { tree.recalculate(f); }
  void inserted(edit e) { tree.insertEdge(e.first, e.second); }
  void deleted(edit e) { tree.deleteEdge(e.first, e.second); }
};
#endif

template <class Rival>
void edits(benchmark::State& state) {
  bench::edges const from = bench::joined_functions(static_cast<std::size_t>(state.range(0)));
  if (from.nodes <= 1) return state.SkipWithError("no real functions here");
  foreign::function f(from);
  std::vector<edit> const all = make_edits(f);
  Rival rival(f);
  std::size_t next = 0;
  for (auto _ : state) {
    edit const e = all[next++ % all.size()];
    connect(e);
    rival.inserted(e);
    disconnect(e);
    rival.deleted(e);
  }
}

#define PLAIT_BENCH_EDITS(...) \
  BENCHMARK(__VA_ARGS__)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond)
PLAIT_BENCH_EDITS(edits<with_plait>)->Name("edits of the graph/plait, blocks");
#ifdef PLAIT_BENCH_LLVM
PLAIT_BENCH_EDITS(edits<with_llvm>)->Name("edits of the graph/LLVM, blocks");
#endif
PLAIT_BENCH_EDITS(edits<with_compute>)->Name("edits of the graph/plait, compute, blocks");

}  // namespace
