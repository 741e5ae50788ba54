// expect: it_refers_to_the_graph_so_a_temporary_is_refused
#include <cstddef>
#include <vector>

#include <plait/graph/dominators.hpp>

struct node {
  int number;
  bool operator==(node const&) const = default;
};
struct graph {
  std::size_t size() const { return 1; }
  node entry() const { return {0}; }
  std::vector<node> successors(node) const { return {}; }
  std::size_t index(node n) const { return static_cast<std::size_t>(n.number); }
};
void f() {
  graph const kept;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  plait::dominator_tree const tree(kept);
#else
  plait::dominator_tree const tree(graph{});
#endif
}
