// expect: plait: graph_traits<G>::predecessors(g, n) is there, but returns another type; wanted: a range whose elements convert to node_t<G>
#include <cstddef>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 0; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<int> predecessors(int) const { return {}; }
#else
  std::vector<std::string> predecessors(int) const { return {}; }
#endif
};
PLAIT_CHECK_FLOW_GRAPH(graph);
