// Interpreter of SSA forms, before and after SSA destruction, over the ops of the original program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <plait/ssa/detail/dense_destruction.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

#include <support/interpreter.hpp>

namespace test {

/// The code of a form, which itself contains only numbers: the type of each op, and the names of values that come from
/// outside (empty: value 0).
struct form_code {
  std::vector<std::string> types;          // by op; empty: erased
  std::vector<std::string> outside;        // by value: the external input, empty if it is none
  std::vector<std::uint32_t> copy_places;  // by block
};

/// Returns the types of the ops of a snapshot.
template <class P, class Snapshot>
[[nodiscard]] form_code code_of(P const& p, Snapshot const& snapshot) {
  form_code made;
  for (std::uint32_t b = 0; b != snapshot.graph().size(); ++b) {
    auto&& net = plait::block(p, snapshot.graph().node(b));
    std::uint32_t place = 0;
    for (auto&& op : plait::ops(net)) {
      made.types.emplace_back(plait::op_type(net, op));
      ++place;
    }
    made.copy_places.push_back(place - (place != 0 && made.types.back() == "Branch" ? 1 : 0));
  }
  return made;
}

[[nodiscard]] inline int given_value(std::string const& name, unsigned seed) {
  if (name.empty()) return 0;
  unsigned mixed = seed;
  for (char const c : name) mixed = (mixed + static_cast<unsigned char>(c)) * 2654435761u;
  return static_cast<int>(mixed >> 28);
}

namespace detail {

// place(v) returns the location of a value. Calls enter(block, slot), where slot is that of the incoming edge, npos
// from outside, and leave(block).
template <class Place, class Enter, class Leave>
run_result run_form(plait::dense_graph const& g, plait::dense_ssa const& s, form_code const& code, unsigned seed,
                    std::size_t most_blocks, std::vector<int>& env, Place place, Enter enter, Leave leave) {
  std::mt19937 random(seed);
  run_result made;
  std::uint32_t block = 0;
  std::size_t slot = plait::npos;
  while (most_blocks-- != 0) {
    enter(block, slot);
    std::size_t way = 0;
    std::uint32_t at = 0;
    for (plait::op_index const op : s.ops(block)) {
      if (at++ == code.copy_places[block]) leave(block);
      std::string const& type = code.types[op];
      if (type.empty()) continue;
      std::vector<int> in;
      for (plait::value_index const v : s.reads(op)) in.push_back(env[place(v)]);
      auto const out = execute(type, in, [&] { return static_cast<int>(random() % 16); });
      if (type == "Output") made.outputs.push_back(in.at(0));
      if (type == "Branch") way = static_cast<std::size_t>(in.at(0));
      std::size_t i = 0;
      for (plait::value_index const v : s.writes(op)) env[place(v)] = out.at(i++);
    }
    if (at == code.copy_places[block]) leave(block);
    auto const next = g.successors(block);
    if (next.empty()) {
      for (plait::value_index const v : s.results(block)) made.results.push_back(env[place(v)]);
      made.finished = true;
      break;
    }
    std::uint32_t const from = std::exchange(block, next[way % next.size()]);
    auto const before = g.predecessors(block);
    slot = static_cast<std::size_t>(std::ranges::find(before, from) - before.begin());
  }
  return made;
}

}  // namespace detail

[[nodiscard]] inline run_result interpret_form(plait::dense_graph const& g, plait::dense_ssa const& s,
                                               form_code const& code, unsigned seed, std::size_t most_blocks = 200) {
  std::vector<int> env(s.value_count(), 0);
  for (plait::value_index v = 0; v != s.value_count(); ++v) env[v] = given_value(code.outside[v], seed);
  return detail::run_form(
      g, s, code, seed, most_blocks, env, [](plait::value_index v) { return v; },
      [&](std::uint32_t block, std::size_t slot) {
        std::vector<int> merged;
        for (plait::phi_index const phi : s.phis(block)) {
          auto const arguments = s.arguments(phi);
          merged.push_back(env[slot == plait::npos ? arguments.back() : arguments[slot]]);
        }
        std::size_t i = 0;
        for (plait::phi_index const phi : s.phis(block)) env[s.result(phi)] = merged[i++];
      },
      [](std::uint32_t) {});
}

/// Like interpret_form(), after SSA destruction: values are in locations, and copies replace phis.
[[nodiscard]] inline run_result interpret_locations(plait::dense_graph const& g, plait::dense_ssa const& s,
                                                    plait::dense_destruction const& d, form_code const& code,
                                                    unsigned seed, std::size_t most_blocks = 200) {
  std::vector<int> env(d.location_count() + 1, -1);
  for (plait::value_index v = 0; v != s.value_count(); ++v)
    if (s.definition(v) == plait::ssa_site() && d.location(v) != plait::npos)
      env[d.location(v)] = given_value(code.outside[v], seed);
  auto const copy = [&](auto const& copies) {
    for (plait::location_copy const& c : copies) env[c.to] = env[c.from];
  };
  return detail::run_form(
      g, s, code, seed, most_blocks, env, [&](plait::value_index v) { return d.location(v); },
      [&](std::uint32_t block, std::size_t slot) {
        if (slot == plait::npos) copy(d.copies_outside());
        copy(d.copies_at_start(block));
      },
      [&](std::uint32_t block) { copy(d.copies_at_end(block)); });
}

}  // namespace test
