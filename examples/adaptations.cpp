// Minimal adaptations: none for a struct of vectors, a view for a vector of vectors.
#include <iostream>
#include <string>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/views.hpp>
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

int main() {
  plain::net const net = {{{"Mul", {"x", "w"}, {"y"}}, {"Relu", {"y"}, {"y"}}}};
  std::cout << "y ends as version " << plait::get_ssa(net).version("y") << '\n';

  std::vector<std::vector<int>> const rows = {{1, 2}, {3}, {3}, {}};
  plait::adjacency_view const diamond(rows);
  plait::dominator_tree const tree(diamond);
  std::cout << "every path to 3 leads through " << *tree.idom(3) << '\n';
  return tree.idom(3) == 0 ? 0 : 1;
}
