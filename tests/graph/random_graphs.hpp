// Random flow graphs for tests against oracles: small, of all shapes that commonly break graph algorithms.
//
//   for (unsigned seed = 0; seed != 10'000; ++seed) {
//     CAPTURE(seed);
//     test::graph_description const g = test::random_flow_graph(seed);
#pragma once

#include <cstddef>
#include <random>
#include <utility>

#include <graph/graph_description.hpp>

namespace test {

/// Returns a random graph of 1 to `most` nodes. By the seed: scattered edges (sparse and dense), nested and crossing
/// loops over a chain, layers, structured code with gotos into loops. Self-loops, parallel edges, several exits,
/// infinite loops and unreachable nodes occur in all of them; so do irreducible loops.
[[nodiscard]] inline graph_description random_flow_graph(unsigned seed, std::size_t most = 24) {
  std::mt19937 random(seed);
  auto const below = [&](std::size_t n) { return static_cast<int>(random() % n); };
  graph_description made;
  std::size_t const n = made.nodes = 1 + random() % most;
  auto const connect = [&](int from, int to) { made.edges.emplace_back(from, to); };
  auto const scatter = [&](std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
      int const from = below(n);
      connect(from, below(n));
    }
  };
  auto const chain = [&](unsigned gap) {
    for (int i = 1; i < static_cast<int>(n); ++i)
      if (gap == 0 || random() % gap != 0) connect(i - 1, i);
  };

  switch (seed % 6) {
    case 0:
      scatter(n + random() % (n + 1));
      break;
    case 1:
      scatter(3 * n);
      break;
    case 2:  // a chain with edges back and forth
      chain(0);
      scatter(random() % (n + 1));
      break;
    case 3:  // back edges only: nested loops, and those that share a header
      chain(0);
      for (std::size_t i = random() % (n + 1); i != 0; --i) {
        int const from = below(n);
        connect(from, below(static_cast<std::size_t>(from) + 1));
      }
      for (std::size_t i = random() % 3; i != 0; --i) scatter(1);
      break;
    case 4: {  // layers, each node with edges to the next one or two
      std::size_t const width = 1 + random() % 4;
      for (std::size_t i = 0; i != n; ++i)
        for (std::size_t k = random() % 4; k != 0; --k) {
          std::size_t const to = (i / width + 1) * width + random() % (2 * width);
          if (to < n) connect(static_cast<int>(i), static_cast<int>(to));
        }
      if (n > 1) connect(0, 1);
      scatter(random() % 3);
      break;
    }
    case 5:  // a chain with gaps: unreachable nodes with edges to reachable ones
      chain(5);
      scatter(1 + n / 2);
      break;
  }
  if (random() % 4 == 0) {
    int const loop = below(n);
    connect(loop, loop);
  }
  if (!made.edges.empty() && random() % 4 == 0) made.edges.push_back(made.edges[random() % made.edges.size()]);
  return made;
}

}  // namespace test
