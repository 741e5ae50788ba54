#include <plait/dataflow/gen_kill.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/own_graphs.hpp>
#include <graph/random_graphs.hpp>
#include <support/random_cases.hpp>

namespace {

using plait::flow_direction;
using plait::join_kind;

constexpr plait::static_graph loop({{0, 1}, {1, 2}, {2, 1}, {2, 3}});
static_assert([] {
  plait::flow_snapshot const g(loop);
  plait::gen_kill_solver<flow_direction::forward, join_kind::any> some;
  plait::gen_kill_solver<flow_direction::forward, join_kind::all> all;
  for (int again = 0; again != 2; ++again) {
    some.reset(4, 100);
    all.reset(4, 100);
    some.gen.insert(2, 70);
    all.gen.insert(2, 70);
    all.gen.insert(0, 5);
    some.kill.insert(1, 70);
    some.solve(g);
    all.solve(g, [](std::uint32_t, plait::bit_matrix_row row) { row.insert(99); });
  }
  return some.before(1).contains(70) && !some.after(1).contains(70) && some.after(3).contains(70) &&
         !all.before(1).contains(70) && all.after(2).contains(70) && all.before(3).contains(99) &&
         all.before(1).contains(5) && !all.before(0).contains(5);
}());

using set = std::set<unsigned>;

// Compares with a naive fixed-point iteration of the dataflow equations on sets.
template <flow_direction Direction, join_kind Join>
void check(plait::dense_graph const& g, unsigned seed, plait::gen_kill_solver<Direction, Join>& solver) {
  std::mt19937 random(seed);
  std::size_t const facts = random() % 130;
  auto const n = static_cast<unsigned>(g.size());
  solver.reset(n, facts);
  std::vector<set> gen(n), kill(n), boundary(n);
  auto const fill = [&](set& some) {
    for (std::size_t i = random() % 6; i != 0 && facts != 0; --i) some.insert(static_cast<unsigned>(random() % facts));
  };
  set all;
  for (unsigned f = 0; f != facts; ++f) all.insert(f);
  for (unsigned b = 0; b != n; ++b) {
    fill(gen[b]);
    fill(kill[b]);
    if (random() % 4 == 0) kill[b] = all;
    fill(boundary[b]);
    for (unsigned const f : gen[b]) solver.gen.insert(b, f);
    for (unsigned const f : kill[b]) solver.kill.insert(b, f);
  }
  solver.solve(g, [&](std::uint32_t b, plait::bit_matrix_row row) {
    for (unsigned const f : boundary[b]) row.insert(f);
  });

  bool const forward = Direction == flow_direction::forward;
  std::vector<set> in(n), out(n, Join == join_kind::any ? set() : all);
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned b = 0; b != n; ++b) {
      auto const sources = forward ? g.predecessors(b) : g.successors(b);
      bool const bound = forward ? b == 0 : sources.empty();
      set joined = bound ? boundary[b] : out[sources.front()];
      for (unsigned const s : sources) {
        set next;
        if (Join == join_kind::any)
          std::ranges::set_union(joined, out[s], std::inserter(next, next.end()));
        else
          std::ranges::set_intersection(joined, out[s], std::inserter(next, next.end()));
        joined = next;
      }
      in[b] = joined;
      for (unsigned const f : kill[b]) joined.erase(f);
      joined.insert(gen[b].begin(), gen[b].end());
      changed = changed || joined != out[b];
      out[b] = joined;
    }
  }
  for (unsigned b = 0; b != n; ++b) {
    REQUIRE(std::ranges::equal(solver.before(b), forward ? in[b] : out[b]));
    REQUIRE(std::ranges::equal(solver.after(b), forward ? out[b] : in[b]));
  }
}

TEST_CASE("gen/kill solver: solves the equations for both directions and joins on random graphs") {
  plait::gen_kill_solver<flow_direction::forward, join_kind::any> forward_any;
  plait::gen_kill_solver<flow_direction::forward, join_kind::all> forward_all;
  plait::gen_kill_solver<flow_direction::backward, join_kind::any> backward_any;
  plait::gen_kill_solver<flow_direction::backward, join_kind::all> backward_all;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const made = test::make_graph<std::vector<std::vector<int>>>(test::random_flow_graph(seed, 12));
    plait::flow_snapshot const g(made);
    switch (seed / 6 % 4) {
      case 0:
        check(g, seed, forward_any);
        break;
      case 1:
        check(g, seed, forward_all);
        break;
      case 2:
        check(g, seed, backward_any);
        break;
      default:
        check(g, seed, backward_all);
    }
  }
}

TEST_CASE("gen/kill solver: sets for another number of blocks violate a precondition") {
  std::vector<std::vector<int>> const line = {{1}, {}};
  plait::flow_snapshot const g(line);
  plait::gen_kill_solver<flow_direction::forward, join_kind::any> solver;
  solver.reset(3, 5);
  CHECK_THROWS_AS(solver.solve(g), plait::precondition_error);
}

}  // namespace
