#include <plait/dataflow/constant_propagation.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <support/long_program.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>
#include <support/ssa_interpreter.hpp>

namespace {

constexpr auto evaluate = [](auto const& net, auto const& op, auto in, auto out) {
  std::string_view const type = plait::op_type(net, op);
  if (type == "Input") return;
  std::vector<int> known;
  for (auto const& input : in) {
    if (!input) return;
    known.push_back(*input);
  }
  auto const made = test::execute(type, known, [] { return 0; });
  for (std::size_t i = 0; i != made.size(); ++i) out[i] = made[i];
};
constexpr auto decide = [](auto const&, auto const&, auto in, auto) -> std::optional<std::size_t> {
  if (in.empty() || !in[0]) return std::nullopt;
  return static_cast<std::size_t>(*in[0]);
};
// Solves with decisions reduced modulo the number of a branch's successors.
template <class P>
void compute(plait::constant_propagation<int, P>& constants, P const& p, plait::program_ssa<P> const& ssa) {
  std::vector<std::size_t> successors;
  std::vector<void const*> branches;  // their addresses
  for (auto const& node : ssa.graph().order()) {
    auto const& net = plait::block(p, node);
    if (net.ops.empty()) continue;
    branches.push_back(&net.ops.back());
    successors.push_back(ssa.graph().successors(ssa.graph().number(node)).size());
  }
  constants.compute(p, ssa, evaluate, [&](auto const&, auto const& op, auto in, auto out) {
    auto decided = decide(0, op, in, out);
    for (std::size_t i = 0; i != branches.size(); ++i)
      if (branches[i] == &op && decided) return std::optional(*decided % successors[i]);
    return std::optional<std::size_t>();
  });
}

// The classic example of Wegman and Zadeck, at compile time: if (1) i stays 1; else i = 2.
constexpr plait::static_graph graph({{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}});
struct code {
  struct op {
    std::string_view type;
    std::span<int const> inputs;
    std::span<int const> outputs;
  };
  std::span<op const> list;
  constexpr auto ops() const { return list; }
};
constexpr std::array i_name = {0}, n_name = {1};
constexpr std::array<int, 0> none = {};
constexpr std::array start = {code::op{"One", none, i_name}};
constexpr std::array test_i = {code::op{"Branch", i_name, none}};
constexpr std::array two = {code::op{"Two", none, i_name}};
constexpr std::array test_n = {code::op{"Branch", n_name, none}};
constexpr std::array blocks = {code{start}, code{test_i}, code{two}, code{}, code{test_n}, code{}};
constexpr plait::blocks_of program(graph, blocks);
static_assert([] {
  plait::program_ssa const ssa(program);
  plait::constant_propagation<int, std::remove_cv_t<decltype(program)>> constants;
  constants.compute(
      program, ssa,
      [](auto const&, auto const& op, auto, auto out) {
        if (op.type == "One") out[0] = 1;
        if (op.type == "Two") out[0] = 2;
      },
      [](auto const&, auto const&, auto in, auto) {
        return in[0] ? std::optional<std::size_t>(*in[0]) : std::nullopt;
      });
  plait::value const at_test = *ssa.reads(ssa.op(1u, 0)).begin();
  return constants.constant(at_test) == 1 && !constants.is_executable(2u) && constants.is_executable(5u) &&
         constants.unexecutable_blocks() == std::vector{2u} && !constants.is_edge_executable(1u, 0) &&
         constants.is_edge_executable(1u, 1);
}());

template <class Constants>
struct watch {
  Constants const& constants;
  plait::program_ssa<test::net_program> const& ssa;
  std::size_t constant = 0;

  void on_block(std::uint32_t block, test::value_states const& states) {
    REQUIRE(constants.dense().is_executable(block));
    for (auto const phi : ssa.form().phis(block)) check(ssa.form().result(phi), states);
  }
  void on_op(plait::op_index op, test::value_states const& states) {
    for (auto const v : ssa.form().writes(op)) check(v, states);
  }
  void on_edge(std::uint32_t block, std::size_t way) { REQUIRE(constants.dense().is_edge_executable(block, way)); }
  void on_end(std::uint32_t, test::value_states const&) {}
  void check(plait::value_index v, test::value_states const& states) {
    REQUIRE_FALSE(constants.dense()[v].is_unknown());
    if (!constants.constant(v)) return;
    REQUIRE(constants.constant(v) == states[v]);
    ++constant;
  }
};

TEST_CASE("constant propagation: constants and executable edges hold in runs of random programs") {
  plait::constant_propagation<int, test::net_program> constants;
  plait::program_ssa<test::net_program> ssa;
  std::size_t constant = 0, unreached = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    compute(constants, p, ssa);
    for (unsigned run = 0; run != 3; ++run) {
      watch<decltype(constants)> see{constants, ssa};
      test::run_ssa(p, ssa, seed + run, 40, see);
      constant += see.constant;
    }
    unreached += constants.unexecutable_blocks().size();
    for (std::uint32_t b = 0; b != ssa.graph().size(); ++b) {
      bool reached = b == 0;
      for (std::uint32_t from = 0; from != ssa.graph().size(); ++from)
        for (std::size_t way = 0; way != ssa.graph().successors(from).size(); ++way) {
          bool const taken = constants.dense().is_edge_executable(from, way);
          if (taken) REQUIRE(constants.dense().is_executable(from));
          if (taken && ssa.graph().successors(from)[way] == b) reached = true;
        }
      REQUIRE(constants.dense().is_executable(b) == reached);
    }
  }
  CHECK(constant > test::random_cases(50'000));
  CHECK(unreached > test::random_cases(1'000));
}

TEST_CASE_TEMPLATE("constant propagation: has the same results on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::program_ssa const ssa(same);
    plait::constant_propagation<int, std::remove_cv_t<decltype(same)>> constants;
    constants.compute(same, ssa, evaluate, [](auto&&...) { return std::optional<std::size_t>(); });
    plait::program_ssa const expected_ssa(p);
    plait::constant_propagation<int, test::net_program> expected;
    expected.compute(p, expected_ssa, evaluate, [](auto&&...) { return std::optional<std::size_t>(); });
    for (int const block : expected_ssa.graph().order())
      for (std::size_t place = 0; place != p.block(block).ops.size(); ++place) {
        auto const node = test::node_of(g, block);
        auto const mine = ssa.writes(ssa.op(node, place));
        auto const theirs = expected_ssa.writes(expected_ssa.op(block, place));
        for (std::ptrdiff_t slot = 0; slot != std::ranges::ssize(mine); ++slot)
          REQUIRE(constants.constant(mine[slot]) == expected.constant(theirs[slot]));
        REQUIRE(constants.is_executable(node));
      }
  }
}

TEST_CASE_TEMPLATE("constant propagation: constants of a net can have any type", N, PLAIT_ALL_NETS) {
  auto const net =
      test::make_net<N>({{{"One", {}, {"a"}}, {"Both", {"a", "a"}, {"b"}}, {"Both", {"b", "x"}, {"c"}}}, {"x"}, {"c"}});
  plait::single_block const p(net);
  plait::program_ssa const ssa(p);
  plait::constant_propagation<std::string, std::remove_cv_t<decltype(p)>> constants;
  constants.compute(
      p, ssa,
      [](auto const&, auto&&, auto in, auto out) {
        if (in.empty()) out[0] = "1";
        if (in.size() == 2 && in[0] && in[1]) out[0] = *in[0] + *in[1];
      },
      [](auto&&...) { return std::optional<std::size_t>(); });
  auto const made = [&](std::size_t place) { return constants.constant(ssa.writes(ssa.op(0, place))[0]); };
  CHECK(made(0) == "1");
  CHECK(made(1) == "11");
  CHECK(made(2) == std::nullopt);
  CHECK(constants.is_executable(0));
}

TEST_CASE("constant propagation: a decision for a missing successor violates a precondition") {
  test::net_program const p{{{{{"Const:7", {}, {"a"}}, {"Branch", {"a"}, {}}}}, {{}}, {{}}}, {{1, 2}, {}, {}}};
  plait::program_ssa const ssa(p);
  plait::constant_propagation<int, test::net_program> constants;
  CHECK_THROWS_AS(constants.compute(p, ssa, evaluate, decide), plait::precondition_error);
}

TEST_CASE("constant propagation: handles 100,000 blocks with bypassing and back edges") {
  auto const p = test::long_program(100'000);
  plait::program_ssa const ssa(p);
  plait::constant_propagation<int, test::net_program> constants;
  constants.compute(p, ssa, evaluate, [](auto const&, auto const&, auto in, auto) {
    return in[0] ? std::optional<std::size_t>(1 - *in[0]) : std::nullopt;  // the branch back is on 1
  });
  CHECK(constants.constant(ssa.writes(ssa.op(1, 0))[0]) == 2);
  CHECK_FALSE(constants.constant(ssa.writes(ssa.op(99'998, 1))[0]));
  CHECK(constants.is_executable(99'999));
  CHECK_FALSE(constants.is_edge_executable(99'998, 1));
  CHECK(constants.unexecutable_blocks().empty());
}

}  // namespace
