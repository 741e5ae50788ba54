#include <plait/dataflow/bidirectional_solver.hpp>

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/net/static_net.hpp>
#include <plait/ssa/construction.hpp>

#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

// All operands of an op have one status.
struct unify {
  using value_type = std::optional<int>;
  std::size_t visits = 0;

  static constexpr value_type initial() { return std::nullopt; }
  constexpr void transfer(std::uint32_t, std::span<value_type> in, std::span<value_type> out) {
    ++visits;
    value_type all;
    for (auto const& operands : {in, out})
      for (auto const& status : operands)
        if (!all) all = status;
    for (auto const& operands : {in, out})
      for (auto& status : operands) status = all;
  }
  constexpr bool join(std::uint32_t, std::uint32_t, bool, value_type& known, value_type const& said) {
    if (!said || known == said) return false;
    if (known) throw std::logic_error("conflict");
    known = said;
    return true;
  }
};

constexpr plait::static_net chain{plait::op("F", {"a"}, {"b"}), plait::op("F", {"b"}, {"c"}),
                                  plait::op("F", {"x"}, {"y"})};
static_assert([] {
  plait::single_block const p(chain);
  plait::program_ssa const ssa(p);
  plait::ssa_operand_graph const form(ssa.form());
  plait::bidirectional_solver<std::optional<int>> solver;
  solver.reset(ssa.form().value_count(), std::nullopt);
  plait::value_index const a = ssa.form().reads(0)[0], b = ssa.form().writes(0)[0], c = ssa.form().writes(1)[0];
  solver[c] = 7;
  unify problem;
  solver.solve(form, problem);
  return solver[a] == 7 && solver[b] == 7 && !solver[ssa.form().writes(2)[0]];
}());

TEST_CASE("bidirectional solver: a status reaches its connected component in random programs") {
  plait::program_ssa<test::net_program> ssa;
  plait::bidirectional_solver<std::optional<int>> solver, swept;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    auto const& form = ssa.form();
    plait::ssa_operand_graph const graph(form);
    std::size_t const count = form.value_count();

    std::vector<std::size_t> parent(count);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    auto const root = [&](std::size_t v) {
      while (parent[v] != v) v = parent[v];
      return v;
    };
    std::size_t operands = 0;
    for (std::uint32_t op = 0; op != graph.op_count(); ++op) {
      std::vector<plait::value_index> all(graph.reads(op).begin(), graph.reads(op).end());
      all.insert(all.end(), graph.writes(op).begin(), graph.writes(op).end());
      operands += all.size();
      for (auto const v : all) parent[root(v)] = root(all.front());
    }
    if (count == 0) continue;
    auto const known = static_cast<plait::value_index>(seed % count);
    solver.reset(count, std::nullopt);
    swept.reset(count, std::nullopt);
    solver[known] = swept[known] = 5;
    unify problem, sweeping;
    solver.solve(graph, problem);
    swept.sweep(graph, sweeping);
    for (std::size_t v = 0; v != count; ++v) {
      REQUIRE(solver[v] == (root(v) == root(known) ? std::optional(5) : std::nullopt));
      if (swept[v]) REQUIRE(solver[v] == swept[v]);
    }
    REQUIRE(problem.visits <= graph.op_count() + operands);
    REQUIRE(sweeping.visits == 2 * graph.op_count());
  }
}

TEST_CASE("bidirectional solver: propagates backward through a long chain in linear time") {
  test::struct_net net;
  std::size_t const count = 200'000;
  for (std::size_t i = 0; i != count; ++i)
    net.ops.push_back({"Copy", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}});
  plait::single_block const p(net);
  plait::program_ssa const ssa(p);
  plait::ssa_operand_graph const form(ssa.form());
  plait::bidirectional_solver<std::optional<int>> solver;
  solver.reset(ssa.form().value_count(), std::nullopt);
  solver[ssa.form().writes(static_cast<plait::op_index>(count - 1))[0]] = 1;
  unify problem;
  solver.solve(form, problem);
  CHECK(solver[ssa.form().reads(0)[0]] == 1);
  CHECK(problem.visits <= 3 * count);
}

TEST_CASE("bidirectional solver: join can throw") {
  test::net_program const p{{{{{"Copy", {"a"}, {"b"}}}}}, {{}}};
  plait::program_ssa const ssa(p);
  plait::bidirectional_solver<std::optional<int>> solver;
  solver.reset(ssa.form().value_count(), std::nullopt);
  solver[ssa.form().reads(0)[0]] = 1;
  solver[ssa.form().writes(0)[0]] = 2;
  unify problem;
  plait::ssa_operand_graph const form(ssa.form());
  CHECK_THROWS_AS(solver.solve(form, problem), std::logic_error);
}

// A fact about one operand of an op holds for all.
struct reduction_backward {
  using value_type = bool;
  static constexpr bool initial() { return false; }
  constexpr void transfer(std::uint32_t, std::span<bool> in, std::span<bool> out) {
    bool any = false;
    for (auto const& operands : {in, out})
      for (bool const known : operands) any = any || known;
    for (auto const& operands : {in, out})
      for (bool& known : operands) known = any;
  }
  constexpr bool join(std::uint32_t, std::uint32_t, bool, bool& known, bool const& said) {
    return std::exchange(known, said) != said;
  }
};
static_assert([] {
  plait::single_block const p(chain);
  plait::program_ssa const ssa(p);
  plait::ssa_operand_graph const form(ssa.form());
  plait::bidirectional_solver<bool> solver;
  solver.reset(ssa.form().value_count(), false);
  plait::value_index const a = ssa.form().reads(0)[0], c = ssa.form().writes(1)[0], y = ssa.form().writes(2)[0];
  solver[c] = true;
  reduction_backward problem;
  solver.solve(form, problem);
  return solver[a] && solver.states()[c] && !solver[y] && solver.take()[a];
}());

static_assert(!plait::bidirectional_problem<int> && plait::bidirectional_problem<unify> &&
              plait::operand_graph<plait::ssa_operand_graph> && !plait::operand_graph<int>);

}  // namespace
