#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/dependency_graph.hpp>

#include <net/nested_net.hpp>
#include <net/random_nets.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dependencies.hpp>

namespace {

using kind = plait::dependency_kind;
using plait::dependency;
using plait::dependency_graph;
using plait::dependency_options;

constexpr dependency_options everything{.write_after_read = true, .write_after_write = true};

template <class N>
std::vector<oracle::named_dependency> named(N const& n, plait::ssa_form<N> const& ssa, dependency_graph const& g) {
  std::vector<oracle::named_dependency> made;
  for (plait::dependency_id e : g.edge_ids()) {
    std::set<std::string> blobs;
    for (plait::value v : g.values(e)) REQUIRE(blobs.insert(test::text_of(n, ssa.name(v))).second);
    REQUIRE(g.values(e)[0].blob == g[e].blob);
    made.emplace_back(g[e].from, g[e].to, g[e].kind, blobs);
  }
  std::ranges::sort(made);
  return made;
}

// Checks that rows, edge list and flow graph have the same edges.
void check_laws(dependency_graph const& g) {
  std::size_t out_edges = 0;
  REQUIRE(g.edges().size() == g.edge_count());
  REQUIRE(g.size() == g.op_count() + 1);
  std::vector<plait::op_index> roots;
  for (plait::op_index op = 0; op != g.op_count(); ++op) {
    std::vector<plait::op_index> before;
    std::vector<plait::op_index> after;
    for (plait::dependency_id e : g.in_edges(op)) {
      REQUIRE(g[e].to == op);
      REQUIRE(g[e].from < op);
      REQUIRE(g[e] == g.edges()[e.index]);
      before.push_back(g[e].from);
    }
    for (plait::dependency_id e : g.out_edges(op)) {
      REQUIRE(g[e].from == op);
      after.push_back(g[e].to);
      ++out_edges;
    }
    REQUIRE(std::ranges::is_sorted(after));
    REQUIRE(std::ranges::equal(g.successors(op), after));
    if (before.empty()) {
      roots.push_back(op);
      before.push_back(g.entry());
    }
    REQUIRE(std::ranges::equal(g.predecessors(op), before));
    REQUIRE(g[op].op == op);
  }
  REQUIRE(out_edges == g.edge_count());
  REQUIRE(std::ranges::equal(g.successors(g.entry()), roots));
  REQUIRE(g.predecessors(g.entry()).empty());
}

// Returns a random topological order; each has a positive probability.
std::vector<plait::op_index> random_order(std::mt19937& random, dependency_graph const& g) {
  std::vector<std::size_t> waits;
  std::vector<plait::op_index> ready;
  for (plait::op_index op = 0; op != g.op_count(); ++op) {
    waits.push_back(g.in_edges(op).size());
    if (waits.back() == 0) ready.push_back(op);
  }
  std::vector<plait::op_index> order;
  while (!ready.empty()) {
    std::size_t const at = random() % ready.size();
    plait::op_index const op = ready[at];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    order.push_back(op);
    for (plait::dependency_id e : g.out_edges(op))
      if (--waits[g[e].to] == 0) ready.push_back(g[e].to);
  }
  return order;
}

}  // namespace

static_assert(plait::bidirectional_flow_graph<dependency_graph> && plait::has_nodes<dependency_graph>);
static_assert(plait::check_flow_graph<dependency_graph>());

TEST_CASE_TEMPLATE("dependency graph: matches the definition on random nets", N, PLAIT_ALL_NETS) {
  std::mt19937 random(11);
  dependency_graph reused;
  for (int round = 0; round != 500; ++round) {
    test::struct_net const from = test::random_small_net(random);
    N const n = test::make_net<N>(from);
    auto const ssa = plait::get_ssa(n);
    for (bool const war : {false, true})
      for (bool const waw : {false, true}) {
        dependency_options const options{.write_after_read = war, .write_after_write = waw};
        reused.compute(n, ssa, options);
        REQUIRE(named(n, ssa, reused) == oracle::dependencies(from, options));
        check_laws(reused);
      }
  }
}

TEST_CASE("dependency graph: every topological order of the full graph computes the same") {
  std::mt19937 random(12);
  std::size_t moved = 0;
  for (int round = 0; round != 2'000; ++round) {
    test::struct_net const from = test::random_small_net(random, 20);
    auto const ssa = plait::get_ssa(from);
    dependency_graph const g(from, ssa, everything);
    std::vector<plait::op_index> const order = random_order(random, g);
    REQUIRE(order.size() == from.ops.size());  // acyclic: contains every op
    test::struct_net permuted = from;
    for (std::size_t i = 0; i != order.size(); ++i) permuted.ops[i] = from.ops[order[i]];
    if (permuted != from) ++moved;

    auto const after = plait::get_ssa(permuted);
    auto const texts = [](auto const& form, auto const& values) {
      std::vector<std::pair<std::string, std::uint32_t>> made;
      for (plait::value v : values) made.emplace_back(form.name(v), v.version);
      return made;
    };
    for (plait::op_index i = 0; i != order.size(); ++i) {
      REQUIRE(texts(after, after.reads(i)) == texts(ssa, ssa.reads(order[i])));
      REQUIRE(texts(after, after.writes(i)) == texts(ssa, ssa.writes(order[i])));
    }
    REQUIRE(texts(after, after.external_outputs()) == texts(ssa, ssa.external_outputs()));
  }
  CHECK(moved > 1'000);  // else the law is not tested
}

TEST_CASE("dependency graph: anti-dependences (WAR) are only edges on request") {
  test::struct_net const n{{{"Copy", {"x"}, {"y"}}, {"Fill", {}, {"x"}}}};
  CHECK(plait::dependencies(n).edge_count() == 0);
  dependency_graph const g = plait::dependencies(n, everything);
  REQUIRE(g.edge_count() == 1);
  CHECK(g.edges()[0] == dependency{0, 1, kind::war, 0});
}

TEST_CASE("dependency graph: has one edge per pair and kind for any number of blobs") {
  test::struct_net const n{{{"Split", {"x"}, {"a", "b"}}, {"Swap", {"a", "b", "a"}, {"b", "a"}}}};
  auto const ssa = plait::get_ssa(n);
  dependency_graph const g(n, ssa, everything);
  REQUIRE(g.edge_count() == 2);
  CHECK(g.edges()[0].kind == kind::raw);
  CHECK(g.edges()[1].kind == kind::waw);
  plait::blob_index const a = ssa.find("a");
  plait::blob_index const b = ssa.find("b");
  CHECK(std::ranges::equal(g.values({0}), std::vector<plait::value>{{a, 1}, {b, 1}}));
  CHECK(std::ranges::equal(g.values({1}), std::vector<plait::value>{{b, 1}, {a, 1}}));
  CHECK(g.successors(0).size() == 2);
}

TEST_CASE("dependency graph: control inputs are edges of kind control and count as readers for WAR") {
  plait::netdef n;
  n.add_op("Fill", {}, {"c"});
  plait::op_def& waiting = n.add_op("Relu", {"c", "x"}, {"y"});
  waiting.edit_extras().control_input = {n.intern("c")};
  plait::op_def& only_waiting = n.add_op("Relu", {"x"}, {"z"});
  only_waiting.edit_extras().control_input = {n.intern("c")};
  n.add_op("Fill", {}, {"c"});

  CHECK(plait::dependencies(n).edge_count() == 1);
  dependency_graph const g = plait::dependencies(n, everything, {.control_inputs = true});
  plait::blob_index const c = n.find("c").id;
  std::vector<dependency> const want = {{0, 1, kind::raw, c}, {0, 1, kind::control, c}, {0, 2, kind::control, c},
                                        {0, 3, kind::waw, c}, {1, 3, kind::war, c},     {2, 3, kind::war, c}};
  CHECK(std::ranges::equal(g.edges(), want));
  for (plait::dependency_id e : g.edge_ids()) CHECK(g.values(e).size() == 1);
  check_laws(g);
}

TEST_CASE("dependency graph: nested nets depend through their ops") {
  test::nested_net n;
  n.ops.push_back({{}, {"w"}});
  auto inner = std::make_shared<test::nested_net>();
  inner->ops.push_back({{"w"}, {"y"}});
  n.ops.push_back({{}, {}, {{inner}}});
  n.ops.push_back({{"y"}, {"z"}});
  CHECK(plait::dependencies(n).edge_count() == 0);
  dependency_graph const g = plait::dependencies(n, {}, {.subnets = true});
  REQUIRE(g.edge_count() == 2);
  CHECK(g.edges()[0].to == 1);
  CHECK(g.edges()[1].from == 1);
}

TEST_CASE("dependency graph: outlives net and form, and copies are independent") {
  auto n = std::make_unique<test::struct_net>(test::struct_net{{{"A", {}, {"x"}}, {"B", {"x"}, {"y"}}}});
  auto g = std::make_unique<dependency_graph>(plait::dependencies(*n));
  n.reset();
  dependency_graph const copy = *g;
  g.reset();
  CHECK(copy.edges()[0].to == 1);
  CHECK(copy.values({0}).size() == 1);
}

TEST_CASE("dependency graph: the entry reaches every op, also in an empty net") {
  dependency_graph const none;
  CHECK(none.size() == 1);
  CHECK(none.entry() == 0);
  CHECK(none.successors(0).empty());
  CHECK(plait::dependencies(test::struct_net{}).size() == 1);

  test::struct_net const n{{{"A", {}, {"x"}}, {"B", {}, {"y"}}, {"C", {"x"}, {"z"}}}};
  dependency_graph const g = plait::dependencies(n);
  CHECK(std::ranges::equal(g.successors(g.entry()), std::vector{0, 1}));
}

TEST_CASE("dependency graph: the form of another net violates a precondition") {
  test::struct_net const n{{{"A", {}, {"x"}}}};
  test::struct_net const other{{{"A", {}, {"x"}}, {"B", {"x"}, {}}}};
  CHECK_THROWS_AS(dependency_graph(other, plait::get_ssa(n)), plait::precondition_error);
  CHECK_THROWS_AS(dependency_graph(n, plait::get_ssa(other)), plait::precondition_error);
  CHECK_THROWS_AS((void)dependency_graph()[plait::dependency_id{0}], plait::precondition_error);
}

TEST_CASE("dependency graph: is linear for wide fans and ops with many outputs") {
  constexpr int width = 100'000;
  test::struct_net fan;  // one writer, many readers, one writer again
  fan.ops.push_back({"A", {}, {"x"}});
  for (int i = 0; i != width; ++i) fan.ops.push_back({"B", {"x"}, {}});
  fan.ops.push_back({"C", {}, {"x"}});
  CHECK(plait::dependencies(fan, everything).edge_count() == 2 * width + 1);

  test::struct_net pair{{{"Split", {}, {}}, {"Concat", {}, {}}}};
  for (int i = 0; i != width; ++i) pair.ops[0].outputs.push_back("b" + std::to_string(i));
  pair.ops[1].inputs = pair.ops[0].outputs;
  dependency_graph const g = plait::dependencies(pair, everything);
  CHECK(g.edge_count() == 1);
  CHECK(g.values({0}).size() == width);
}

namespace {
constexpr plait::static_net chain{plait::op("Mul", {"x", "w"}, {"y"}), plait::op("Add", {"y", "b"}, {"y"}),
                                  plait::op("Fill", {}, {"x"})};
static_assert(plait::dependencies(chain).edge_count() == 1);
static_assert(plait::dependencies(chain, everything).edge_count() == 3);
static_assert(plait::dependencies(chain, everything).edges()[2].kind == kind::war);
static_assert(plait::dependencies(chain).successors(3)[1] == 2);
}  // namespace
