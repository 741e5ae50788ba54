// Readers of LLVM's printed analyses: dominator trees, dominance frontiers, loops. Labels stay labels here; the
// comparison checks whether they name blocks of a function.
//
// The text may come from opt -passes='print<…>' (LLVM 14 and later) or from opt -analyze, whose headers "Printing
// analysis … for function 'f':" are accepted as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text.hpp"

namespace cfg_conformance {

inline constexpr std::uint32_t no_parent = 0xffffffff;

/// A node of a printed tree. The virtual exit of post-dominator trees has no label.
struct printed_node {
  std::optional<std::string> label;
  std::uint32_t parent = no_parent;  ///< index in the list of nodes; parents stand before their children
  std::size_t line = 0;
};

struct printed_tree {
  std::string function;
  std::size_t line = 0;
  std::vector<printed_node> nodes;
  std::vector<std::string> roots;
};

enum class tree_kind { dominators, post_dominators };

/// Reads M.domtree.txt or M.postdomtree.txt. Throws file_error, also for a block that occurs twice and for the other
/// kind of tree.
[[nodiscard]] std::vector<printed_tree> read_trees(document const& from, tree_kind kind);

struct printed_frontier {
  std::string block;
  std::vector<std::string> frontier;
  std::size_t line = 0;
};

struct printed_frontiers {
  std::string function;
  std::size_t line = 0;
  std::vector<printed_frontier> blocks;
};

/// Reads M.domfrontier.txt. Throws file_error.
[[nodiscard]] std::vector<printed_frontiers> read_frontiers(document const& from);

struct printed_loop_block {
  std::string label;
  bool header = false;
  bool latch = false;
  bool exiting = false;
};

struct printed_loop {
  std::optional<std::string> function;  ///< absent in print<loops> of LLVM 14
  std::uint32_t depth = 1;
  std::uint32_t parent = no_parent;  ///< index in the list of loops
  std::vector<printed_loop_block> blocks;
  std::size_t line = 0;

  [[nodiscard]] std::string const& header() const;
};

struct printed_loops {
  std::vector<printed_loop> loops;
  /// With headers: every function that has one, in order, including those without loops.
  std::vector<std::string> functions;
  bool has_headers = false;
};

/// Reads M.loops.txt. Throws file_error, also for a loop without a header or with a wrong depth.
[[nodiscard]] printed_loops read_loops(document const& from);

}  // namespace cfg_conformance
