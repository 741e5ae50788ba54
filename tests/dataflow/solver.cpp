#include <plait/dataflow/solver.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/dataflow/liveness.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/own_graphs.hpp>
#include <graph/random_graphs.hpp>
#include <support/interpreter.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using plait::flow_direction;

// Liveness over std::set.
struct live_problem {
  using value_type = std::set<plait::blob_index>;
  static constexpr auto direction = flow_direction::backward;
  plait::dense_program const* code;

  value_type initial() const { return {}; }
  value_type boundary() const { return {}; }
  bool join(value_type& into, value_type const& from) const {
    std::size_t const before = into.size();
    into.insert(from.begin(), from.end());
    return into.size() != before;
  }
  void transfer_op(plait::op_index op, value_type& live) const {
    for (auto const b : code->writes(op)) live.erase(b);
    for (auto const b : code->reads(op)) live.insert(b);
  }
  std::size_t height() const { return code->blob_count(); }
};
PLAIT_CHECK_DATAFLOW_PROBLEM(live_problem);

// Length of the shortest path from the entry, at compile time.
struct distance_problem {
  using value_type = unsigned;
  static constexpr auto direction = flow_direction::forward;
  constexpr unsigned initial() const { return 1000; }
  constexpr unsigned boundary() const { return 0; }
  constexpr bool join(unsigned& into, unsigned from) const {
    bool const less = from < into;
    into = less ? from : into;
    return less;
  }
  constexpr void transfer_block(std::uint32_t, unsigned& length) const { ++length; }
};
constexpr plait::static_graph shape({{0, 1}, {1, 2}, {2, 1}, {0, 2}, {2, 3}});
static_assert([] {
  plait::flow_snapshot const g(shape);
  distance_problem const problem;
  plait::dataflow_solver<distance_problem> solver;
  solver.compute(g, problem);
  return solver.before(g.number(3)) == 2 && solver.after(g.number(1)) == 2 && solver.before(0) == 0;
}());

// Constant propagation without SSA form.
struct constant_problem {
  using map = std::map<plait::blob_index, int>;  // known blobs; nullopt: not reached yet
  using value_type = std::optional<map>;
  static constexpr auto direction = flow_direction::forward;
  test::net_program const* program;
  plait::program_snapshot<test::net_program> const* snapshot;

  value_type initial() const { return std::nullopt; }
  value_type boundary() const { return map(); }
  bool join(value_type& into, value_type const& from) const {
    if (!from || into == from) return false;
    if (!into) {
      into = from;
      return true;
    }
    return std::erase_if(*into, [&](auto const& known) {
             auto const other = from->find(known.first);
             return other == from->end() || other->second != known.second;
           }) != 0;
  }
  void transfer_op(plait::op_index op, value_type& state) const {
    if (!state) return;
    auto const& code = snapshot->code();
    std::string const& type = program->block(snapshot->node(op)).ops[snapshot->place(op)].type;
    std::vector<int> in;
    for (auto const b : code.reads(op))
      if (auto const known = state->find(b); known != state->end()) in.push_back(known->second);
    if (in.size() != code.reads(op).size() || type == "Input") {
      for (auto const b : code.writes(op)) state->erase(b);
      return;
    }
    auto const out = test::execute(type, in, [] { return 0; });
    for (std::size_t i = 0; i != out.size(); ++i) (*state)[code.writes(op)[i]] = out[i];
  }
};
PLAIT_CHECK_DATAFLOW_PROBLEM(constant_problem);

TEST_CASE("dataflow solver: liveness over sets equals bit-vector liveness at every op") {
  plait::dataflow_solver<live_problem> solver;
  for (unsigned seed = 0; seed != test::random_cases(2'000); ++seed) {
    CAPTURE(seed);
    auto p = test::random_program(seed);
    for (auto& block : p.blocks) block.external_outputs.clear();
    plait::liveness const live(p);
    auto const& code = live.snapshot().code();
    auto const& g = live.snapshot().graph();
    live_problem const problem{&code};
    solver.compute(g, code, problem);
    for (std::uint32_t b = 0; b != g.size(); ++b) {
      REQUIRE(std::ranges::equal(solver.before(b), live.dense().live_in(b)));
      REQUIRE(std::ranges::equal(solver.after(b), live.dense().live_out(b)));
      std::vector<plait::op_index> visited;
      solver.visit_ops(b, [&](plait::op_index op, auto const& before, auto const& after) {
        visited.push_back(op);
        for (plait::blob_index blob = 0; blob != code.blob_count(); ++blob) {
          REQUIRE(before.contains(blob) == live.dense().is_live_before(code, op, blob));
          REQUIRE(after.contains(blob) == live.dense().is_live_after(code, op, blob));
        }
      });
      REQUIRE(std::ranges::equal(visited | std::views::reverse, code.ops(b)));
    }
  }
}

TEST_CASE("dataflow solver: constants hold in runs of random programs") {
  plait::dataflow_solver<constant_problem> solver;
  plait::program_snapshot<test::net_program> snapshot;
  std::size_t seen = 0;
  for (unsigned seed = 0; seed != 3'000; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    snapshot.compute(p);
    constant_problem const problem{&p, &snapshot};
    solver.compute(snapshot.graph(), snapshot.code(), problem);
    test::interpret(p, seed, 60, [&](int block, auto const& env) {
      auto const state = solver.before(snapshot.graph().number(block));
      REQUIRE(state.has_value());
      for (auto const& [blob, value] : *state) {
        auto const found = env.find(snapshot.name(blob));
        REQUIRE(found != env.end());
        REQUIRE(found->second == value);
        ++seen;
      }
    });
  }
  CHECK(seen > 10'000);
}

TEST_CASE("dataflow solver: finds shortest paths on random graphs") {
  plait::dataflow_solver<distance_problem> solver;
  distance_problem const problem;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const made = test::make_graph<std::vector<std::vector<int>>>(test::random_flow_graph(seed));
    plait::flow_snapshot const g(made);
    solver.compute(g, problem);
    std::vector<unsigned> found(g.size(), plait::npos);
    std::vector<std::uint32_t> queue = {0};
    found[0] = 0;
    for (std::size_t i = 0; i != queue.size(); ++i)
      for (auto const s : g.successors(queue[i]))
        if (found[s] == plait::npos) {
          found[s] = found[queue[i]] + 1;
          queue.push_back(s);
        }
    for (std::uint32_t b = 0; b != g.size(); ++b) REQUIRE(solver.before(b) == found[b]);
  }
}

TEST_CASE("dataflow solver: an acyclic graph takes one visit per block") {
  std::vector<std::vector<int>> ladder(2'000);
  for (int i = 0; i + 2 < 2'000; ++i) ladder[static_cast<std::size_t>(i)] = {i + 2, i + 1};
  plait::flow_snapshot const g(ladder);
  distance_problem const problem;
  plait::dataflow_solver<distance_problem> solver;
  solver.compute(g, problem);
  CHECK(solver.visit_count() == g.size());
}

// True if some path passes block 1.
struct passes_one {
  using value_type = bool;
  static constexpr auto direction = flow_direction::forward;
  constexpr bool initial() const { return false; }
  constexpr bool boundary() const { return false; }
  constexpr bool join(bool& into, bool const& from) const {
    bool const changed = from && !into;
    into = into || from;
    return changed;
  }
  constexpr void transfer_block(std::uint32_t block, bool& passed) const { passed = passed || block == 1; }
  constexpr std::size_t height() const { return 1; }
};
PLAIT_CHECK_DATAFLOW_PROBLEM(passes_one);
static_assert([] {
  plait::flow_snapshot const g(shape);
  passes_one const problem;
  plait::dataflow_solver<passes_one> solver;
  solver.compute(g, problem);
  bool const& state = solver.state(g.number(2));
  return &state == &solver.state(g.number(2)) && state == (g.number(1) == 1) && !solver.before(0);
}());

TEST_CASE("dataflow solver: a state can be a bool") {
  passes_one const problem;
  plait::dataflow_solver<passes_one> solver;
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<own::graph>(test::random_flow_graph(seed));
    plait::flow_snapshot const s(g);
    solver.compute(s, problem);
    std::vector<char> behind(s.size());  // block 1
    std::vector<std::uint32_t> waiting;
    if (s.size() > 1) waiting.push_back(1);
    while (!waiting.empty()) {
      std::uint32_t const b = waiting.back();
      waiting.pop_back();
      for (std::uint32_t const to : s.successors(b))
        if (std::exchange(behind[to], 1) == 0) waiting.push_back(to);
    }
    for (std::uint32_t b = 0; b != s.size(); ++b) {
      REQUIRE(solver.before(b) == (behind[b] != 0));
      REQUIRE(solver.after(b) == (behind[b] != 0 || b == 1));
    }
  }
  auto const copy = solver;
  CHECK(copy.state(0) == solver.state(0));
}

struct counting_problem {
  using value_type = int;
  static constexpr auto direction = flow_direction::forward;
  int initial() const { return 0; }
  int boundary() const { return 1; }
  bool join(int& into, int from) const {
    bool const more = from > into;
    into = more ? from : into;
    return more;
  }
  void transfer_block(std::uint32_t, int& count) const { ++count; }
};
struct bounded_problem : counting_problem {
  std::size_t height() const { return 7; }
};

TEST_CASE("dataflow solver: divergence is an error that names the block") {
  std::vector<std::vector<int>> const loop = {{1}, {2}, {1, 3}, {}};
  plait::flow_snapshot const g(loop);
  counting_problem const problem;
  plait::dataflow_solver<counting_problem> solver;
  try {
    solver.compute(g, problem, {.max_changes = 50});
    FAIL("it ended");
  } catch (plait::dataflow_divergence const& e) {
    CHECK(e.block == 1);
    CHECK(e.changes == 51);
    CHECK(std::string(e.what()) ==
          "plait: the dataflow problem does not converge: the state of block 1 has changed 51 times");
  }
  CHECK_THROWS_AS(solver.compute(g, problem), plait::dataflow_divergence);
  bounded_problem const bounded;
  plait::dataflow_solver<bounded_problem> other;
  try {
    other.compute(g, bounded);
    FAIL("it ended");
  } catch (plait::dataflow_divergence const& e) {
    CHECK(e.changes == 8);
  }
  std::vector<std::vector<int>> const line = {{1}, {}};  // solved after an error
  plait::flow_snapshot const straight(line);
  solver.compute(straight, problem);
  CHECK(solver.after(1) == 3);
}

struct no_join {
  using value_type = int;
  static constexpr auto direction = flow_direction::forward;
  int initial() const { return 0; }
  int boundary() const { return 0; }
  void transfer_block(std::uint32_t, int&) const {}
};
static_assert(!plait::dataflow_problem<int> && !plait::dataflow_problem<no_join> &&
              plait::dataflow_problem<counting_problem> && plait::has_op_transfer<live_problem> &&
              !plait::has_block_transfer<live_problem> && !plait::has_join<no_join>);

}  // namespace
