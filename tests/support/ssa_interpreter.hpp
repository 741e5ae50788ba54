// Interpreter of the SSA form of the programs of random_program.hpp: values with phis, and control flow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <plait/ssa/construction.hpp>

#include <support/interpreter.hpp>
#include <support/random_program.hpp>

namespace test {

/// The values of one run of a form; none if not computed yet.
using value_states = std::vector<std::optional<int>>;

/// Runs the SSA form. Inputs, and values that enter the program, are pseudo-random by the seed. Calls on_block(block,
/// states) when control enters a block and its phis are evaluated, on_op(op, states) after each op, on_edge(block, way)
/// when control leaves a block, and on_end(block, states) at the end of the program; all by number.
template <class See>
void run_ssa(net_program const& p, plait::program_ssa<net_program> const& ssa, unsigned seed, std::size_t most_blocks,
             See& see) {
  std::mt19937 random(seed);
  auto const& form = ssa.form();
  auto const& graph = ssa.graph();
  value_states states(form.value_count());
  for (plait::value_index v = 0; v != form.value_count(); ++v)
    if (!form.definition(v).is_op() && !form.definition(v).is_phi()) states[v] = static_cast<int>(random() % 16);
  std::uint32_t block = 0;
  std::size_t slot = plait::npos;
  while (most_blocks-- != 0) {
    std::vector<std::optional<int>> merged;
    for (auto const phi : form.phis(block)) {
      auto const arguments = form.arguments(phi);
      merged.push_back(states[slot == plait::npos ? arguments.back() : arguments[slot]]);
    }
    for (auto const phi : form.phis(block)) states[form.result(phi)] = merged[phi - form.first_phi[block]];
    see.on_block(block, states);
    std::size_t way = 0;
    auto const& ops = p.block(graph.node(block)).ops;
    for (auto const op : form.ops(block)) {
      std::string const& type = ops[op - form.first_op[block]].type;
      std::vector<int> in;
      for (auto const v : form.reads(op)) in.push_back(states[v].value());
      auto const out = execute(type, in, [&] { return static_cast<int>(random() % 16); });
      if (type == "Branch") way = static_cast<std::size_t>(in[0]);
      // If a blob is written twice the last write counts.
      std::size_t i = 0;
      for (auto const v : form.writes(op)) states[v] = out[i++];
      see.on_op(op, states);
    }
    auto const ways = graph.successors(block);
    if (ways.empty()) {
      see.on_end(block, states);
      return;
    }
    way %= ways.size();
    see.on_edge(block, way);
    // Parallel edges: their arguments are equal.
    auto const entering = graph.predecessors(ways[way]);
    slot = static_cast<std::size_t>(std::ranges::find(entering, block) - entering.begin());
    block = ways[way];
  }
}

}  // namespace test
