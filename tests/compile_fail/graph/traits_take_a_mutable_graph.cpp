// expect: plait: graph_traits<G>::successors(g, n) is there, but cannot be called with a const graph
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {};
template <>
struct plait::graph_traits<graph> {
  static std::size_t size(graph const&) { return 0; }
  static int entry(graph const&) { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static std::vector<int> successors(graph const&, int) { return {}; }
#else
  static std::vector<int> successors(graph&, int) { return {}; }
#endif
};
PLAIT_CHECK_FLOW_GRAPH(graph);
