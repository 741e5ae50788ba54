// expect: plait: graph_traits<G>::predecessors(g, n) is there, but cannot be called like this; wanted: predecessors(g, n), a range whose elements convert to node_t<G>
// expect: plait: graph_traits<G>::nodes(g) is there, but cannot be called like this; wanted: nodes(g), a range whose elements convert to node_t<G>
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 1; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<int> predecessors(int) const { return {}; }
  std::vector<int> nodes;  // a data member is not diagnosed: it may have another purpose
#else
  std::vector<int> predecessors() const { return {}; }
  std::vector<int> nodes(int) const { return {}; }
#endif
};
PLAIT_CHECK_FLOW_GRAPH(graph);
