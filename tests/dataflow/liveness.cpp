#include <plait/dataflow/liveness.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/ssa/program_traits.hpp>

#include <graph/test_graphs.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dataflow.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

// i = 0; do { t = i + k; i = t; } while (i < n); return i
struct net_view {
  struct op {
    std::array<int, 2> inputs;
    std::array<int, 1> outputs;
  };
  std::array<op, 2> all;
  std::size_t count;
  std::array<int, 1> returned;
  constexpr auto ops() const { return std::span(all).first(count); }
  constexpr auto const& external_outputs() const { return returned; }
};
constexpr plait::static_graph loop({{0, 1}, {1, 1}, {1, 2}});
constexpr int i = 0, k = 1, n = 2, t = 3, none = 9;
constexpr std::array nets = {
    net_view{{{{{n, n}, {i}}}}, 1, {none}},
    net_view{{{{{i, k}, {t}}, {{t, n}, {i}}}}, 2, {none}},
    net_view{{}, 0, {i}},
};
constexpr plait::blocks_of program(loop, nets);
static_assert([] {
  plait::liveness const live(program);
  return std::ranges::equal(live.live_in(0u), std::array{n, k}) &&
         std::ranges::equal(live.live_out(1u), std::array{n, i, k}) && !live.is_live_in(1u, t) &&
         live.is_live_after(live.op(1u, 0), t) && !live.is_live_after(live.op(1u, 1), t) &&
         !live.is_live_after(live.op(1u, 0), i) && live.is_live_before(live.op(1u, 0), i) &&
         std::ranges::equal(live.live_in(2u), std::array{i}) && !live.is_live_in(2u, 77);
}());

void compare(test::net_program const& p, plait::liveness<test::net_program> const& live) {
  auto const& graph = live.snapshot().graph();
  for (int const block : graph.order()) {
    std::set<std::string> in, out;
    for (auto const& name : live.live_in(block)) REQUIRE(in.insert(std::string(name)).second);
    for (auto const& name : live.live_out(block)) REQUIRE(out.insert(std::string(name)).second);
    std::size_t const count = p.block(block).ops.size();
    for (std::string const name : {"a", "b", "c", "d", "e"}) {
      bool const at_start = oracle::is_live(p, {block, 0}, name);
      bool const at_end = oracle::is_live(p, {block, count}, name);
      REQUIRE(in.contains(name) == at_start);
      REQUIRE(out.contains(name) == at_end);
      REQUIRE(live.is_live_in(block, name) == at_start);
      REQUIRE(live.is_live_out(block, name) == at_end);
      for (std::size_t place = 0; place != count; ++place) {
        REQUIRE(live.is_live_before(live.op(block, place), name) == oracle::is_live(p, {block, place}, name));
        REQUIRE(live.is_live_after(live.op(block, place), name) == oracle::is_live(p, {block, place + 1}, name));
      }
    }
  }
}

TEST_CASE("liveness: matches the definition on random programs") {
  plait::liveness<test::net_program> live;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    live.compute(p);
    compare(p, live);
  }
}

TEST_CASE_TEMPLATE("liveness: has the same results on every graph type", G, PLAIT_ALL_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::liveness const live(same);
    plait::liveness const expected(p);
    for (int const block : expected.snapshot().graph().order())
      for (std::string const name : {"a", "b", "c", "d", "e"}) {
        REQUIRE(live.is_live_in(test::node_of(g, block), name) == expected.is_live_in(block, name));
        REQUIRE(live.is_live_out(test::node_of(g, block), name) == expected.is_live_out(block, name));
      }
  }
}

TEST_CASE_TEMPLATE("liveness: a net is a program of one node", N, PLAIT_ALL_NETS) {
  auto const net = test::make_net<N>(
      {{{"Add", {"a", "b"}, {"c"}}, {"Copy", {"c"}, {"a"}}, {"Copy", {"c"}, {"d"}}}, {"a", "b"}, {"d"}});
  plait::single_block const p(net);
  plait::liveness const live(p);
  auto const key = [&](char const* name) { return test::key_of(net, name); };
  CHECK(std::ranges::distance(live.live_in(0)) == 2);
  CHECK(live.is_live_in(0, key("a")));
  CHECK(live.is_live_in(0, key("b")));
  CHECK(std::ranges::distance(live.live_out(0)) == 1);
  CHECK(live.is_live_out(0, key("d")));
  CHECK(live.is_live_after(live.op(0, 0), key("c")));
  CHECK(live.is_live_after(live.op(0, 1), key("c")));
  CHECK_FALSE(live.is_live_after(live.op(0, 2), key("c")));
  CHECK_FALSE(live.is_live_after(live.op(0, 1), key("a")));
  CHECK_FALSE(live.is_live_before(live.op(0, 2), key("d")));
}

TEST_CASE("liveness: handles a chain of a million blocks with a back edge") {
  std::size_t const count = 1'000'000;
  std::vector<std::vector<int>> g(count);
  for (std::size_t at = 0; at + 1 != count; ++at) g[at].push_back(static_cast<int>(at + 1));
  g[count - 2].push_back(1);
  std::vector<test::struct_net> blocks(count);
  blocks[0].ops = {{"Const:1", {}, {"x"}}};
  blocks[count / 2].ops = {{"Add", {"x", "y"}, {"y"}}};
  blocks[count - 1].external_outputs = {"y"};
  plait::blocks_of const p(g, blocks);
  plait::liveness const live(p);
  CHECK(live.is_live_in(static_cast<int>(count - 2), "x"));
  CHECK_FALSE(live.is_live_in(static_cast<int>(count - 1), "x"));
  CHECK(live.is_live_in(0, "y"));
  CHECK_FALSE(live.is_live_in(0, "x"));
}

// A program with numbered names that are strings.
struct numbered_program : test::net_program {
  std::vector<std::string> names;
  std::size_t name_count() const { return names.size(); }
  std::size_t name_index(std::string const& name) const {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  }
  std::string const& name_at(std::size_t i) const { return names[i]; }
};
// Returns names by value, so views of them would dangle.
struct copied_names : numbered_program {
  std::string name_at(std::size_t i) const { return names[i]; }
};
static_assert(plait::has_program_names<numbered_program> && !plait::has_program_names<copied_names>);

TEST_CASE_TEMPLATE("liveness: names that are strings can be numbered", P, numbered_program, copied_names) {
  P p;
  p.names = {"a name that is too long to be kept in the string", "x", "another name that is too long for that"};
  p.targets = {{1}, {}};
  p.blocks.resize(2);
  p.blocks[0].ops = {{"Const:1", {}, {p.names[0]}}};
  p.blocks[1].ops = {{"Output", {p.names[0]}, {}}, {"Output", {p.names[2]}, {}}};
  plait::liveness const live(p);
  std::vector<std::string_view> found;
  for (std::string_view const name : live.live_in(1)) found.push_back(name);
  std::vector<std::string> const others(100, std::string(60, 'z'));  // reuses freed memory
  std::ranges::sort(found);
  CHECK(std::ranges::equal(found, std::array{p.names[0], p.names[2]}));
}

// A block handle, passed by value.
struct block_handle {
  std::vector<test::struct_net> const* blocks;
  std::size_t at;
  auto const& ops() const { return (*blocks)[at].ops; }
  auto const& external_outputs() const { return (*blocks)[at].external_outputs; }
};

TEST_CASE("liveness: nets beside a graph can be handles that are created on access") {
  for (unsigned seed = 0; seed != 100; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.declared = false});
    auto const handles = std::views::iota(std::size_t{0}, p.size()) | std::views::transform([&p](std::size_t at) {
                           return block_handle{&p.blocks, at};
                         });
    plait::blocks_of const same(p.targets, handles);
    plait::liveness const live(p);
    plait::liveness const other(same);
    REQUIRE(live.snapshot().graph().size() == other.snapshot().graph().size());
    for (auto const& n : live.snapshot().graph().order()) {
      auto const expected = live.live_in(n);
      auto const found = other.live_in(n);
      REQUIRE(std::set<std::string_view>(found.begin(), found.end()) ==
              std::set<std::string_view>(expected.begin(), expected.end()));
    }
  }
}

TEST_CASE("liveness: a query about an unreachable block violates a precondition") {
  test::net_program p;
  p.blocks.resize(2);
  p.targets.resize(2);
  p.blocks[1].ops = {{"Output", {"a"}, {}}};
  plait::liveness const live(p);
  CHECK_THROWS_AS(static_cast<void>(live.live_in(1)), plait::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(live.op(1, 0)), plait::precondition_error);
  CHECK_FALSE(live.is_live_in(0, "a"));
}

}  // namespace
