// expect: plait: graph_traits<G>::successors(g, n) is there, but cannot be called like this; wanted: successors(g, n), a range whose elements convert to node_t<G>
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 0; }
  int entry() const { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<int> successors(int) const { return {}; }
#else
  std::vector<int> successors(int, int) const { return {}; }
#endif
};
PLAIT_CHECK_FLOW_GRAPH(graph);
