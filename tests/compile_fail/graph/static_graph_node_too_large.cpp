// expect: static_graph_node_number_at_or_above_max_nodes
#include <plait/graph/static_graph.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr plait::static_graph graph({{0, 2}});
#else
constexpr plait::static_graph graph({{0, 3}});
#endif
