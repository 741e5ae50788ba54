// Flow graphs for the benchmarks, in the representations of plait and its rivals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/graph/graph_traits.hpp>

namespace bench {

/// Node 0 is the entry.
struct edges {
  std::size_t nodes = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list = {};
};

/// Random graph with two edges per node, the first of them from an earlier node, so that all nodes are reachable.
[[nodiscard]] inline edges random_edges(std::size_t nodes) {
  std::mt19937 random(1);
  edges made{nodes, {}};
  for (std::size_t n = 1; n != nodes; ++n) {
    made.list.emplace_back(random() % n, n);
    made.list.emplace_back(random() % nodes, random() % nodes);
  }
  return made;
}

/// Layers of 64 nodes, each with two edges to the next layer.
[[nodiscard]] inline edges layered_edges(std::size_t nodes) {
  std::mt19937 random(2);
  edges made{nodes, {}};
  std::size_t const width = 64;
  for (std::size_t n = 1; n != nodes && n <= width; ++n) made.list.emplace_back(0, n);
  for (std::size_t n = 1 + width; n < nodes; ++n) {
    std::size_t const before = (n - 1) / width * width + 1 - width;
    made.list.emplace_back(before + random() % width, n);
    made.list.emplace_back(before + random() % width, n);
  }
  return made;
}

/// A chain with a back edge from the last node to the first.
[[nodiscard]] inline edges chain_edges(std::size_t nodes) {
  edges made{nodes, {}};
  for (std::size_t n = 1; n != nodes; ++n) made.list.emplace_back(n - 1, n);
  made.list.emplace_back(nodes - 1, 0);
  return made;
}

/// A chain of half the nodes; the others are leaves, to which both its ends lead.
[[nodiscard]] inline edges far_leaves_edges(std::size_t nodes) {
  edges made{nodes, {}};
  std::size_t const chain = nodes / 2;
  for (std::size_t n = 1; n != chain; ++n) made.list.emplace_back(n - 1, n);
  for (std::size_t n = chain; n != nodes; ++n) {
    made.list.emplace_back(chain - 1, n);
    made.list.emplace_back(0, n);
  }
  return made;
}

/// A loop nest: headers, then latches from the innermost to the outermost, in sequence.
[[nodiscard]] inline edges nest_edges(std::size_t nodes) {
  std::size_t const loops = nodes / 2;
  edges made{2 * loops, {}};
  for (std::size_t n = 1; n != 2 * loops; ++n) made.list.emplace_back(n - 1, n);
  for (std::size_t n = 0; n != loops; ++n) made.list.emplace_back(2 * loops - 1 - n, n);
  return made;
}

/// Returns the functions in the folder's *.cfg.txt files with at least `least` blocks; none if the folder is missing.
[[nodiscard]] inline std::vector<edges> real_functions(std::size_t least = 0) {
  std::vector<edges> made;
#ifdef PLAIT_BENCH_CFG
  for (char const* name :
       {"bzip2_blocksort", "bzip2_decompress", "lua_lstrlib", "nlohmann_json_parser", "zlib_inflate"}) {
    std::ifstream file(std::string(PLAIT_BENCH_CFG "/") + name + ".cfg.txt");
    for (std::string line, word; std::getline(file, line);) {
      std::istringstream words(line);
      if (line.starts_with('#')) continue;
      if (line.starts_with("func ")) {
        words >> word >> word;
        made.emplace_back();
        words >> made.back().nodes;
        continue;
      }
      std::uint32_t from = 0;
      words >> from >> word >> word;
      for (std::uint32_t to = 0; words >> to;) made.back().list.emplace_back(from, to);
    }
  }
  std::erase_if(made, [&](edges const& e) { return e.nodes < least; });
#else
  static_cast<void>(least);
#endif
  return made;
}

/// Concatenates real functions, repeated until there are enough nodes: each exit of one leads to the next.
[[nodiscard]] inline edges joined_functions(std::size_t nodes) {
  std::vector<edges> const functions = real_functions();
  edges made;
  for (std::size_t i = 0; !functions.empty() && made.nodes < nodes; ++i) {
    edges const& f = functions[i % functions.size()];
    std::vector<bool> leads_on(f.nodes);
    for (auto [a, b] : f.list) {
      leads_on[a] = true;
      made.list.emplace_back(made.nodes + a, made.nodes + b);
    }
    for (std::size_t n = 0; n != f.nodes; ++n)
      if (!leads_on[n]) made.list.emplace_back(made.nodes + n, made.nodes + f.nodes);
    made.nodes += f.nodes;
  }
  ++made.nodes;
  return made;
}

/// plait's own representation: CSR rows.
class csr_graph {
 public:
  explicit csr_graph(edges const& from) {
    rows_.start_counting(from.nodes);
    for (auto [a, b] : from.list) rows_.count(a);
    rows_.end_counting();
    for (std::size_t i = from.list.size(); i-- != 0;) rows_.place(from.list[i].first, from.list[i].second);
  }
  std::size_t size() const { return rows_.size(); }
  std::uint32_t entry() const { return 0; }
  std::span<std::uint32_t const> successors(std::uint32_t n) const { return rows_[n]; }

 private:
  plait::csr<std::uint32_t> rows_;
};

}  // namespace bench

/// A compiler's representation: blocks that point at each other and at their function.
namespace foreign {

struct function;

struct block {
  function* parent;
  unsigned number;
  std::vector<block*> successors;
  std::vector<block*> predecessors;

  // Members that LLVM requires.
  function* getParent() const { return parent; }
  template <class Out>
  void printAsOperand(Out& out, bool) const {
    out << number;
  }
};

struct function {
  std::vector<std::unique_ptr<block>> blocks;

  block& front() { return *blocks.front(); }  // LLVM requires it
  explicit function(bench::edges const& from) {
    for (std::size_t n = 0; n != from.nodes; ++n)
      blocks.push_back(std::make_unique<block>(block{this, static_cast<unsigned>(n), {}, {}}));
    for (auto [a, b] : from.list) {
      blocks[a]->successors.push_back(blocks[b].get());
      blocks[b]->predecessors.push_back(blocks[a].get());
    }
  }
};

}  // namespace foreign

template <>
struct plait::graph_traits<foreign::function> {
  static std::size_t size(foreign::function const& f) { return f.blocks.size(); }
  static foreign::block* entry(foreign::function const& f) { return f.blocks.front().get(); }
  static auto nodes(foreign::function const& f) {
    return f.blocks | std::views::transform([](auto const& owned) { return owned.get(); });
  }
  static std::vector<foreign::block*> const& successors(foreign::function const&, foreign::block const* b) {
    return b->successors;
  }
  static std::size_t index(foreign::function const&, foreign::block const* b) { return b->number; }
};
