#include "printed.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace cfg_conformance {

namespace {

// Returns the function of a header "Printing analysis 'Dominator Tree Construction' for function 'f':", which opt
// -analyze writes before each result.
std::optional<std::string> analysis_header(std::string_view line) {
  constexpr std::string_view before = "' for function '";
  if (!line.starts_with("Printing analysis '") || !line.ends_with("':")) return std::nullopt;
  std::size_t const at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t const first = at + before.size();
  return std::string(line.substr(first, line.size() - 2 - first));
}

// Checks that each function occurs in one contiguous block.
class function_names {
 public:
  void begin(line_reader const& lines, std::string const& name) {
    if (!names_.insert(name).second) lines.fail("a second result for function '" + name + "'");
  }

 private:
  std::set<std::string> names_;
};

// The ancestors of the node being read, by depth.
class open_path {
 public:
  // Returns the parent of a node at `depth` (the root's is 1), which becomes number `self`.
  std::uint32_t enter(line_cursor const& line, std::size_t depth, std::size_t self) {
    if (depth == 0 || depth > path_.size() + 1) line.fail("depth " + std::to_string(depth) + " without its parent");
    path_.resize(depth - 1);
    std::uint32_t const parent = path_.empty() ? no_parent : path_.back();
    path_.push_back(static_cast<std::uint32_t>(self));
    return parent;
  }
  void clear() { path_.clear(); }

 private:
  std::vector<std::uint32_t> path_;
};

constexpr std::string_view exit_node = "<<exit node>>";

}  // namespace

std::vector<printed_tree> read_trees(document const& from, tree_kind kind) {
  bool const post = kind == tree_kind::post_dominators;
  std::string_view const title = post ? "PostDominatorTree for function: " : "DominatorTree for function: ";
  std::vector<printed_tree> made;
  function_names names;
  std::unordered_set<std::string> seen;
  open_path above;
  line_reader lines(from);
  while (lines.next()) {
    line_cursor line(lines);
    if (analysis_header(line.rest()) || line.rest().starts_with("=====")) continue;
    if (line.accept(title)) {
      names.begin(lines, std::string(line.rest()));
      made.push_back({std::string(line.rest()), lines.number(), {}, {}});
      seen.clear();
      above.clear();
      continue;
    }
    line.skip_blanks();
    if (line.rest().empty()) continue;
    if (made.empty()) lines.fail("expected '" + std::string(title) + "'");
    printed_tree& tree = made.back();
    if (line.accept("Inorder ")) {
      if (line.rest().starts_with("PostDominator") != post) lines.fail("another kind of tree");
    } else if (line.accept("Roots:")) {
      for (line.skip_blanks(); !line.rest().empty(); line.skip_blanks()) tree.roots.push_back(line.local_name());
    } else {
      line.expect("[");
      std::size_t const depth = line.number();
      line.expect("]");
      line.skip_blanks();
      printed_node node{std::nullopt, no_parent, lines.number()};
      if (!line.accept(exit_node)) node.label = line.local_name();
      if (!node.label && (!post || depth != 1))
        lines.fail("the virtual exit can only be the root of a post-dominator tree");
      node.parent = above.enter(line, depth, tree.nodes.size());
      if (depth == 1 && !tree.nodes.empty()) lines.fail("a second root");
      if (node.label && !seen.insert(*node.label).second) lines.fail("a second node for block '" + *node.label + "'");
      tree.nodes.push_back(std::move(node));
      // "{dfs in,dfs out} [level]" is redundant.
      line.skip_blanks();
      line.expect("{");
    }
  }
  return made;
}

std::vector<printed_frontiers> read_frontiers(document const& from) {
  std::vector<printed_frontiers> made;
  function_names names;
  std::unordered_set<std::string> seen;
  line_reader lines(from);
  while (lines.next()) {
    line_cursor line(lines);
    if (analysis_header(line.rest())) continue;
    if (line.accept("DominanceFrontier for function: ")) {
      names.begin(lines, std::string(line.rest()));
      made.push_back({std::string(line.rest()), lines.number(), {}});
      seen.clear();
      continue;
    }
    line.skip_blanks();
    if (line.rest().empty()) continue;
    line.expect("DomFrontier for BB ");
    if (made.empty()) lines.fail("expected 'DominanceFrontier for function: '");
    printed_frontier row{line.local_name(), {}, lines.number()};
    if (!seen.insert(row.block).second) lines.fail("a second frontier of block '" + row.block + "'");
    line.expect(" is:");
    for (line.skip_blanks(); !line.rest().empty(); line.skip_blanks()) row.frontier.push_back(line.local_name());
    made.back().blocks.push_back(std::move(row));
  }
  return made;
}

std::string const& printed_loop::header() const {
  return std::ranges::find_if(blocks, [](printed_loop_block const& b) { return b.header; })->label;
}

printed_loops read_loops(document const& from) {
  printed_loops made;
  function_names names;
  open_path above;
  line_reader lines(from);
  while (lines.next()) {
    line_cursor line(lines);
    std::optional<std::string> function = analysis_header(line.rest());
    if (line.accept("Loop info for function '")) {
      if (!line.rest().ends_with("':")) lines.fail("expected \"':\" at the end of the line");
      function = line.rest().substr(0, line.rest().size() - 2);
    }
    if (function) {
      if (!made.has_headers && !made.loops.empty()) lines.fail("the loops above belong to no function");
      names.begin(lines, *function);
      made.has_headers = true;
      made.functions.push_back(*std::move(function));
      above.clear();
      continue;
    }
    line.skip_blanks();
    if (line.rest().empty()) continue;
    line.accept("Parallel ");
    line.expect("Loop at depth ");
    printed_loop loop;
    std::size_t const depth = line.number();
    loop.parent = above.enter(line, depth, made.loops.size());
    loop.depth = static_cast<std::uint32_t>(depth);
    loop.line = lines.number();
    if (made.has_headers) loop.function = made.functions.back();
    line.expect(" containing: ");
    std::unordered_set<std::string> seen;
    do {
      printed_loop_block block{line.local_name()};
      for (;;)
        if (line.accept("<header>"))
          block.header = true;
        else if (line.accept("<latch>"))
          block.latch = true;
        else if (line.accept("<exiting>"))
          block.exiting = true;
        else
          break;
      if (!seen.insert(block.label).second) lines.fail("block '" + block.label + "' twice in a loop");
      loop.blocks.push_back(std::move(block));
    } while (line.accept(","));
    line.end();
    auto const headers = std::ranges::count_if(loop.blocks, [](printed_loop_block const& b) { return b.header; });
    if (headers != 1) lines.fail("a loop has one header, not " + std::to_string(headers));
    made.loops.push_back(std::move(loop));
  }
  return made;
}

}  // namespace cfg_conformance
