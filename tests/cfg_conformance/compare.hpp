// Comparisons of plait's analyses with LLVM's: one function per analysis and module, each in its own file.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "readers/flow_graphs.hpp"
#include "readers/printed.hpp"
#include "report.hpp"

namespace cfg_conformance {

[[nodiscard]] comparison compare_dominators(std::vector<function_graph> const& graphs,
                                            std::vector<printed_tree> const& printed);
[[nodiscard]] comparison compare_post_dominators(std::vector<function_graph> const& graphs,
                                                 std::vector<printed_tree> const& printed);
[[nodiscard]] comparison compare_frontiers(std::vector<function_graph> const& graphs,
                                           std::vector<printed_frontiers> const& printed);
[[nodiscard]] comparison compare_loops(std::vector<function_graph> const& graphs, printed_loops const& printed);
/// Compares phi placement with that of mem2reg: M.ll and M.mem2reg.ll.
[[nodiscard]] comparison compare_phis(document const& before, document const& after);

/// Pairs each function with its printed result. A function without a result, or a result without a function, counts as
/// different.
template <class Printed>
[[nodiscard]] comparison compare_functions(
    std::vector<function_graph> const& graphs, std::vector<Printed> const& printed,
    std::function<std::vector<std::string>(function_graph const&, Printed const&)> const& compare) {
  comparison made;
  std::unordered_map<std::string, Printed const*> results;
  for (Printed const& p : printed) results.emplace(p.function, &p);
  std::unordered_set<std::string> names;
  for (function_graph const& f : graphs) {
    names.insert(f.name());
    auto const result = results.find(f.name());
    if (result == results.end())
      made.add(f.name(), {"LLVM's results do not have this function"});
    else
      made.add(f.name(), compare(f, *result->second));
  }
  for (Printed const& p : printed)
    if (!names.contains(p.function)) made.add(p.function, {"only LLVM's results have this function"});
  return made;
}

/// Returns the name of a block in differences.
[[nodiscard]] inline std::string shown(function_graph const& f, std::uint32_t block) { return '%' + f.label(block); }

}  // namespace cfg_conformance
