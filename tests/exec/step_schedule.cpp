#include <plait/exec/detail/step_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using plait::step_access;
using plait::step_schedule;
using edge = step_schedule::edge;

std::vector<edge> row(step_schedule const& s, std::uint32_t node) {
  auto const found = s.followers(node);
  return {found.begin(), found.end()};
}

constexpr std::uint32_t states = 100;

/// Node 1 reads place t of a state; node 2 reads the result of node 1 and writes place t + 1.
std::vector<step_access> const chain{
    {.node = 1, .resource = states, .writes = false, .of_step = false, .offset = 0},
    {.node = 1, .resource = 0, .writes = true},
    {.node = 2, .resource = 0, .writes = false},
    {.node = 2, .resource = states, .writes = true, .of_step = false, .offset = 1},
};

TEST_CASE("step_schedule: a state orders steps, memory of the step only the nodes of one step") {
  step_schedule const forward(3, chain, 4, false);
  CHECK(row(forward, 0) == std::vector<edge>{{1, 0}, {0, 1}});
  CHECK(row(forward, 1) == std::vector<edge>{{2, 0}});
  CHECK(row(forward, 2) == std::vector<edge>{{1, 1}});  // so both wait for themselves in the step before
  CHECK(forward.waits(1, 0) == 1);
  CHECK(forward.waits(1, 1) == 2);
  CHECK(forward.waits(1, 1000) == 2);
  CHECK(forward.speedup(std::vector<double>{0, 1, 1}) == doctest::Approx(1));
  // Backwards, no step reads a place that another has written, but it must have been read before (WAR).
  step_schedule const backward(3, chain, 4, true);
  CHECK(row(backward, 1) == std::vector<edge>{{2, 0}, {1, 1}});
  CHECK(row(backward, 2) == std::vector<edge>{{2, 1}});
  CHECK(backward.speedup(std::vector<double>{0, 1, 1}) == doctest::Approx(2));
}

TEST_CASE("step_schedule: stacked layers run in parallel") {
  std::vector<step_access> accesses;
  for (std::uint32_t layer = 0; layer != 4; ++layer) {
    accesses.push_back({.node = layer + 1, .resource = states + layer, .writes = false, .of_step = false});
    if (layer != 0) accesses.push_back({.node = layer + 1, .resource = layer - 1, .writes = false});
    accesses.push_back({.node = layer + 1, .resource = layer, .writes = true});
    accesses.push_back({.node = layer + 1, .resource = states + layer, .writes = true, .of_step = false, .offset = 1});
  }
  std::vector<double> const costs{0, 1, 1, 1, 1};
  CHECK(step_schedule(5, accesses, 4, false).speedup(costs) == doctest::Approx(4));
  CHECK(step_schedule(5, accesses, 2, false).speedup(costs) == doctest::Approx(2));
  CHECK(step_schedule(5, accesses, 1, false).speedup(costs) == doctest::Approx(1));
}

TEST_CASE("step_schedule: windows and places that do not move order steps") {
  // Node 1 reads three places, node 2 writes the place after them, which is first read one step later.
  std::vector<step_access> const window{
      {.node = 1, .resource = states, .writes = false, .of_step = false, .offset = 0, .window = 3},
      {.node = 2, .resource = states, .writes = true, .of_step = false, .offset = 3},
      {.node = 3, .resource = states + 1, .writes = true, .of_step = false, .moves = false},
      {.node = 4, .resource = states + 1, .writes = true, .of_step = false, .moves = false},
  };
  step_schedule const s(5, window, 4, false);
  CHECK(row(s, 1) == std::vector<edge>{{1, 1}});
  CHECK(row(s, 2) == std::vector<edge>{{1, 1}, {2, 1}});
  CHECK(row(s, 3) == std::vector<edge>{{4, 0}});
  CHECK(row(s, 4) == std::vector<edge>{{3, 1}});
  // A distance of as many steps as are in flight needs no edge.
  std::vector<step_access> const far{
      {.node = 1, .resource = states, .writes = false, .of_step = false, .offset = 0},
      {.node = 2, .resource = states, .writes = true, .of_step = false, .offset = 4},
  };
  CHECK(row(step_schedule(3, far, 4, false), 2) == std::vector<edge>{{2, 1}});
  CHECK(row(step_schedule(3, far, 5, false), 2) == std::vector<edge>{{2, 1}, {1, 4}});
}

/// Oracle of the required order, by definition: all earlier nodes that conflict on the same memory.
struct order_oracle {
  std::size_t nodes;
  std::size_t steps;
  std::vector<std::vector<bool>> before;  // by node of a step: all nodes that it waits for

  order_oracle(std::size_t node_count, std::size_t step_count, std::vector<step_access> const& accesses, bool backward)
      : nodes(node_count), steps(step_count), before(nodes * steps, std::vector<bool>(nodes * steps, false)) {
    auto const touch = [&](step_access const& a, std::size_t s, step_access const& b, std::size_t u) {
      if (a.resource != b.resource || !(a.writes || b.writes)) return false;
      if (a.of_step) return s == u;
      auto const time = [&](std::size_t step) { return static_cast<std::int64_t>(backward ? steps - 1 - step : step); };
      auto const first = [&](step_access const& x, std::size_t step) { return x.offset + (x.moves ? time(step) : 0); };
      return first(a, s) < first(b, u) + b.window && first(b, u) < first(a, s) + a.window;
    };
    for (step_access const& a : accesses)
      for (step_access const& b : accesses)
        for (std::size_t s = 0; s != steps; ++s)
          for (std::size_t u = s; u != steps; ++u)
            if (s * nodes + a.node < u * nodes + b.node && touch(a, s, b, u))
              before[u * nodes + b.node][s * nodes + a.node] = true;
  }
};

TEST_CASE("step_schedule: random steps order all conflicting accesses, directly or through other nodes") {
  std::mt19937 random(7);
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round != 300; ++round) {
    CAPTURE(round);
    std::size_t const nodes = 2 + below(6);
    std::size_t const in_flight = 1 + below(4);
    std::size_t const steps = 6;
    bool const backward = below(2) != 0;
    std::vector<step_access> accesses;
    for (std::size_t i = 0; i != 3 * nodes; ++i) {
      bool const of_step = below(2) != 0;
      bool const moves = below(5) != 0;
      accesses.push_back({.node = static_cast<std::uint32_t>(1 + below(nodes - 1)),
                          .resource = static_cast<std::uint32_t>(of_step ? below(3)
                                                                 : moves ? 10 + below(2)
                                                                         : 20),
                          .writes = below(3) == 0,
                          .of_step = of_step,
                          .moves = moves,
                          .offset = static_cast<std::int64_t>(moves ? below(4) : 0),
                          .window = static_cast<std::int64_t>(moves ? 1 + below(3) : 1)});
    }
    step_schedule const s(nodes, accesses, in_flight, backward);
    // Reachability over edges, and over the limit of steps in flight.
    std::size_t const all = nodes * steps;
    std::vector<std::vector<bool>> reached(all, std::vector<bool>(all, false));
    std::vector<std::uint32_t> counted(all, 0);
    for (std::size_t at = all; at-- != 0;) {
      std::size_t const t = at / nodes;
      auto const add = [&](std::size_t to) {
        reached[at][to] = true;
        for (std::size_t k = 0; k != all; ++k)
          if (reached[to][k]) reached[at][k] = true;
      };
      for (edge const& e : s.followers(static_cast<std::uint32_t>(at % nodes)))
        if (t + e.distance < steps) {
          REQUIRE((t + e.distance) * nodes + e.to > at);
          add((t + e.distance) * nodes + e.to);
          ++counted[(t + e.distance) * nodes + e.to];
        }
      if (t + in_flight < steps) add((t + in_flight) * nodes);
    }
    order_oracle const oracle(nodes, steps, accesses, backward);
    bool complete = true;
    for (std::size_t to = 0; to != all; ++to) {
      CHECK(counted[to] == s.waits(static_cast<std::uint32_t>(to % nodes), to / nodes));
      for (std::size_t from = 0; from != all; ++from)
        if (oracle.before[to][from]) complete = complete && reached[from][to];
      if (to % nodes != 0) complete = complete && reached[to - to % nodes][to];
      if (to >= nodes) complete = complete && (in_flight == 1 || reached[to - nodes][to]);
    }
    CHECK(complete);
  }
}

}  // namespace
