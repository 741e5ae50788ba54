#include <plait/dataflow/sparse_solver.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/construction.hpp>

#include <support/random_cases.hpp>
#include <support/random_program.hpp>
#include <support/ssa_interpreter.hpp>

namespace {

// Parity analysis: bit 0 if a value can be even, bit 1 if it can be odd.
struct parity_problem {
  using value_type = unsigned;
  test::net_program const* program;
  plait::program_ssa<test::net_program> const* ssa;
  std::size_t* calls;

  unsigned initial() const { return 0; }
  unsigned boundary(plait::value_index) const { return 3; }
  bool join(unsigned& into, unsigned from) const {
    bool const more = (from & ~into) != 0;
    into |= from;
    return more;
  }
  void transfer(plait::op_index op, std::span<unsigned const> in, std::span<unsigned> out) const {
    ++*calls;
    std::string const& type = program->block(ssa->snapshot().node(op)).ops[ssa->snapshot().place(op)].type;
    if (type.starts_with("Const:")) out[0] = 1u << (std::stoi(type.substr(6)) % 2);
    if (type == "Copy") out[0] = in[0];
    if (type == "Less" || type == "Input") out[0] = 3;
    if (type == "Add")
      out[0] = (in[0] * in[1] != 0 ? (in[0] == in[1] && in[0] != 3 ? 1u : in[0] + in[1] == 3 ? 2u : 3u) : 0);
    if (type == "Swap") {
      out[0] = in[1];
      out[1] = in[0];
    }
  }
};
PLAIT_CHECK_SPARSE_PROBLEM(parity_problem);

struct watch {
  plait::sparse_solver<unsigned> const& solver;
  plait::program_ssa<test::net_program> const& ssa;
  std::size_t decided = 0;
  void on_block(std::uint32_t block, test::value_states const& states) {
    for (auto const phi : ssa.form().phis(block)) check(ssa.form().result(phi), states);
  }
  void on_op(plait::op_index op, test::value_states const& states) {
    for (auto const v : ssa.form().writes(op)) check(v, states);
  }
  void on_edge(std::uint32_t, std::size_t) {}
  void on_end(std::uint32_t, test::value_states const&) {}
  void check(plait::value_index v, test::value_states const& states) {
    REQUIRE((solver[v] >> (*states[v] % 2) & 1) == 1);
    decided += solver[v] != 3;
  }
};

TEST_CASE("sparse solver: parities hold in runs and solve the equations in a bounded number of calls") {
  plait::sparse_solver<unsigned> solver;
  plait::program_ssa<test::net_program> ssa;
  std::size_t decided = 0;
  for (unsigned seed = 0; seed != test::random_cases(5'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    std::size_t calls = 0;
    parity_problem const problem{&p, &ssa, &calls};
    solver.compute(ssa.graph(), ssa.form(), problem);
    std::size_t bound = ssa.form().op_count();
    for (plait::op_index op = 0; op != ssa.form().op_count(); ++op) bound += 2 * ssa.form().reads(op).size();
    REQUIRE(calls <= bound);

    watch see{solver, ssa};
    test::run_ssa(p, ssa, seed, 40, see);
    decided += see.decided;

    auto const& form = ssa.form();
    for (std::uint32_t b = 0; b != form.block_count(); ++b) {
      REQUIRE(solver.is_executable(b));
      for (std::size_t i = 0; i != ssa.graph().successors(b).size(); ++i) REQUIRE(solver.is_edge_executable(b, i));
    }
    for (plait::phi_index phi = 0; phi != form.phi_count(); ++phi) {
      unsigned merged = 0;
      for (auto const v : form.arguments(phi)) merged |= solver[v];
      REQUIRE(solver[form.result(phi)] == merged);
    }
    for (plait::op_index op = 0; op != form.op_count(); ++op) {
      std::vector<unsigned> in, out(form.writes(op).size());
      for (auto const v : form.reads(op)) in.push_back(solver[v]);
      problem.transfer(op, in, out);
      std::size_t slot = 0;
      // If an op lists a blob twice, the last write counts.
      for (auto const v : form.writes(op)) {
        unsigned const said = out[slot++];
        if (v != form.writes(op).back() || slot == out.size()) REQUIRE(solver[v] == said);
      }
    }
  }
  CHECK(decided > test::random_cases(10'000));
}

// Taint analysis: true for values that depend on external inputs.
struct taint_problem {
  using value_type = bool;
  bool initial() const { return false; }
  bool boundary(plait::value_index) const { return true; }
  bool join(bool& into, bool const& from) const {
    bool const changed = from && !into;
    into = into || from;
    return changed;
  }
  void transfer(plait::op_index, std::span<bool const> in, std::span<bool> out) const {
    for (bool& made : out)
      for (bool const read : in) made = made || read;
  }
};
PLAIT_CHECK_SPARSE_PROBLEM(taint_problem);

TEST_CASE("sparse solver: a state can be a bool") {
  plait::program_ssa<test::net_program> ssa;
  plait::sparse_solver<bool> solver;
  std::size_t clean = 0;
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    auto const& form = ssa.form();
    taint_problem problem;
    solver.compute(ssa.graph(), form, problem);
    REQUIRE(solver.states().size() == form.value_count());
    std::vector<char> tainted(form.value_count());
    std::vector<plait::value_index> waiting;
    auto const taint = [&](plait::value_index v) {
      if (std::exchange(tainted[v], 1) == 0) waiting.push_back(v);
    };
    for (plait::value_index v = 0; v != form.value_count(); ++v)
      if (form.definition(v) == plait::ssa_site()) taint(v);
    while (!waiting.empty()) {
      plait::value_index const v = waiting.back();
      waiting.pop_back();
      for (auto const& use : form.uses(v)) {
        if (use.site.is_phi())
          taint(form.result(use.site.phi()));
        else
          for (auto const made : form.writes(use.site.op())) taint(made);
      }
    }
    for (plait::value_index v = 0; v != form.value_count(); ++v) {
      REQUIRE(solver[v] == (tainted[v] != 0));
      clean += tainted[v] == 0;
    }
  }
  CHECK(clean > 100);
}

struct counting_taint : taint_problem {
  std::size_t* joins;
  bool join(bool& into, bool const& from) const {
    ++*joins;
    return taint_problem::join(into, from);
  }
};

TEST_CASE("sparse solver: a phi with thousands of arguments takes a few joins for each") {
  int const arms = 3'000;
  test::net_program p;
  p.blocks.resize(static_cast<std::size_t>(arms) + 2);
  p.targets.resize(p.blocks.size());
  p.blocks.front().external_inputs = {"a"};
  p.blocks.front().ops = {{"Branch", {"a"}, {}}};
  for (int n = 1; n <= arms; ++n) {
    auto const at = static_cast<std::size_t>(n);
    p.targets[0].push_back(n);
    p.targets[at] = {arms + 1};
    p.blocks[at].ops = {{n == arms / 2 ? "Copy" : "Input", {"a"}, {"x"}}};
    if (n != arms / 2) p.blocks[at].ops[0].inputs.clear();
  }
  p.blocks.back().external_outputs = {"x"};
  plait::program_ssa const ssa(p);
  REQUIRE(ssa.phi_count() == 1);
  std::size_t joins = 0;
  counting_taint problem{{}, &joins};
  plait::sparse_solver<bool> solver;
  solver.compute(ssa.graph(), ssa.form(), problem);
  CHECK(solver[ssa.form().result(0)]);
  CHECK(joins <= 3 * static_cast<std::size_t>(arms));
}

struct no_transfer {
  using value_type = int;
  int initial() const { return 0; }
  int boundary(plait::value_index) const { return 0; }
  bool join(int&, int) const { return false; }
};
static_assert(!plait::sparse_problem<int> && !plait::sparse_problem<no_transfer> &&
              plait::has_sparse_bounds<no_transfer> && plait::has_join<no_transfer> &&
              plait::sparse_problem<parity_problem>);

}  // namespace
