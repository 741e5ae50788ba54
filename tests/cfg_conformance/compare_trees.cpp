#include "compare_trees.hpp"

#include <algorithm>
#include <set>

namespace cfg_conformance {

namespace {

std::string list(function_graph const& f, std::set<std::uint32_t> const& blocks) {
  std::string made;
  for (std::uint32_t const b : blocks) made += (made.empty() ? "" : " ") + shown(f, b);
  return made;
}

}  // namespace

std::vector<std::string> tree_differences(function_graph const& f, printed_tree const& printed,
                                          std::vector<tree_place> const& own,
                                          std::vector<std::uint32_t> const& own_roots) {
  std::vector<std::string> made;
  std::vector<bool> seen(f.size());
  auto const name = [&](std::optional<std::uint32_t> block) { return block ? shown(f, *block) : "nothing"; };
  for (printed_node const& node : printed.nodes) {
    if (!node.label) continue;
    auto const block = f.find(*node.label);
    if (!block) {
      made.push_back("LLVM has block %" + *node.label + ", which the flow graph lacks");
      continue;
    }
    if (seen[*block]) {
      made.push_back("LLVM has block " + shown(f, *block) + " twice");
      continue;
    }
    seen[*block] = true;
    std::optional<std::uint32_t> above;
    if (node.parent != no_parent)
      if (auto const& label = printed.nodes[node.parent].label; label) above = f.find(*label);
    if (!own[*block].contained)
      made.push_back(shown(f, *block) + " is below " + name(above) + " in LLVM's tree, not in plait's tree at all");
    else if (own[*block].above != above)
      made.push_back(shown(f, *block) + " is below " + name(above) + " in LLVM's tree, below " +
                     name(own[*block].above) + " in plait's");
  }
  for (std::uint32_t b = 0; b != f.size(); ++b)
    if (own[b].contained && !seen[b])
      made.push_back(shown(f, b) + " is below " + name(own[b].above) + " in plait's tree, not in LLVM's tree at all");

  std::set<std::uint32_t> roots;
  for (std::string const& label : printed.roots) {
    if (auto const block = f.find(label))
      roots.insert(*block);
    else
      made.push_back("LLVM has root %" + label + ", which the flow graph lacks");
  }
  std::set<std::uint32_t> const expected(own_roots.begin(), own_roots.end());
  if (roots != expected) made.push_back("LLVM's roots are " + list(f, roots) + ", plait's " + list(f, expected));
  return made;
}

}  // namespace cfg_conformance
