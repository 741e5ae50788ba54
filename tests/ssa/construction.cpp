#include <plait/ssa/construction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/dominators.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dominators.hpp>
#include <support/random_cases.hpp>
#include <support/random_net.hpp>

namespace {

using test::struct_net;
using edges = std::vector<std::vector<int>>;

plait::op_spec made(std::string type, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  plait::op_spec op;
  op.type = std::move(type);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

std::vector<struct_net> random_blocks(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<struct_net> blocks;
  for (std::size_t i = 0; i != count; ++i) {
    blocks.push_back(test::random_net(random, {.most_ops = 3, .blobs = 4, .declared = false}));
    if (random() % 3 != 0) blocks.back().external_outputs.clear();
  }
  return blocks;
}

// The definition of a value along a path: an op, or outside.
struct origin {
  plait::op_index op = plait::npos;
  std::string blob;
  friend bool operator==(origin const&, origin const&) = default;
};

// Walks through the program at random and compares each read with the last write on the path.
template <class P>
void check_walk(P const& p, plait::program_ssa<P> const& ssa, std::mt19937& random) {
  auto const& graph = ssa.graph();
  auto const& form = ssa.form();
  std::vector<origin> seen(form.value_count());  // by value: its current definition
  std::vector<plait::op_index> last(form.blob_count(), plait::npos);
  auto const text = [&](plait::blob_index b) { return std::string(ssa.name(b)); };
  for (plait::value_index v = 0; v != form.value_count(); ++v) seen[v] = {plait::npos, text(form.blob(v))};
  auto const check_reads = [&](auto const& values, auto const& blobs) {
    REQUIRE(values.size() == blobs.size());
    for (std::size_t i = 0; i != blobs.size(); ++i) {
      REQUIRE(form.blob(values[i]) == blobs[i]);
      REQUIRE(seen[values[i]] == origin{last[blobs[i]], text(blobs[i])});
    }
  };

  std::uint32_t block = 0;
  std::size_t slot = plait::npos;  // index of the predecessor; npos: outside
  for (int step = 0; step != 40; ++step) {
    std::vector<std::pair<plait::value_index, origin>> merged;  // phis are evaluated in parallel
    for (plait::phi_index const phi : form.phis(block)) {
      auto const arguments = form.arguments(phi);
      REQUIRE(arguments.size() == graph.predecessors(block).size() + (block == 0 ? 1 : 0));
      merged.emplace_back(form.result(phi), seen[slot == plait::npos ? arguments.back() : arguments[slot]]);
    }
    for (auto& [result, from] : merged) seen[result] = from;
    for (plait::op_index const op : form.ops(block)) {
      check_reads(form.reads(op), ssa.snapshot().code().reads(op));
      for (plait::value_index const v : form.writes(op)) seen[v] = {op, text(form.blob(v))};
      for (plait::blob_index const b : ssa.snapshot().code().writes(op)) last[b] = op;
    }
    check_reads(form.results(block), ssa.snapshot().code().results(block));
    auto const successors = graph.successors(block);
    if (successors.empty()) break;
    std::size_t const taken = random() % successors.size();
    std::uint32_t const from = std::exchange(block, successors[taken]);
    auto const entering = graph.predecessors(block);
    slot = static_cast<std::size_t>(std::ranges::find(entering, from) - entering.begin());
  }
  static_cast<void>(p);
}

// Places phis by the definition: iterated dominance frontiers, to a fixed point.
std::set<std::pair<std::uint32_t, plait::blob_index>> naive_phis(plait::dense_graph const& g,
                                                                 plait::dense_dominators const& tree,
                                                                 plait::dense_program const& p,
                                                                 plait::phi_pruning pruning) {
  std::set<std::pair<std::uint32_t, plait::blob_index>> found;
  for (plait::blob_index blob = 0; blob != p.blob_count(); ++blob) {
    std::set<std::uint32_t> defines;  // without the definitions on entry, which dominate all
    std::set<std::uint32_t> exposed;
    bool written = false;
    for (std::uint32_t b = 0; b != g.size(); ++b) {
      bool here = false;
      for (plait::op_index const op : p.ops(b)) {
        if (!here && std::ranges::count(p.reads(op), blob) != 0) exposed.insert(b);
        if (std::ranges::count(p.writes(op), blob) != 0) here = written = true;
      }
      if (here) defines.insert(b);
      if (!here && std::ranges::count(p.results(b), blob) != 0) exposed.insert(b);
    }
    if (!written) continue;
    std::set<std::uint32_t> const really = defines;
    std::set<std::uint32_t> live = exposed;
    for (bool grown = true; grown;) {
      grown = false;
      for (std::uint32_t b = 0; b != g.size(); ++b) {
        if (live.contains(b)) continue;
        bool const writes = std::ranges::any_of(
            p.ops(b), [&](plait::op_index op) { return std::ranges::count(p.writes(op), blob) != 0; });
        if (!writes && std::ranges::any_of(g.successors(b), [&](std::uint32_t s) { return live.contains(s); }))
          grown = live.insert(b).second;
      }
    }
    if (pruning == plait::phi_pruning::semi_pruned && exposed.empty()) continue;
    for (bool grown = true; grown;) {
      grown = false;
      for (std::uint32_t b = 0; b != g.size(); ++b) {
        if (found.contains({b, blob}) || (pruning == plait::phi_pruning::pruned && !live.contains(b))) continue;
        // b is in the frontier of a definition that dominates a predecessor of b, but not strictly b.
        bool const in_frontier = std::ranges::any_of(g.predecessors(b), [&](std::uint32_t before) {
          return std::ranges::any_of(
              defines, [&](std::uint32_t d) { return tree.dominates(d, before) && !tree.strictly_dominates(d, b); });
        });
        if (!in_frontier) continue;
        found.emplace(b, blob);
        defines.insert(b);
        grown = true;
      }
    }
  }
  return found;
}

constexpr auto all_prunings = {plait::phi_pruning::pruned, plait::phi_pruning::semi_pruned,
                               plait::phi_pruning::minimal};

}  // namespace

TEST_CASE("ssa construction: reads see the last write, and phis are in the iterated dominance frontiers") {
  std::mt19937 random(5);
  plait::program_ssa<plait::blocks_of<edges, std::vector<struct_net>>> ssa;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<edges>(test::random_flow_graph(seed, 9));
    auto const blocks = random_blocks(seed, g.size());
    plait::blocks_of const p(g, blocks);
    for (plait::phi_pruning const pruning : all_prunings) {
      ssa.compute(p, {.pruning = pruning});
      for (int walk = 0; walk != 4; ++walk) check_walk(p, ssa, random);
      std::set<std::pair<std::uint32_t, plait::blob_index>> placed;
      for (auto const& block : ssa.graph().order())
        for (auto const& phi : ssa.phis(block)) placed.emplace(ssa.graph().number(block), phi.result().blob);
      REQUIRE(placed.size() == ssa.phi_count());
      REQUIRE(placed == naive_phis(ssa.graph(), ssa.dominators(), ssa.snapshot().code(), pruning));
    }
  }
}

TEST_CASE_TEMPLATE("ssa construction: works on every graph type", G, PLAIT_ALL_GRAPHS) {
  std::mt19937 random(9);
  for (unsigned seed = 0; seed != 200; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<G>(test::random_flow_graph(seed, 9));
    auto const blocks = random_blocks(seed, plait::graph_size(g));
    plait::blocks_of const p(g, blocks);
    static_assert(plait::check_program<decltype(p)>());
    plait::program_ssa const ssa(p);
    for (int walk = 0; walk != 4; ++walk) check_walk(p, ssa, random);
  }
}

TEST_CASE_TEMPLATE("ssa construction: a program of one node has the versions of get_ssa", N, PLAIT_ALL_NETS) {
  std::mt19937 random(3);
  for (int i = 0; i != 300; ++i) {
    CAPTURE(i);
    N const n = test::make_net<N>(test::random_net(random, {.declared = i % 2 == 0}));
    plait::single_block const p(n);
    static_assert(plait::check_program<decltype(p)>());
    plait::program_ssa const ssa(p);
    plait::ssa_form<N> const expected = plait::get_ssa(n);
    CHECK(ssa.phi_count() == 0);
    REQUIRE(ssa.form().op_count() == expected.op_count());
    auto const same = [&](auto const& ours, auto const& theirs) {
      return std::ranges::equal(ours, theirs, [&](plait::value a, plait::value b) {
        return ssa.name(a) == expected.name(b) && a.version == b.version;
      });
    };
    for (plait::op_index op = 0; op != expected.op_count(); ++op) {
      REQUIRE(same(ssa.reads(op), expected.reads(op)));
      REQUIRE(same(ssa.writes(op), expected.writes(op)));
      for (plait::value const v : expected.writes(op)) {
        plait::value const ours{ssa.find(expected.name(v)), v.version};
        CHECK(ssa.definition(ours) == plait::ssa_site::of_op(op));
        std::vector<plait::operand> uses;
        for (plait::ssa_use const& use : ssa.uses(ours)) uses.push_back({use.site.op(), use.slot});
        CHECK(std::ranges::equal(uses, expected.consumers(v)));
      }
    }
    CHECK(same(ssa.results(0), expected.external_outputs()));
    auto const is_declared = [&](plait::blob_index b) {
      return std::ranges::any_of(expected.external_inputs(), [&](plait::value v) { return v.blob == b; });
    };
    std::set<std::string> undefined, missing;
    for (plait::ssa_use const& use : ssa.undefined_uses())
      undefined.insert(test::text_of(n, ssa.name(*(ssa.reads(use.site.op()).begin() + use.slot))));
    for (plait::blob_index const b : expected.undefined())
      if (!is_declared(b)) missing.insert(test::text_of(n, expected.name(b)));
    CHECK(undefined == missing);
  }
}

TEST_CASE("ssa construction: phis of the entry have an argument for the value on entry") {
  edges const loop = {{0, 1}, {}};
  std::vector<struct_net> blocks(2);
  blocks[0].external_inputs = {"i"};
  blocks[0].ops = {made("Add", {"i"}, {"i"})};
  blocks[1].external_outputs = {"i"};
  plait::blocks_of const p(loop, blocks);
  plait::program_ssa const ssa(p);
  REQUIRE(ssa.phis(0).size() == 1);
  auto const phi = ssa.phis(0)[0];
  CHECK(phi.result() == plait::value{0, 1});
  CHECK(std::ranges::equal(phi.arguments(), std::array{plait::value{0, 2}, plait::value{0, 0}}));
  CHECK(std::ranges::equal(phi.predecessors(), std::array{0}));
  CHECK(std::ranges::equal(ssa.reads(0), std::array{plait::value{0, 1}}));
  CHECK(std::ranges::equal(ssa.results(1), std::array{plait::value{0, 2}}));
  CHECK(ssa.undefined_uses().empty());
  CHECK(ssa.possibly_undefined_uses().empty());
}

TEST_CASE("ssa construction: undefined_uses reports reads before any write") {
  //  0 → 1 → 3, 0 → 2 → 3: x is written in 1 only, y nowhere
  edges const diamond = {{1, 2}, {3}, {3}, {}};
  std::vector<struct_net> blocks(4);
  blocks[1].ops = {made("Source", {}, {"x"})};
  blocks[3].ops = {made("Sink", {"x", "y"}, {})};
  plait::blocks_of const p(diamond, blocks);
  plait::program_ssa const ssa(p);
  plait::op_index const sink = ssa.op(3, 0);
  CHECK(ssa.undefined_uses() == std::vector<plait::ssa_use>{{plait::ssa_site::of_op(sink), 1}});
  CHECK(ssa.possibly_undefined_uses() ==
        std::vector<plait::ssa_use>{{plait::ssa_site::of_op(sink), 0}, {plait::ssa_site::of_op(sink), 1}});
  CHECK(ssa.find(std::string("z")) == plait::npos);
}

TEST_CASE("ssa construction: handles a chain of a million blocks with a back edge") {
  constexpr int n = 1'000'000;
  edges chain(n);
  for (int i = 0; i + 1 != n; ++i) chain[static_cast<std::size_t>(i)] = {i + 1};
  chain[n - 2].push_back(1);
  std::vector<struct_net> blocks(n);
  blocks[0].ops = {made("Source", {}, {"x"})};
  blocks[n - 2].ops = {made("Add", {"x"}, {"x"})};
  blocks[n - 1].external_outputs = {"x"};
  plait::blocks_of const p(chain, blocks);
  plait::program_ssa const ssa(p);
  CHECK(ssa.phi_count() == 1);
  CHECK(ssa.phis(1).size() == 1);
  CHECK(std::ranges::equal(ssa.results(n - 1), std::array{plait::value{0, 3}}));
}

namespace {
// A loop with a diamond in it, in SSA form at compile time.
using plait::op;
constexpr plait::static_graph cfg({{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}});
constexpr std::array code{
    plait::static_net{plait::externals({"n"}, {}), op("Const", {"n"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {}), op("Less", {"i"}, {"c"})},
    plait::static_net{plait::externals({"n"}, {}), op("Neg", {"i"}, {"t"})},
    plait::static_net{plait::externals({"n"}, {}), op("Inc", {"i"}, {"t"})},
    plait::static_net{plait::externals({"n"}, {}), op("Copy", {"t"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {}), op("Sink", {"i"}, {"r"})},
};
constexpr plait::blocks_of compiled(cfg, code);
static_assert(plait::check_program<decltype(compiled)>());
static_assert([] {
  plait::program_ssa const ssa(compiled);
  auto const i = ssa.find("i");
  auto const t = ssa.find("t");
  return ssa.phi_count() == 2 && std::ranges::equal(ssa.reads(ssa.op(1, 0)), std::array{plait::value{i, 2}}) &&
         std::ranges::equal(ssa.phis(1)[0].arguments(), std::array{plait::value{i, 1}, plait::value{i, 3}}) &&
         ssa.phis(4)[0].result() == plait::value{t, 3} && ssa.undefined_uses().empty() &&
         ssa.possibly_undefined_uses().empty();
}());
}  // namespace
