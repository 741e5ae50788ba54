#include <plait/ssa/detail/dense_live_ranges.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/construction.hpp>

#include <support/interpret_form.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using program_form = plait::program_ssa<test::net_program>;
using points = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// Returns the points that read a value.
points reads_of(program_form const& ssa, std::vector<std::uint32_t> const& places, plait::value_index v) {
  plait::dense_ssa const& form = ssa.form();
  points found;
  for (std::uint32_t b = 0; b != form.block_count(); ++b) {
    for (auto const op : form.ops(b))
      if (std::ranges::count(form.reads(op), v) != 0) found.emplace(b, plait::ssa_point::of_op(op - form.first_op[b]));
    if (std::ranges::count(form.results(b), v) != 0) found.emplace(b, plait::ssa_point::end);
    auto const before = ssa.graph().predecessors(b);
    for (auto const phi : form.phis(b))
      for (std::size_t slot = 0; slot != before.size(); ++slot)
        if (form.arguments(phi)[slot] == v)
          found.emplace(before[slot], plait::ssa_point::before_op(places[before[slot]]));
  }
  return found;
}

// Returns true if some path from behind a point leads to a read without passing the definition.
bool reaches(program_form const& ssa, points const& reads, plait::ssa_point from, plait::ssa_point made) {
  std::vector<char> seen(ssa.graph().size(), 0);
  std::vector<std::uint32_t> waiting;
  for (auto const& [block, position] : reads)
    if (block == from.block && position > from.position) return true;
  for (std::uint32_t const next : ssa.graph().successors(from.block)) waiting.push_back(next);
  while (!waiting.empty()) {
    std::uint32_t const b = waiting.back();
    waiting.pop_back();
    if (b == made.block || std::exchange(seen[b], 1) != 0) continue;
    if (std::ranges::any_of(reads, [&](auto const& read) { return read.first == b; })) return true;
    for (std::uint32_t const next : ssa.graph().successors(b)) waiting.push_back(next);
  }
  return false;
}

}  // namespace

TEST_CASE("dense live ranges: a value is live where a path leads to a read, at every dominated point") {
  program_form ssa;
  plait::dense_live_ranges ranges;
  std::size_t live = 0, dead = 0;
  for (unsigned seed = 0; seed != test::random_cases(3'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    plait::dense_ssa const& form = ssa.form();
    auto const places = test::code_of(p, ssa.snapshot()).copy_places;
    std::vector<char> const wanted(form.value_count(), 1);
    ranges.compute(ssa.graph(), form, wanted, places);
    for (plait::value_index v = 0; v != form.value_count(); ++v) {
      plait::ssa_point const made = plait::dense_live_ranges::definition(form, v);
      points const reads = reads_of(ssa, places, v);
      for (std::uint32_t b = 0; b != form.block_count(); ++b) {
        if (made.block != form.block_count() && !ssa.dominators().dominates(made.block, b)) continue;
        for (std::uint32_t position = 0; position != 2 * form.ops(b).size() + 4; ++position) {
          if (b == made.block && position < made.position) continue;
          bool const is_live = ranges.is_live_after(v, {b, position});
          REQUIRE(is_live == reaches(ssa, reads, {b, position}, made));
          ++(is_live ? live : dead);
        }
      }
    }
  }
  CHECK(live > 10'000);
  CHECK(dead > 10'000);
}

TEST_CASE("dense live ranges: only wanted values have ranges") {
  auto const p = test::random_program(2);
  program_form const ssa(p);
  plait::dense_live_ranges ranges;
  auto const places = test::code_of(p, ssa.snapshot()).copy_places;
  ranges.compute(ssa.graph(), ssa.form(), std::vector<char>(ssa.form().value_count(), 0), places);
  for (plait::value_index v = 0; v != ssa.form().value_count(); ++v) CHECK(!ranges.is_live_after(v, {0, 0}));
}
