#include <string>
#include <vector>

#include <plait/graph/post_dominators.hpp>

#include "compare.hpp"
#include "compare_trees.hpp"

namespace cfg_conformance {

comparison compare_post_dominators(std::vector<function_graph> const& graphs,
                                   std::vector<printed_tree> const& printed) {
  plait::post_dominator_tree<function_graph> tree;
  return compare_functions<printed_tree>(graphs, printed, [&](function_graph const& f, printed_tree const& p) {
    tree.compute(f);
    std::vector<tree_place> own(f.size());
    for (std::uint32_t b = 0; b != f.size(); ++b) own[b] = {tree.contains(b), tree.idom(b)};
    auto const roots = tree.roots();
    return tree_differences(f, p, own, {roots.begin(), roots.end()});
  });
}

}  // namespace cfg_conformance
