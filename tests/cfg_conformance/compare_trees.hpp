// Comparison of dominator and post-dominator trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare.hpp"

namespace cfg_conformance {

/// The position of a block in plait's tree: contained or not, and its parent (none: a root, or a child of the virtual
/// exit).
struct tree_place {
  bool contained = false;
  std::optional<std::uint32_t> above;
};

/// Returns the differences in the order of LLVM's text, then blocks that only plait has. `own` is by block. Compares
/// roots as sets.
[[nodiscard]] std::vector<std::string> tree_differences(function_graph const& f, printed_tree const& printed,
                                                        std::vector<tree_place> const& own,
                                                        std::vector<std::uint32_t> const& own_roots);

}  // namespace cfg_conformance
