#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/frontiers.hpp>

#include "compare.hpp"

namespace cfg_conformance {

namespace {

std::vector<std::string> differences(function_graph const& f, printed_frontiers const& printed,
                                     plait::dominator_tree<function_graph> const& tree,
                                     plait::dominance_frontiers<function_graph> const& own) {
  std::vector<std::string> made;
  std::vector<bool> seen(f.size());
  for (printed_frontier const& row : printed.blocks) {
    auto const block = f.find(row.block);
    if (!block) {
      made.push_back("LLVM has block %" + row.block + ", which the flow graph lacks");
      continue;
    }
    seen[*block] = true;
    auto const mine = own[*block];
    std::set<std::uint32_t> only_mine(mine.begin(), mine.end());
    for (std::string const& label : row.frontier) {
      auto const member = f.find(label);
      if (!member)
        made.push_back("LLVM has block %" + label + ", which the flow graph lacks");
      else if (only_mine.erase(*member) == 0)
        made.push_back("the frontier of " + shown(f, *block) + " has " + shown(f, *member) + " in LLVM only");
    }
    for (std::uint32_t const member : only_mine)
      made.push_back("the frontier of " + shown(f, *block) + " has " + shown(f, member) + " in plait only");
  }
  for (std::uint32_t b = 0; b != f.size(); ++b)
    if (!seen[b] && tree.contains(b)) made.push_back("LLVM has no frontier of " + shown(f, b));
  return made;
}

}  // namespace

comparison compare_frontiers(std::vector<function_graph> const& graphs, std::vector<printed_frontiers> const& printed) {
  plait::dominator_tree<function_graph> tree;
  plait::dominance_frontiers<function_graph> frontiers;
  return compare_functions<printed_frontiers>(graphs, printed,
                                              [&](function_graph const& f, printed_frontiers const& p) {
                                                tree.compute(f);
                                                frontiers.compute(tree);
                                                return differences(f, p, tree, frontiers);
                                              });
}

}  // namespace cfg_conformance
