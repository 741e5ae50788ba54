#include <cstddef>
#include <vector>

#include <plait/graph/dominators.hpp>

struct graph {
  std::vector<std::vector<std::size_t>> rows;
  std::size_t size() const { return rows.size(); }
  std::size_t entry() const { return 0; }
  std::vector<std::size_t> const& successors(std::size_t n) const { return rows[n]; }
};

int main() {
  plait::dominator_tree const tree(graph{{{1, 2}, {3}, {3}, {}}});
  return static_cast<int>(*tree.idom(3));
}
