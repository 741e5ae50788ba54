// Comparison of dominator and post-dominator trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare.hpp"

namespace cfg_conformance {

/// Where plait has a block: in the tree, below which block (none: below nothing, or below the virtual exit).
struct tree_place {
  bool contained = false;
  std::optional<std::uint32_t> above;
};

/// In the order of LLVM's text, then blocks that only plait has. `own` is by block. Roots are compared as sets.
[[nodiscard]] std::vector<std::string> tree_differences(function_graph const& f, printed_tree const& printed,
                                                        std::vector<tree_place> const& own,
                                                        std::vector<std::uint32_t> const& own_roots);

}  // namespace cfg_conformance
