#include <plait/ssa/verify.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/construction.hpp>

#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using plait::ssa_fault;
using plait::ssa_site;
using plait::ssa_violation;

using program_form = plait::program_ssa<test::net_program>;

// Returns true if every path from the entry to the end of `to`, or to its op `before`, passes the definition.
bool is_dominated(program_form const& ssa, plait::dense_ssa const& form, plait::value_index v, std::uint32_t to,
                  plait::op_index before) {
  ssa_site const made = form.definition(v);
  if (made == ssa_site()) return true;
  std::uint32_t const from = form.block_of_value(v);
  if (from == to && (made.is_phi() || made.op() < before)) return true;
  // The definition follows the use in its block: a path around a loop has passed the use before.
  if (from == to) return false;
  std::vector<char> seen(form.block_count(), 0);
  std::vector<std::uint32_t> waiting;
  if (from != 0) waiting.push_back(0);
  while (!waiting.empty()) {
    std::uint32_t const at = waiting.back();
    waiting.pop_back();
    if (seen[at] != 0 || at == from) continue;
    seen[at] = 1;
    for (std::uint32_t const next : ssa.graph().successors(at)) waiting.push_back(next);
  }
  return seen[to] == 0;
}

test::net_program diamond_with_loop() {
  // 0 → 1 → {2, 3} → 4 → {1, 5}
  test::net_program p;
  p.targets = {{1}, {2, 3}, {4}, {4}, {1, 5}, {}};
  p.blocks.resize(6);
  p.blocks[0].external_inputs = {"n"};
  p.blocks[0].ops = {{"Copy", {"n"}, {"i"}}};
  p.blocks[1].ops = {{"Branch", {"i"}, {}}};
  p.blocks[2].ops = {{"Const:1", {}, {"t"}}};
  p.blocks[3].ops = {{"Const:2", {}, {"t"}}};
  p.blocks[4].ops = {{"Add", {"i", "t"}, {"i"}}, {"Branch", {"i"}, {}}};
  p.blocks[5].external_outputs = {"i"};
  return p;
}

}  // namespace

TEST_CASE("verify ssa: accepts construction, and a changed use exactly if its definition dominates it") {
  program_form ssa;
  std::mt19937 random(11);
  std::size_t wrong = 0;
  for (unsigned seed = 0; seed != test::random_cases(2'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    for (auto const pruning :
         {plait::phi_pruning::pruned, plait::phi_pruning::semi_pruned, plait::phi_pruning::minimal}) {
      ssa.compute(p, {.pruning = pruning});
      REQUIRE(plait::verify_ssa(ssa).empty());
    }
    plait::dense_ssa const& form = ssa.form();
    if (form.value_count() == 0) continue;
    plait::dense_ssa changed = form;
    std::vector<ssa_violation> expected;
    for (std::uint32_t b = 0; b != form.block_count(); ++b) {
      for (auto const phi : form.phis(b)) {
        auto const slot = static_cast<std::uint32_t>(random() % form.arguments(phi).size());
        auto const v = changed.phi_arguments[phi][slot] =
            static_cast<plait::value_index>(random() % form.value_count());
        auto const before = ssa.graph().predecessors(b);
        bool const fine = slot == before.size() ? form.definition(v) == ssa_site()
                                                : is_dominated(ssa, form, v, before[slot], plait::npos);
        if (!fine) expected.push_back({ssa_fault::argument_not_dominated, b, ssa_site::of_phi(phi), slot, v});
      }
      for (auto const op : form.ops(b))
        for (std::uint32_t slot = 0; slot != form.reads(op).size(); ++slot) {
          auto const v = changed.op_reads[op][slot] = static_cast<plait::value_index>(random() % form.value_count());
          if (!is_dominated(ssa, form, v, b, op))
            expected.push_back({ssa_fault::use_not_dominated, b, ssa_site::of_op(op), slot, v});
        }
      for (std::uint32_t slot = 0; slot != form.results(b).size(); ++slot) {
        auto const v = changed.block_results[b][slot] = static_cast<plait::value_index>(random() % form.value_count());
        if (!is_dominated(ssa, form, v, b, plait::npos))
          expected.push_back({ssa_fault::use_not_dominated, b, ssa_site(), slot, v});
      }
    }
    wrong += expected.size();
    REQUIRE(plait::verify_ssa(ssa.graph(), ssa.dominators(), changed) == expected);
  }
  CHECK(wrong > 1'000);
}

TEST_CASE("verify ssa: reports every kind of fault at its place") {
  auto const p = diamond_with_loop();
  program_form const ssa(p);
  auto const& graph = ssa.graph();
  plait::dense_ssa const good = ssa.form();
  REQUIRE(plait::verify_ssa(ssa).empty());
  auto const verify = [&](plait::dense_ssa const& form) { return plait::verify_ssa(graph, ssa.dominators(), form); };
  std::uint32_t const head = graph.number(1);
  std::uint32_t const join = graph.number(4);
  plait::phi_index const phi = good.phis(head).front();
  plait::op_index const add = ssa.op(4, 0);
  plait::value_index const sum = good.writes(add)[0];
  auto const unknown = static_cast<plait::value_index>(good.value_count() + 3);

  SUBCASE("unknown values") {
    plait::dense_ssa bad = good;
    bad.op_reads[add][1] = unknown;
    bad.phi_arguments[phi][0] = plait::npos;
    CHECK(verify(bad) ==
          std::vector<ssa_violation>{{ssa_fault::argument_count, head, ssa_site::of_phi(phi), 0, good.result(phi)},
                                     {ssa_fault::unknown_value, join, ssa_site::of_op(add), 1, unknown}});
  }
  SUBCASE("two definitions") {
    plait::dense_ssa bad = good;
    plait::op_index const other = ssa.op(2, 0);
    plait::value_index const lost = good.writes(other)[0];
    bad.op_writes[other][0] = sum;
    bool const first = other < add;  // `other` precedes `add`
    auto const found = verify(bad);
    REQUIRE(first);
    CHECK(std::ranges::count(
              found, ssa_violation{ssa_fault::wrong_definition, graph.number(2), ssa_site::of_op(other), 0, sum}) == 1);
    CHECK(std::ranges::count(found, ssa_violation{ssa_fault::defined_twice, join, ssa_site::of_op(add), 0, sum}) == 1);
    CHECK(std::ranges::count(
              found, ssa_violation{ssa_fault::wrong_definition, plait::npos, ssa_site::of_op(other), 0, lost}) == 1);
  }
  SUBCASE("arguments") {
    plait::dense_ssa bad = good;
    bad.phi_arguments.clear();
    for (plait::phi_index i = 0; i != good.phi_count(); ++i) {
      for (plait::value_index const v : good.arguments(i)) bad.phi_arguments.push(v);
      if (i == phi) bad.phi_arguments.push(sum);
      bad.phi_arguments.end_row();
    }
    CHECK(verify(bad) ==
          std::vector<ssa_violation>{{ssa_fault::argument_count, head, ssa_site::of_phi(phi), 3, good.result(phi)}});
  }
  SUBCASE("places") {
    plait::dense_ssa bad = good;
    bad.phi_block[phi] = join;
    bad.op_block[add] = 0;
    CHECK(verify(bad) ==
          std::vector<ssa_violation>{{ssa_fault::misplaced, head, ssa_site::of_phi(phi), 0, plait::npos},
                                     {ssa_fault::misplaced, join, ssa_site::of_op(add), 0, plait::npos}});
    bad.first_op.pop_back();
    CHECK(verify(bad) == std::vector<ssa_violation>{{ssa_fault::misplaced, plait::npos, {}, 0, plait::npos}});
    CHECK(verify(plait::dense_ssa()).size() == 1);
  }
  SUBCASE("values that are no external inputs") {
    auto const n = ssa.form().index({ssa.find(std::string("n")), 0});
    std::array const given{n};
    CHECK(plait::verify_ssa(graph, ssa.dominators(), good, given).empty());
    auto const found = plait::verify_ssa(graph, ssa.dominators(), good, std::array<plait::value_index, 0>());
    CHECK(found == std::vector<ssa_violation>{{ssa_fault::undefined_value, 0, ssa_site::of_op(ssa.op(0, 0)), 0, n}});
    CHECK(plait::describe(found[0]) ==
          "block 0, op 0, slot 0, value " + std::to_string(n) + ": use of a value that nothing defines");
  }
  SUBCASE("an op that reads its output") {
    plait::dense_ssa bad = good;
    bad.op_reads[add][0] = sum;
    CHECK(verify(bad) ==
          std::vector<ssa_violation>{{ssa_fault::use_not_dominated, join, ssa_site::of_op(add), 0, sum}});
  }
}

namespace {
using plait::op;
constexpr plait::static_graph cfg({{0, 1}, {1, 1}, {1, 2}});
constexpr std::array code{
    plait::static_net{plait::externals({"n"}, {"i"}), op("Copy", {"n"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {"i"}), op("Inc", {"i"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {"i"}), op("Sink", {"i"}, {"r"})},
};
constexpr plait::blocks_of compiled(cfg, code);
static_assert([] {
  plait::program_ssa const ssa(compiled);
  plait::dense_ssa bad = ssa.form();
  bad.phi_arguments[0][0] = static_cast<plait::value_index>(bad.value_count());
  auto const found = plait::verify_ssa(ssa.graph(), ssa.dominators(), bad);
  return plait::verify_ssa(ssa).empty() && found.size() == 1 && found[0].fault == ssa_fault::unknown_value;
}());
}  // namespace
