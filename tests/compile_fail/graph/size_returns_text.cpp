// expect: plait: graph_traits<G>::size(g) is there, but returns another type; wanted: a number above every node's index
#include <cstddef>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::size_t size() const { return 0; }
#else
  std::string size() const { return {}; }
#endif
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
};
PLAIT_CHECK_FLOW_GRAPH(graph);
