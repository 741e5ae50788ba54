#include "variable_ssa.hpp"

#include <unordered_map>

#include <plait/graph/frontiers.hpp>

namespace cfg_conformance {

namespace {

struct accessing_blocks {
  std::vector<std::uint32_t> storing;
  std::vector<std::uint32_t> reading_first;  // a load before any store
};

std::vector<accessing_blocks> blocks_by_variable(promotion_round const& round) {
  enum : std::uint8_t { untouched, read, stored };
  std::vector<accessing_blocks> made(round.variables.size());
  std::vector<std::uint8_t> seen(round.variables.size());
  for (std::uint32_t b = 0; b != round.blocks.size(); ++b) {
    for (variable_access const& a : round.blocks[b]) {
      std::uint8_t& state = seen[a.variable];
      if (state == untouched && !a.is_store) made[a.variable].reading_first.push_back(b);
      if (state != stored && a.is_store) made[a.variable].storing.push_back(b);
      if (a.is_store)
        state = stored;
      else if (state == untouched)
        state = read;
    }
    for (variable_access const& a : round.blocks[b]) seen[a.variable] = untouched;
  }
  return made;
}

class construction {
 public:
  construction(function_graph const& f, plait::dominator_tree<function_graph> const& tree, promotion_round const& round)
      : f_(f), tree_(tree), round_(round), predecessors_(f.size()), phis_of_(f.size()) {
    for (std::uint32_t b = 0; b != f.size(); ++b)
      if (tree.contains(b))
        for (std::uint32_t const s : f.successors(b)) predecessors_[s].push_back(b);
  }

  variable_ssa run() {
    place_phis();
    rename();
    return std::move(made_);
  }

 private:
  void place_phis() {
    plait::iterated_frontier frontier(tree_);
    std::vector<accessing_blocks> const blocks = blocks_by_variable(round_);
    std::vector<std::uint32_t> live(f_.size(), 0);
    std::vector<std::uint32_t> stores(f_.size(), 0);
    for (std::uint32_t v = 0; v != blocks.size(); ++v) {
      for (std::uint32_t const b : blocks[v].storing) stores[b] = v + 1;
      std::vector<std::uint32_t> open = blocks[v].reading_first;
      for (std::uint32_t const b : open) live[b] = v + 1;
      while (!open.empty()) {
        std::uint32_t const b = open.back();
        open.pop_back();
        for (std::uint32_t const p : predecessors_[b])
          if (stores[p] != v + 1 && live[p] != v + 1) {
            live[p] = v + 1;
            open.push_back(p);
          }
      }
      for (std::uint32_t const b :
           frontier(blocks[v].storing, [&](std::uint32_t block) { return live[block] == v + 1; })) {
        phis_of_[b].push_back(static_cast<std::uint32_t>(made_.phis.size()));
        made_.phis.push_back({b, v, {}});
      }
    }
  }

  // Down the dominator tree; leaving a subtree takes back what was assigned in it.
  void rename() {
    made_.loads.resize(f_.size());
    current_.assign(round_.variables.size(), {});
    std::vector<std::size_t> marks;  // by depth: how much had been assigned before the block there
    for (std::uint32_t const b : tree_.preorder()) {
      std::size_t const depth = tree_.depth(b);
      if (depth < marks.size()) {
        take_back(marks[depth]);
        marks.resize(depth);
      }
      marks.push_back(assigned_.size());
      visit(b);
    }
  }

  void visit(std::uint32_t b) {
    using enum variable_value::kind;
    for (std::uint32_t const p : phis_of_[b]) assign(made_.phis[p].variable, {phi, p, b});
    std::vector<variable_access> const& accesses = round_.blocks[b];
    made_.loads[b].resize(accesses.size());
    for (std::uint32_t i = 0; i != accesses.size(); ++i) {
      if (accesses[i].is_store)
        assign(accesses[i].variable, {store, i, b});
      else
        made_.loads[b][i] = current_[accesses[i].variable];
    }
    for (std::uint32_t const s : f_.successors(b))
      for (std::uint32_t const p : phis_of_[s]) made_.phis[p].operands.push_back(current_[made_.phis[p].variable]);
  }

  void assign(std::uint32_t v, variable_value value) {
    assigned_.emplace_back(v, current_[v]);
    current_[v] = value;
  }
  void take_back(std::size_t mark) {
    for (; assigned_.size() != mark; assigned_.pop_back()) current_[assigned_.back().first] = assigned_.back().second;
  }

  function_graph const& f_;
  plait::dominator_tree<function_graph> const& tree_;
  promotion_round const& round_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::vector<std::uint32_t>> phis_of_;
  std::vector<variable_value> current_;
  std::vector<std::pair<std::uint32_t, variable_value>> assigned_;
  variable_ssa made_;
};

}  // namespace

variable_ssa construct_variable_ssa(function_graph const& f, plait::dominator_tree<function_graph> const& tree,
                                    promotion_round const& round) {
  return construction(f, tree, round).run();
}

}  // namespace cfg_conformance
