// expect: has_successors
#include <cstddef>
#include <vector>

#include <plait/graph/graph_traits.hpp>

// A failed constraint of an algorithm names the one concept that does not hold.
struct graph {
  std::size_t size() const { return 0; }
  int entry() const { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<int> successors(int) const { return {}; }
#endif
};
int algorithm(plait::flow_graph auto const& g) { return plait::entry(g); }
int called = algorithm(graph());
