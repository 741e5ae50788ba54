// The shortest adaptations there are: none for a struct of vectors, one small struct for a vector of vectors.
#include <iostream>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plain {
struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
};
}  // namespace plain
PLAIT_CHECK_NET(plain::net);

using adjacency = std::vector<std::vector<int>>;
template <>
struct plait::graph_traits<adjacency> {
  static std::size_t size(adjacency const& g) { return g.size(); }
  static int entry(adjacency const&) { return 0; }
  static auto const& successors(adjacency const& g, int n) { return g[static_cast<std::size_t>(n)]; }
};
PLAIT_CHECK_FLOW_GRAPH(adjacency);

int main() {
  plain::net const net = {{{"Mul", {"x", "w"}, {"y"}}, {"Relu", {"y"}, {"y"}}}};
  std::cout << "y ends as version " << plait::get_ssa(net).version("y") << '\n';

  adjacency const diamond = {{1, 2}, {3}, {3}, {}};
  int const first = plait::entry(diamond);
  for (int n : plait::successors(diamond, first)) std::cout << "0 -> " << n << '\n';
}
