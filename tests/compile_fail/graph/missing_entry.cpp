// expect: plait: graph_traits<G> lacks entry(g), the node where control enters; its (copyable, equality comparable) type becomes node_t<G>
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  int entry() const { return 0; }
#endif
  std::vector<int> successors(int) const { return {}; }
};
PLAIT_CHECK_FLOW_GRAPH(graph);
