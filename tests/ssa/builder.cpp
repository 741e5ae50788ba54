#include <plait/ssa/builder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/detail/dense_destruction.hpp>
#include <plait/ssa/verify.hpp>

#include <support/interpret_form.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using plait::npos;

// Builds a random program as a front end would: blocks in random order, each sealed when all its predecessors are
// filled, or at the end.
struct written {
  written(test::net_program const& p, std::mt19937& random, bool minimal, bool late) {
    std::map<std::string, plait::variable_index> variables;
    auto const variable = [&](std::string const& name) {
      auto const [at, added] = variables.emplace(name, 0);
      if (added) at->second = b.add_variable();
      if (names.size() <= at->second) names.resize(at->second + std::size_t{1});
      names[at->second] = name;
      return at->second;
    };
    auto const n = static_cast<std::uint32_t>(p.size());
    for (std::uint32_t i = 0; i != n; ++i) b.add_block();
    std::vector<std::uint32_t> order(n), missing(n, 0);
    for (std::uint32_t i = 0; i != n; ++i) {
      order[i] = i;
      for (int const to : p.targets[i]) {
        b.add_edge(i, static_cast<std::uint32_t>(to));
        ++missing[static_cast<std::size_t>(to)];
      }
    }
    std::shuffle(order.begin(), order.end(), random);
    for (std::string const& name : p.blocks[0].external_inputs) b.add_external_input(variable(name));
    std::vector<char> sealed(n, 0);
    auto const seal_ready = [&] {
      if (late) return;
      for (std::uint32_t i = 0; i != n; ++i)
        if (missing[i] == 0 && std::exchange(sealed[i], 1) == 0) b.seal(i);
    };
    seal_ready();
    for (std::uint32_t const block : order) {
      for (plait::op_spec const& op : p.blocks[block].ops) {
        std::vector<plait::value_index> reads;
        for (std::string const& name : op.inputs) reads.push_back(b.read_variable(block, variable(name)));
        plait::op_index const made = b.add_op(block, reads, op.outputs.size());
        types.push_back(op.type);
        for (std::size_t slot = 0; slot != op.outputs.size(); ++slot)
          b.write_variable(block, variable(op.outputs[slot]), b.written(made, slot));
      }
      for (std::string const& name : p.blocks[block].external_outputs)
        b.add_result(block, b.read_variable(block, variable(name)));
      for (int const to : p.targets[block]) --missing[static_cast<std::size_t>(to)];
      seal_ready();
    }
    b.finish({.minimal = minimal});
    code.types.resize(b.form().op_count());
    for (plait::op_index op = 0; op != types.size(); ++op)
      if (b.op(op) != npos) code.types[b.op(op)] = types[op];
    code.outside.resize(b.form().value_count());
    for (plait::value_index v = 0; v != b.form().value_count(); ++v)
      if (b.variable(v) != npos && std::ranges::count(p.blocks[0].external_inputs, names[b.variable(v)]) != 0)
        code.outside[v] = names[b.variable(v)];
    for (std::uint32_t block = 0; block != b.graph().size(); ++block) {
      auto const ops = b.form().ops(block);
      bool const branches = !ops.empty() && code.types[ops.back()] == "Branch";
      code.copy_places.push_back(static_cast<std::uint32_t>(ops.size()) - (branches ? 1 : 0));
    }
  }
  // Returns the (block, variable) pairs that have a phi.
  std::set<std::pair<std::uint32_t, std::string>> phis() const {
    std::set<std::pair<std::uint32_t, std::string>> found;
    for (plait::phi_index phi = 0; phi != b.form().phi_count(); ++phi)
      found.emplace(b.form().block_of_phi(phi), names[b.variable(b.form().result(phi))]);
    CHECK(found.size() == b.form().phi_count());
    return found;
  }

  plait::ssa_builder b;
  std::vector<std::string> names;  // by variable
  std::vector<std::string> types;  // by the builder's op numbers
  test::form_code code;
};

}  // namespace

TEST_CASE("ssa builder: builds valid pruned SSA form that runs the same for random programs") {
  std::mt19937 random(17);
  plait::program_ssa<test::net_program> ssa;
  plait::dense_destruction d;
  std::size_t irreducible = 0, more = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.declared = seed % 2 == 0});
    auto const expected = test::interpret(p, seed);
    ssa.compute(p);
    std::set<std::pair<std::uint32_t, std::string>> pruned;
    for (int const block : ssa.graph().order())
      for (auto const& phi : ssa.phis(block)) pruned.emplace(ssa.graph().number(block), ssa.name(phi.result()));
    bool reducible = true;  // all retreating edges lead to dominators
    for (std::uint32_t block = 0; block != ssa.graph().size(); ++block)
      for (std::uint32_t const to : ssa.graph().successors(block))
        reducible = reducible && (to > block || ssa.dominators().dominates(to, block));
    irreducible += reducible ? 0 : 1;
    for (bool const minimal : {false, true}) {
      written const w(p, random, minimal, seed % 3 == 0);
      plait::dense_dominators const tree(w.b.graph());
      REQUIRE(plait::verify_ssa(w.b.graph(), tree, w.b.form()).empty());
      if (minimal || reducible)
        REQUIRE(w.phis() == pruned);
      else
        more += w.phis().size() - pruned.size();
      REQUIRE(test::interpret_form(w.b.graph(), w.b.form(), w.code, seed) == expected);
      d.compute(w.b.graph(), tree, w.b.form(), {.copy_places = w.code.copy_places});
      REQUIRE(test::interpret_locations(w.b.graph(), w.b.form(), d, w.code, seed) == expected);
      auto const undefined = w.b.undefined_uses();
      auto const by_ops = std::ranges::count_if(undefined, [](plait::ssa_use const& u) { return u.site.is_op(); });
      if (minimal || reducible) REQUIRE(static_cast<std::size_t>(by_ops) == ssa.undefined_uses().size());
      if (undefined.empty()) REQUIRE(ssa.possibly_undefined_uses().empty());
    }
  }
  CHECK(irreducible > test::random_cases(1'000));
  CHECK(more > 0);
}

TEST_CASE("ssa builder: undefined_uses reports reads before a write by ops and by phis") {
  plait::ssa_builder b;
  for (int i = 0; i != 4; ++i) b.add_block();
  b.add_edge(0, 1), b.add_edge(0, 2), b.add_edge(1, 3), b.add_edge(2, 3);
  auto const x = b.add_variable(), y = b.add_variable(), given = b.add_variable();
  b.add_external_input(given);
  plait::op_index const source = b.add_op(1, {}, 1);
  b.write_variable(1, x, b.written(source, 0));
  plait::op_index const sink =
      b.add_op(3, std::array{b.read_variable(3, x), b.read_variable(3, y), b.read_variable(3, given)}, 0);
  b.finish();
  REQUIRE(b.form().phi_count() == 1);
  auto const slot = static_cast<std::uint32_t>(b.block(1) < b.block(2) ? 1 : 0);
  CHECK(b.undefined_uses() ==
        std::vector<plait::ssa_use>{{plait::ssa_site::of_phi(0), slot}, {plait::ssa_site::of_op(b.op(sink)), 1}});
  CHECK(b.variable(b.form().reads(b.op(sink))[1]) == y);
  CHECK(b.value(b.written(source, 0)) == b.form().arguments(0)[1 - slot]);
}

TEST_CASE("ssa builder: values read before a block is sealed follow the removal of their phis") {
  plait::ssa_builder b;
  for (int i = 0; i != 3; ++i) b.add_block();
  auto const x = b.add_variable();
  plait::op_index const source = b.add_op(0, {}, 1);
  b.write_variable(0, x, b.written(source, 0));
  plait::value_index const early = b.read_variable(1, x);  // a phi: block 1 is not sealed
  plait::op_index const sink = b.add_op(1, std::array{early}, 0);
  b.add_edge(0, 1), b.add_edge(1, 1), b.add_edge(1, 2);
  b.seal(1);
  CHECK(b.read_variable(2, x) != early);  // still not sealed
  b.finish();
  CHECK(b.form().phi_count() == 0);
  CHECK(b.value(early) == b.value(b.written(source, 0)));
  CHECK(b.form().reads(b.op(sink))[0] == b.value(early));
  CHECK_THROWS_AS(b.add_edge(0, 1), plait::precondition_error);
}

TEST_CASE("ssa builder: handles chains of a million blocks without recursion") {
  constexpr std::uint32_t n = 1'000'000;
  SUBCASE("sealed") {
    plait::ssa_builder b;
    for (std::uint32_t i = 0; i != n; ++i) {
      b.add_block();
      if (i != 0) b.add_edge(i - 1, i);
      b.seal(i);
    }
    auto const x = b.add_variable();
    plait::value_index const given = b.add_external_input(x);
    CHECK(b.read_variable(n - 1, x) == given);
    CHECK(b.read_variable(n / 2, x) == given);
  }
  SUBCASE("unsealed: a phi in each block") {
    plait::ssa_builder b;
    auto const x = b.add_variable();
    for (std::uint32_t i = 0; i != n; ++i) {
      b.add_block();
      static_cast<void>(b.read_variable(i, x));
      if (i != 0) b.add_edge(i - 1, i);
    }
    b.add_edge(n - 1, 1);
    b.add_result(n - 1, b.read_variable(n - 1, x));
    b.finish();
    CHECK(b.form().phi_count() == 0);
  }
  SUBCASE("diamonds: a phi each, with the previous one as argument") {
    plait::ssa_builder b;
    auto const x = b.add_variable();
    for (std::uint32_t i = 0; i != 3 * (n / 3) + 1; ++i) b.add_block();
    for (std::uint32_t i = 0; i != n / 3; ++i) {
      b.add_edge(3 * i, 3 * i + 1), b.add_edge(3 * i, 3 * i + 2);
      b.add_edge(3 * i + 1, 3 * i + 3), b.add_edge(3 * i + 2, 3 * i + 3);
    }
    b.add_edge(n / 3 * 3, 0);
    b.add_edge(n / 3 * 3, n / 3 * 3 - 1);
    b.write_variable(1, x, b.written(b.add_op(1, {}, 1), 0));
    for (std::uint32_t i = 0; i != n; ++i) b.seal(i);
    static_cast<void>(b.add_op(n / 3 * 3, std::array{b.read_variable(n / 3 * 3, x)}, 0));
    b.finish();
    CHECK(b.form().phi_count() == 2);
  }
}

static_assert([] {
  plait::ssa_builder b;
  for (int i = 0; i != 3; ++i) b.add_block();
  b.add_edge(0, 1), b.add_edge(1, 1), b.add_edge(1, 2);
  auto const i = b.add_variable();
  b.write_variable(0, i, b.written(b.add_op(0, {}, 1), 0));
  std::array const read{b.read_variable(1, i)};
  b.write_variable(1, i, b.written(b.add_op(1, read, 1), 0));
  b.add_result(2, b.read_variable(2, i));
  b.finish();
  plait::dense_dominators const tree(b.graph());
  return b.form().phi_count() == 1 && plait::verify_ssa(b.graph(), tree, b.form()).empty() &&
         b.undefined_uses().empty();
}());
