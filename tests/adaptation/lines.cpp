// Limits on the number of lines that an adaptation takes; each header of this folder states its limit.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>
#include <plait/net/net_traits.hpp>

#include <adaptation/boost_graph.hpp>
#include <adaptation/own_graph.hpp>
#include <adaptation/own_net.hpp>
#include <adaptation/pointer_graph.hpp>
#include <adaptation/pointer_net.hpp>
#include <adaptation/vector_graph.hpp>

// The counted adaptations satisfy the concepts.
PLAIT_CHECK_FLOW_GRAPH(own::graph);
PLAIT_CHECK_FLOW_GRAPH(std::vector<std::vector<int>>);
PLAIT_CHECK_FLOW_GRAPH(cfg::Function);
PLAIT_CHECK_FLOW_GRAPH(boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>);
PLAIT_CHECK_NET(own::net);
PLAIT_CHECK_NET(ir::Function);

namespace {

struct count {
  int lines = 0;
  int limit = 0;
};

// Counts the lines between "// [adaptation: …, at most N lines]" and "// [end]".
std::optional<count> counted(std::string const& file) {
  std::ifstream in(std::filesystem::path(PLAIT_TEST_DATA_DIR).parent_path() / "adaptation" / file);
  std::optional<count> found;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (auto const at = line.find("at most "); line.starts_with("// [adaptation: ") && at != std::string::npos) {
      found = count{0, std::stoi(line.substr(at + 8))};
      inside = true;
    } else if (line == "// [end]") {
      inside = false;
    } else if (inside && !line.empty()) {
      ++found->lines;
    }
  }
  return inside ? std::nullopt : found;
}

}  // namespace

TEST_CASE("adaptation: stays within its limit of lines") {
  struct expectation {
    char const* file;
    int limit;
    int at_least;
  };
  for (auto const& [file, limit, at_least] :
       {expectation{"own_graph.hpp", 0, 0}, expectation{"own_net.hpp", 0, 0}, expectation{"vector_graph.hpp", 5, 3},
        expectation{"pointer_graph.hpp", 7, 3}, expectation{"pointer_net.hpp", 7, 3},
        expectation{"boost_graph.hpp", 0, 0}}) {
    CAPTURE(file);
    auto const found = counted(file);
    REQUIRE(found.has_value());
    CHECK(found->limit == limit);
    CHECK(found->lines <= limit);
    CHECK(found->lines >= at_least);  // the markers enclose code
  }
}
