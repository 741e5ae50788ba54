#include <plait/ssa/detail/dense_destruction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/verify.hpp>

#include <support/interpret_form.hpp>
#include <support/phi_programs.hpp>
#include <support/random_cases.hpp>

namespace {

using plait::npos;

constexpr auto all_prunings = {plait::phi_pruning::pruned, plait::phi_pruning::semi_pruned,
                               plait::phi_pruning::minimal};

// Propagates copies and removes them, after which live ranges of one blob's versions overlap.
void propagate_copies(plait::dense_ssa& s, test::form_code& code) {
  std::vector<plait::value_index> source(s.value_count());
  for (plait::value_index v = 0; v != s.value_count(); ++v) source[v] = v;
  plait::csr<plait::value_index> reads, writes;
  for (plait::op_index op = 0; op != s.op_count(); ++op) {
    bool const gone = code.types[op] == "Copy";
    if (gone) {
      source[s.writes(op)[0]] = s.reads(op)[0];
      s.definitions[s.writes(op)[0]] = plait::ssa_site();
      code.types[op].clear();
    }
    for (plait::value_index const v : s.reads(op))
      if (!gone) reads.push(v);
    for (plait::value_index const v : s.writes(op))
      if (!gone) writes.push(v);
    reads.end_row();
    writes.end_row();
  }
  s.op_reads = reads;
  s.op_writes = writes;
  auto const resolve = [&](plait::value_index& v) {
    while (source[v] != v) v = source[v];
  };
  auto const each = [&](auto& rows) {
    for (std::size_t row = 0; row != rows.size(); ++row)
      for (plait::value_index& v : rows[row]) resolve(v);
  };
  each(s.phi_arguments);
  each(s.op_reads);
  each(s.block_results);
  s.index_uses();
}

std::vector<std::uint32_t> blobs(plait::dense_construction const& form) {
  std::vector<std::uint32_t> made;
  for (plait::value_index v = 0; v != form.value_count(); ++v) made.push_back(form.blob(v));
  return made;
}

}  // namespace

TEST_CASE("dense destruction: random programs run the same, with copies propagated or not") {
  plait::program_ssa<test::net_program> ssa;
  plait::dense_destruction d;
  std::size_t copies_saved = 0, copies_needed = 0, temporaries = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.declared = seed % 2 == 0});
    auto const expected = test::interpret(p, seed);
    for (plait::phi_pruning const pruning : all_prunings) {
      CAPTURE(static_cast<int>(pruning));
      ssa.compute(p, {.pruning = pruning});
      test::form_code code = test::code_of(p, ssa.snapshot());
      code.outside.resize(ssa.form().value_count());
      for (plait::blob_index const b : ssa.snapshot().code().external_inputs())
        code.outside[ssa.form().index({b, 0})] = ssa.name(b);
      auto const& g = ssa.graph();
      REQUIRE(test::interpret_form(g, ssa.form(), code, seed) == expected);

      // Versions of a blob need no copies, and share one location if they are a group.
      d.compute(g, ssa.dominators(), ssa.form(), {.copy_places = code.copy_places});
      REQUIRE(d.copy_count() == 0);
      REQUIRE(test::interpret_locations(g, ssa.form(), d, code, seed) == expected);
      auto const groups = blobs(ssa.form());
      d.compute(g, ssa.dominators(), ssa.form(), {.copy_places = code.copy_places, .groups = groups});
      REQUIRE(d.copy_count() == 0);
      REQUIRE(test::interpret_locations(g, ssa.form(), d, code, seed) == expected);
      std::map<std::uint32_t, std::uint32_t> place_of;
      for (plait::value_index v = 0; v != ssa.form().value_count(); ++v)
        if (d.location(v) != npos) REQUIRE(place_of.emplace(groups[v], d.location(v)).first->second == d.location(v));
      REQUIRE(place_of.size() == d.location_count());

      plait::dense_ssa changed = ssa.form();
      propagate_copies(changed, code);
      REQUIRE(plait::verify_ssa(g, ssa.dominators(), changed).empty());
      REQUIRE(test::interpret_form(g, changed, code, seed) == expected);
      d.compute(g, ssa.dominators(), changed, {.coalesce = false, .copy_places = code.copy_places});
      REQUIRE(test::interpret_locations(g, changed, d, code, seed) == expected);
      std::size_t const most = d.copy_count();
      for (bool const grouped : {false, true}) {
        d.compute(g, ssa.dominators(), changed,
                  {.copy_places = code.copy_places, .groups = grouped ? groups : std::vector<std::uint32_t>()});
        REQUIRE(test::interpret_locations(g, changed, d, code, seed) == expected);
      }
      d.compute(g, ssa.dominators(), changed, {.copy_places = code.copy_places});
      REQUIRE(d.copy_count() <= most);
      copies_saved += most - d.copy_count();
      copies_needed += d.copy_count();
      temporaries += d.temporary() != npos ? 1 : 0;
    }
  }
  MESSAGE(copies_saved << " copies coalesced, " << copies_needed << " left; " << temporaries
                       << " programs with cycles");
  CHECK(copies_needed > 1'000);
  CHECK(copies_saved > 2 * copies_needed);
}

namespace {

// The SSA form of a program with phis, and its destruction.
struct taken_out {
  explicit taken_out(test::phi_program const& from, bool coalesce = true) : p(from), ssa(p) {
    REQUIRE(plait::verify_ssa(ssa).empty());
    code = test::code_of(p, ssa);
    code.outside.resize(ssa.form().value_count());
    for (plait::value_index const v : ssa.external_inputs()) code.outside[v] = ssa.name(v);
    d.compute(ssa.graph(), ssa.dominators(), ssa.form(), {.coalesce = coalesce, .copy_places = code.copy_places});
  }
  void check_runs() const {
    for (unsigned seed = 0; seed != 20; ++seed)
      CHECK(test::interpret_locations(ssa.graph(), ssa.form(), d, code, seed) ==
            test::interpret_form(ssa.graph(), ssa.form(), code, seed));
  }
  std::uint32_t location(char const* name) const { return d.location(ssa.find(std::string(name))); }

  test::phi_program const& p;
  plait::existing_ssa<test::phi_program> ssa;
  test::form_code code;
  plait::dense_destruction d;
};

// 0 → 1 → {1, 2}: a loop of one block, whose back edge is critical.
test::phi_program one_block_loop(std::vector<test::phi_program::phi> phis, std::vector<plait::op_spec> body,
                                 std::vector<std::string> results) {
  test::net_program n;
  n.targets = {{1}, {1, 2}, {}};
  n.blocks.resize(3);
  n.blocks[0].external_inputs = {"a", "b"};
  n.blocks[1].ops = std::move(body);
  n.blocks[1].ops.push_back({"Branch", {"c"}, {}});
  n.blocks[2].external_outputs = std::move(results);
  test::phi_program p(std::move(n));
  p.merges[1] = std::move(phis);
  return p;
}

}  // namespace

TEST_CASE("dense destruction: solves the swap problem of phis with each other's results as arguments") {
  auto const p = one_block_loop({{"x", {{0, "a"}, {1, "y"}}}, {"y", {{0, "b"}, {1, "x"}}}},
                                {{"Output", {"x"}, {}}, {"Input", {}, {"c"}}}, {});
  taken_out const out(p);
  out.check_runs();
  // Only the swap is copied: a and x, b and y are coalesced.
  CHECK(out.d.copy_count() == 3);
  CHECK(out.d.temporary() == out.d.location_count());
  CHECK(out.location("a") == out.location("x"));
  CHECK(out.location("b") == out.location("y"));
  taken_out(p, false).check_runs();
}

TEST_CASE("dense destruction: solves the lost-copy problem of a phi result that is live-out of the loop") {
  auto const p =
      one_block_loop({{"x", {{0, "a"}, {1, "z"}}}}, {{"Add", {"x", "b"}, {"z"}}, {"Input", {}, {"c"}}}, {"x"});
  taken_out const out(p);
  out.check_runs();
  CHECK(out.d.copy_count() == 1);
  CHECK(out.location("x") != out.location("z"));
  taken_out(p, false).check_runs();
}

TEST_CASE("dense destruction: a branch reads the old value of a phi that the back edge updates") {
  auto const p = one_block_loop({{"c", {{0, "a"}, {1, "z"}}}}, {{"Add", {"c", "b"}, {"z"}}}, {"z"});
  taken_out const out(p);
  out.check_runs();
  CHECK(out.location("c") != out.location("z"));
}

TEST_CASE("dense destruction: phis with common arguments run the same") {
  auto const p =
      one_block_loop({{"x", {{0, "a"}, {1, "a"}}}, {"y", {{0, "a"}, {1, "b"}}}}, {{"Input", {}, {"c"}}}, {"x", "y"});
  taken_out const out(p);
  out.check_runs();
}

TEST_CASE("dense destruction: a phi of the entry needs a copy on entry if its argument stays live") {
  test::net_program n;
  n.targets = {{0, 1}, {}};
  n.blocks.resize(2);
  n.blocks[0].external_inputs = {"a"};
  n.blocks[0].ops = {{"Add", {"x", "a"}, {"z"}}, {"Output", {"z"}, {}}, {"Input", {}, {"c"}}, {"Branch", {"c"}, {}}};
  n.blocks[1].external_outputs = {"x", "a"};
  test::phi_program p(std::move(n));
  p.merges[0] = {{"x", {{0, "z"}, {std::nullopt, "a"}}}};
  taken_out const out(p);
  out.check_runs();
  CHECK(out.d.copies_outside().size() == 1);
  CHECK(out.location("a") != out.location("x"));
}

TEST_CASE("dense destruction: what needs a split edge is refused") {
  SUBCASE("parallel edges with different arguments") {
    auto p = one_block_loop({{"x", {{0, "a"}, {1, "a"}, {1, "b"}}}}, {{"Input", {}, {"c"}}}, {"x"});
    p.targets[1] = {1, 1, 2};
    plait::existing_ssa const ssa(p);
    CHECK_THROWS_AS(plait::dense_destruction().compute(ssa.graph(), ssa.dominators(), ssa.form()), plait::net_error);
    p.merges[1][0].arguments[2].name = "a";
    taken_out(p).check_runs();
  }
  SUBCASE("an op behind the copies that defines their source") {
    auto const p = one_block_loop({{"x", {{0, "a"}, {1, "z"}}}}, {{"Input", {}, {"c"}}, {"Copy", {"b"}, {"z"}}}, {"x"});
    plait::existing_ssa const ssa(p);
    plait::dense_destruction d;
    std::array<std::uint32_t, 3> places = {0, 3, 0};
    d.compute(ssa.graph(), ssa.dominators(), ssa.form(), {.copy_places = places});
    auto const copies = d.copy_count();
    places[1] = 1;
    CHECK_THROWS_AS(d.compute(ssa.graph(), ssa.dominators(), ssa.form(), {.copy_places = places}), plait::net_error);
    CHECK(d.copy_count() == copies);
  }
}

TEST_CASE("dense destruction: coalesces a chain of 100,000 diamonds into one location") {
  constexpr int n = 100'000;
  test::net_program p;
  p.blocks.resize(3 * n + 1);
  p.targets.resize(3 * n + 1);
  p.blocks[0].external_inputs = {"x"};
  for (int i = 0; i != n; ++i) {
    auto const at = static_cast<std::size_t>(3 * i);
    p.targets[at] = {3 * i + 1, 3 * i + 2};
    p.targets[at + 1] = p.targets[at + 2] = {3 * i + 3};
    p.blocks[at].ops = {{"Branch", {"x"}, {}}};
    p.blocks[at + 1].ops = {{"Const:1", {}, {"x"}}};
  }
  p.targets[3 * n - 1].push_back(0);
  p.blocks.back().external_outputs = {"x"};
  plait::program_ssa const ssa(p);
  plait::dense_destruction d;
  d.compute(ssa.graph(), ssa.dominators(), ssa.form());
  CHECK(ssa.phi_count() == n + 1);
  CHECK(d.copy_count() == 0);
  CHECK(d.location_count() == 1);
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
  plait::dense_destruction d;
  d.compute(ssa.graph(), ssa.dominators(), ssa.form());
  return ssa.phi_count() == 1 && d.copy_count() == 0 && d.location_count() == 3;  // n, i, r
}());
}  // namespace
