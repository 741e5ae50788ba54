// Comparison of loop forests. LLVM's LoopInfo contains natural loops only, so plait's irreducible ones are left out and
// depths counted without them.
//
// LLVM 14 prints loops without naming their function. They are in the order of functions, so the text is cut such that
// the maximum number of loops equals plait's (ties: fewest labels unknown to the function): sequence alignment by
// dynamic programming, as in a diff.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/loops.hpp>

#include "compare.hpp"

namespace cfg_conformance {

namespace {

// A loop by block numbers.
struct natural_loop {
  std::uint32_t header = 0;
  std::size_t depth = 1;
  std::optional<std::uint32_t> parent = std::nullopt;  // its header
  std::set<std::uint32_t> blocks = {};
  std::set<std::uint32_t> latches = {};
  std::set<std::uint32_t> exiting = {};
  friend bool operator==(natural_loop const&, natural_loop const&) = default;
};

using loops_by_header = std::map<std::uint32_t, natural_loop>;

loops_by_header natural_loops(function_graph const& f) {
  plait::dominator_tree const tree(f);
  plait::loop_forest const loops(tree);
  loops_by_header made;
  for (auto const l : loops.all()) {
    if (loops.is_irreducible(l)) continue;
    natural_loop loop{loops.header(l)};
    for (auto up = loops.parent(l); up; up = loops.parent(*up)) {
      if (loops.is_irreducible(*up)) continue;
      if (!loop.parent) loop.parent = loops.header(*up);
      ++loop.depth;
    }
    auto const blocks = loops.nodes(l);
    auto const latches = loops.latches(l);
    auto const exiting = loops.exiting(l);
    loop.blocks.insert(blocks.begin(), blocks.end());
    loop.latches.insert(latches.begin(), latches.end());
    loop.exiting.insert(exiting.begin(), exiting.end());
    made.emplace(loop.header, std::move(loop));
  }
  return made;
}

// Returns the loop by block numbers; none if the function lacks one of its blocks.
std::optional<natural_loop> resolved(function_graph const& f, std::vector<printed_loop> const& all, std::size_t at) {
  auto const header = f.find(all[at].header());
  if (!header) return std::nullopt;
  natural_loop made{*header, all[at].depth};
  if (all[at].parent != no_parent) {
    made.parent = f.find(all[all[at].parent].header());
    if (!made.parent) return std::nullopt;
  }
  for (printed_loop_block const& b : all[at].blocks) {
    auto const block = f.find(b.label);
    if (!block) return std::nullopt;
    made.blocks.insert(*block);
    if (b.latch) made.latches.insert(*block);
    if (b.exiting) made.exiting.insert(*block);
  }
  return made;
}

bool has_equal(loops_by_header const& own, natural_loop const& loop) {
  auto const mine = own.find(loop.header);
  return mine != own.end() && mine->second == loop;
}

// A range of the printed loops, first … last - 1.
struct loop_range {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Groups the loops: an outermost loop and those nested in it belong to one function.
std::vector<loop_range> groups_of(std::vector<printed_loop> const& printed) {
  std::vector<loop_range> made;
  for (std::size_t i = 0; i != printed.size(); ++i) {
    if (printed[i].parent == no_parent) made.push_back({i, i});
    made.back().last = i + 1;
  }
  return made;
}

// By j: the first group such that the groups up to j can belong to one function, since no two loops of a function have
// the same header.
std::vector<std::size_t> first_of_one_function(std::vector<printed_loop> const& printed,
                                               std::vector<loop_range> const& groups) {
  std::vector<std::size_t> made = {0};
  std::map<std::string, std::size_t> last;
  for (std::size_t j = 0; j != groups.size(); ++j) {
    std::size_t first = made.back();
    for (std::size_t i = groups[j].first; i != groups[j].last; ++i) {
      auto const [before, fresh] = last.try_emplace(printed[i].header(), j);
      if (!fresh && before->second != j) first = std::max(first, before->second + 1);
      before->second = j;
    }
    made.push_back(first);
  }
  return made;
}

// Returns the ranges of a text without headers, by function; none if no cut exists, because a header occurs more often
// than there are functions. Scores 2 points for each loop equal to plait's, 1 for each that the function could have.
std::optional<std::vector<loop_range>> aligned(std::vector<function_graph> const& graphs,
                                               std::vector<loops_by_header> const& own,
                                               std::vector<printed_loop> const& printed) {
  constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::min() / 2;
  std::vector<loop_range> const groups = groups_of(printed);
  std::vector<std::size_t> const first = first_of_one_function(printed, groups);
  // points[j]: score of the first j groups among the functions so far. begins[f][j]: the first group of f if its groups
  // end at j.
  std::vector<std::int64_t> points(groups.size() + 1, impossible);
  points[0] = 0;
  std::vector<std::vector<std::uint32_t>> begins(graphs.size());
  for (std::size_t f = 0; f != graphs.size(); ++f) {
    begins[f].resize(groups.size() + 1);
    std::int64_t sum = 0;  // as if f had all groups so far; beginning at j saves what it was there
    std::deque<std::pair<std::size_t, std::int64_t>> best;  // beginnings and their points, the best first
    for (std::size_t j = 0; j <= groups.size(); ++j) {
      for (std::size_t i = j == 0 ? 0 : groups[j - 1].first; j != 0 && i != groups[j - 1].last; ++i)
        if (auto const loop = resolved(graphs[f], printed, i)) sum += has_equal(own[f], *loop) ? 2 : 1;
      while (!best.empty() && best.back().second < points[j] - sum) best.pop_back();
      best.emplace_back(j, points[j] - sum);
      while (best.front().first < first[j]) best.pop_front();
      begins[f][j] = static_cast<std::uint32_t>(best.front().first);
      points[j] = std::max(impossible, best.front().second + sum);
    }
  }
  if (points.back() < 0) return std::nullopt;
  std::vector<loop_range> made(graphs.size());
  std::size_t j = groups.size();
  for (std::size_t f = graphs.size(); f-- != 0;) {
    made[f].last = j == 0 ? 0 : groups[j - 1].last;
    j = begins[f][j];
    made[f].first = j == 0 ? 0 : groups[j - 1].last;
  }
  return made;
}

std::string list(function_graph const& f, std::set<std::uint32_t> const& blocks) {
  std::string made;
  for (std::uint32_t const b : blocks) made += (made.empty() ? "" : " ") + shown(f, b);
  return made.empty() ? "none" : made;
}

void add_set_difference(std::vector<std::string>& made, function_graph const& f, std::string const& what,
                        std::set<std::uint32_t> const& theirs, std::set<std::uint32_t> const& own) {
  if (theirs == own) return;
  std::set<std::uint32_t> only_theirs;
  std::set<std::uint32_t> only_own;
  std::ranges::set_difference(theirs, own, std::inserter(only_theirs, only_theirs.end()));
  std::ranges::set_difference(own, theirs, std::inserter(only_own, only_own.end()));
  made.push_back(what + ": in LLVM only " + list(f, only_theirs) + ", in plait only " + list(f, only_own));
}

std::vector<std::string> differences(function_graph const& f, loops_by_header const& own,
                                     std::vector<printed_loop> const& printed, loop_range const& mine) {
  std::vector<std::string> made;
  std::set<std::uint32_t> seen;
  for (std::size_t i = mine.first; i != mine.last; ++i) {
    std::string const name = "loop of %" + printed[i].header();
    auto const theirs = resolved(f, printed, i);
    if (!theirs) {
      made.push_back(name + " has blocks in LLVM which the flow graph lacks");
      continue;
    }
    if (!seen.insert(theirs->header).second) {
      made.push_back(name + " is there twice in LLVM");
      continue;
    }
    auto const found = own.find(theirs->header);
    if (found == own.end()) {
      made.push_back(name + " is in LLVM only");
      continue;
    }
    natural_loop const& loop = found->second;
    add_set_difference(made, f, "blocks of " + name, theirs->blocks, loop.blocks);
    add_set_difference(made, f, "latches of " + name, theirs->latches, loop.latches);
    add_set_difference(made, f, "exiting blocks of " + name, theirs->exiting, loop.exiting);
    if (theirs->depth != loop.depth)
      made.push_back(name + " has depth " + std::to_string(theirs->depth) + " in LLVM, " + std::to_string(loop.depth) +
                     " in plait");
    if (theirs->parent != loop.parent)
      made.push_back(name + " is in " + (theirs->parent ? "that of " + shown(f, *theirs->parent) : "no other") +
                     " in LLVM, in " + (loop.parent ? "that of " + shown(f, *loop.parent) : "no other") + " in plait");
  }
  for (auto const& [header, loop] : own)
    if (!seen.contains(header)) made.push_back("loop of " + shown(f, header) + " is in plait only");
  return made;
}

}  // namespace

comparison compare_loops(std::vector<function_graph> const& graphs, printed_loops const& printed) {
  if (printed.has_headers) {
    struct function_part {
      std::string function;
      loop_range loops;
    };
    std::vector<function_part> ranges;
    std::size_t at = 0;
    for (std::string const& name : printed.functions) {
      loop_range mine{at, at};
      while (mine.last != printed.loops.size() && printed.loops[mine.last].function == name) ++mine.last;
      at = mine.last;
      ranges.push_back({name, mine});
    }
    return compare_functions<function_part>(graphs, ranges, [&](function_graph const& f, function_part const& p) {
      return differences(f, natural_loops(f), printed.loops, p.loops);
    });
  }
  std::vector<loops_by_header> own;
  own.reserve(graphs.size());
  for (function_graph const& f : graphs) own.push_back(natural_loops(f));
  auto const ranges = aligned(graphs, own, printed.loops);
  comparison made;
  for (std::size_t f = 0; f != graphs.size(); ++f) {
    if (ranges)
      made.add(graphs[f].name(), differences(graphs[f], own[f], printed.loops, (*ranges)[f]));
    else
      made.add(graphs[f].name(), {"LLVM has more loops with one header than there are functions"});
  }
  if (graphs.empty() && !printed.loops.empty()) made.add("(none)", {"LLVM has loops, but there are no functions"});
  return made;
}

}  // namespace cfg_conformance
