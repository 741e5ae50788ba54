// Random programs for tests by oracle and by interpretation: random graphs (graph/random_graphs.hpp) with a few ops in
// each block over a few blobs. interpreter.hpp runs them.
//
//   Const:3 () → x      Copy a → x      Add a b → x      Less a b → x      Swap a b → x y (x = b, y = a)
//   Input () → x        Output a        Branch a: goes to successor number a modulo their count
//
// All values are in 0 … 15. Each block with several successors ends with a Branch; no other block has one.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <plait/ssa/program_traits.hpp>

#include <graph/random_graphs.hpp>
#include <net/test_nets.hpp>

namespace test {

/// A program type that needs no adaptation: struct nets with std::string names, successors by number, entry 0.
struct net_program {
  std::vector<struct_net> blocks;
  std::vector<std::vector<int>> targets;

  std::size_t size() const { return blocks.size(); }
  static int entry() { return 0; }
  std::vector<int> const& successors(int n) const { return targets[static_cast<std::size_t>(n)]; }
  struct_net const& block(int n) const { return blocks[static_cast<std::size_t>(n)]; }
  struct_net& block(int n) { return blocks[static_cast<std::size_t>(n)]; }
};

struct random_program_options {
  std::size_t most_blocks = 10;
  std::size_t most_ops = 4;  ///< in a block, without its Branch
  std::size_t blobs = 5;     ///< a, b, c, …
  bool declared = true;      ///< all blobs are external inputs of the entry; else about half of them
  bool swaps = true;         ///< ops with two outputs
};

[[nodiscard]] inline net_program random_program(unsigned seed, random_program_options const& options = {}) {
  graph_description const shape = random_flow_graph(seed, options.most_blocks);
  std::mt19937 random(seed + 77'777);
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  auto const name = [](std::size_t i) { return std::string(1, static_cast<char>('a' + i)); };
  auto const blob = [&] { return name(below(options.blobs)); };

  net_program made{std::vector<struct_net>(shape.nodes), std::vector<std::vector<int>>(shape.nodes)};
  for (auto [from, to] : shape.edges) made.targets[static_cast<std::size_t>(from)].push_back(to);
  for (std::size_t i = 0; i != options.blobs; ++i)
    if (options.declared || below(2) == 0) made.blocks[0].external_inputs.push_back(name(i));
  for (std::size_t b = 0; b != shape.nodes; ++b) {
    struct_net& net = made.blocks[b];
    for (std::size_t count = below(options.most_ops + 1); count != 0; --count) {
      switch (below(options.swaps ? 8 : 7)) {
        case 0:
          net.ops.push_back({"Const:" + std::to_string(below(4)), {}, {blob()}});
          break;
        case 1:
          net.ops.push_back({"Input", {}, {blob()}});
          break;
        case 2:
          net.ops.push_back({"Output", {blob()}, {}});
          break;
        case 3:
          net.ops.push_back({"Copy", {blob()}, {blob()}});
          break;
        case 4:
        case 5:
          net.ops.push_back({"Add", {blob(), blob()}, {blob()}});
          break;
        case 6:
          net.ops.push_back({"Less", {blob(), blob()}, {blob()}});
          break;
        default: {
          std::size_t const x = below(options.blobs);
          std::size_t const y = (x + 1) % options.blobs;
          net.ops.push_back({"Swap", {blob(), blob()}, {name(x), name(y)}});
        }
      }
    }
    if (made.targets[b].size() > 1) net.ops.push_back({"Branch", {blob()}, {}});
    if (made.targets[b].empty())
      for (std::size_t i = 0; i != options.blobs; ++i)
        if (below(2) == 0) net.external_outputs.push_back(name(i));
  }
  return made;
}

}  // namespace test
