// expect: plait: graph_traits<G> lacks index(g, n), a dense number below size(g); only graphs with integral nodes can leave it out
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 0; }
  int* entry() const { return nullptr; }
  std::vector<int*> successors(int*) const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::size_t index(int*) const { return 0; }
#endif
};
PLAIT_CHECK_FLOW_GRAPH(graph);
