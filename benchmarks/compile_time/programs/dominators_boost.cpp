#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include <vector>

int main() {
  using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  graph g(4);
  boost::add_edge(0, 1, g);
  boost::add_edge(0, 2, g);
  boost::add_edge(1, 3, g);
  boost::add_edge(2, 3, g);
  std::vector<graph::vertex_descriptor> above(4, graph::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      g, 0, boost::make_iterator_property_map(above.begin(), boost::get(boost::vertex_index, g)));
  return static_cast<int>(above[3]);
}
