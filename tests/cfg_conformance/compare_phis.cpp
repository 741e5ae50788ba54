#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "compare.hpp"
#include "mem2reg.hpp"

namespace cfg_conformance {

namespace {

void add(std::vector<std::string>& made, function_graph const& f, std::uint32_t block,
         std::vector<std::string> const& these, std::vector<std::string> const& those, std::string const& where) {
  std::vector<std::string> only;
  std::ranges::set_difference(these, those, std::back_inserter(only));
  for (std::string const& name : only)
    made.push_back(shown(f, block) + " has a phi of " + name + " in " + where + " only");
}

std::vector<std::string> differences(document const& from, ll_function const& before, ll_function const& after) {
  if (before.blocks.size() != after.blocks.size()) return {"LLVM has another number of blocks after mem2reg"};
  function_graph const f = before.graph(from);
  phis_by_block const theirs = phis_made(before, after);
  phis_by_block const own = expected_phis(before, f);
  std::vector<std::string> made;
  for (std::uint32_t b = 0; b != f.size(); ++b) {
    add(made, f, b, theirs[b], own[b], "LLVM");
    add(made, f, b, own[b], theirs[b], "plait");
  }
  return made;
}

}  // namespace

comparison compare_phis(document const& before, document const& after) {
  std::vector<ll_function> const functions = read_ll(before);
  std::vector<ll_function> const promoted = read_ll(after);
  comparison made;
  for (ll_function const& f : functions) {
    auto const same = std::ranges::find(promoted, f.name, &ll_function::name);
    if (same == promoted.end())
      made.add(f.name, {"LLVM's results do not have this function"});
    else
      made.add(f.name, differences(before, f, *same));
  }
  for (ll_function const& f : promoted)
    if (std::ranges::find(functions, f.name, &ll_function::name) == functions.end())
      made.add(f.name, {"only LLVM's results have this function"});
  return made;
}

}  // namespace cfg_conformance
