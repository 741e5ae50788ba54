// expect: successors_is_there_but_not_for_a_const_graph
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

struct graph {
  std::size_t size() const { return 0; }
  int entry() const { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<int> successors(int) const { return {}; }
#else
  std::vector<int> successors(int) { return {}; }
#endif
};
int algorithm(plait::flow_graph auto const& g) { return plait::entry(g); }
int called = algorithm(graph());
