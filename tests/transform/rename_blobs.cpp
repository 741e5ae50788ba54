#include <plait/transform/detail/rename_blobs.hpp>

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

using names = std::vector<std::string>;
test::struct_net const reuse{
    {{"Scale", {"x"}, {"t"}}, {"Relu", {"t"}, {"u"}}, {"Scale", {"u"}, {"t"}}, {"Copy", {"t"}, {"x"}}},
    {"x"},
    {"t", "x"}};

test::struct_net renamed(test::struct_net n, plait::name_map const& map) {
  auto const each = [&](names& list) {
    for (std::string& name : list) name = map[name];
  };
  each(n.external_inputs);
  each(n.external_outputs);
  for (plait::op_spec& op : n.ops) each(op.inputs), each(op.outputs);
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE("rename_blobs: all versions, everywhere", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(reuse);
  plait::name_map const map{{"t", "T"}, {"x", "X"}, {"nobody", "u"}};
  auto const used = plait::rename_blobs(n, map);
  CHECK(used == plait::name_map{{"t", "T"}, {"x", "X"}});
  CHECK(test::describe(n) == renamed(reuse, map));
}

TEST_CASE_TEMPLATE("rename_blobs: names can be exchanged", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(reuse);
  plait::name_map const swap{{"t", "u"}, {"u", "t"}};
  plait::rename_blobs(n, swap);
  CHECK(test::describe(n) == renamed(reuse, swap));
  plait::rename_blobs(n, swap);
  CHECK(test::describe(n) == reuse);
}

TEST_CASE_TEMPLATE("rename_blobs: name capture is refused unless merge is set", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(reuse);
  for (plait::name_map const& map : {plait::name_map{{"t", "u"}}, plait::name_map{{"t", "z"}, {"u", "z"}}}) {
    try {
      plait::rename_blobs(n, map);
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      CHECK(problem.blob == map["t"]);
      CHECK(problem.op.has_value());
    }
    CHECK(test::describe(n) == reuse);
    auto merged = test::make_net<N>(reuse);
    plait::rename_blobs(merged, map, plait::name_capture::merge);
    CHECK(test::describe(merged) == renamed(reuse, map));
  }
}

TEST_CASE_TEMPLATE("rename_blobs: an empty name is refused", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(reuse);
  CHECK_THROWS_AS(plait::rename_blobs(n, {{"x", "X"}, {"t", ""}}), plait::net_error);
  CHECK_THROWS_AS(plait::rename_blobs(n, {{"t", ""}}, plait::name_capture::merge), plait::net_error);
  CHECK(test::describe(n) == reuse);
  CHECK(plait::rename_blobs(n, {{"nobody", ""}}).empty());
}

TEST_CASE("rename_blobs: an injective renaming does not change the SSA form") {
  std::mt19937 random(8);
  for (int round = 0; round != 200; ++round) {
    test::struct_net const before = test::random_net(random, {.declared = false});
    auto n = test::make_net<plait::netdef>(before);
    plait::name_map map;
    for (int b = 0; b != 7; ++b)
      if (random() % 2 == 0) map.set("b" + std::to_string(b), "renamed/" + std::to_string(b));
    plait::rename_blobs(n, map);
    test::struct_net const after = test::describe(n);
    auto const was = plait::get_ssa(before);
    auto const is = plait::get_ssa(after);
    REQUIRE(was.op_count() == is.op_count());
    for (plait::op_index op = 0; op != was.op_count(); ++op) {
      auto const same = [&](auto a, auto b) {
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i != a.size(); ++i) {
          CHECK(a[i].version == b[i].version);
          CHECK(map[was.name(a[i])] == is.name(b[i]));
        }
      };
      same(was.reads(op), is.reads(op));
      same(was.writes(op), is.writes(op));
    }
  }
}

TEST_CASE("rename_blobs: nested nets and control inputs are renamed, closed nets are not") {
  auto n = plait::read_netdef_text(R"(
    op { type: "While" input: "c" input: "x" output: "x" control_input: "x"
         arg { name: "loop_net" n {
           op { type: "Do" input: "x" output: "x" arg { name: "net" n { op { type: "Inc" input: "x" output: "x" } } } } } } })");
  plait::rename_blobs(n, {{"x", "X"}});
  CHECK(n.text(n.op[0].extras().control_input[0]) == "X");
  plait::netdef const& body = *n.op[0].arg[0].n;
  CHECK(body.text(body.op[0].input[0]) == "X");
  plait::netdef const& inside = *body.op[0].arg[0].n;
  CHECK(inside.text(inside.op[0].input[0]) == "x");

  // The name is free in the net, but not inside the loop.
  auto m = plait::read_netdef_text(R"(
    op { type: "RecurrentNetwork" input: "x" output: "y" arg { name: "link_internal" strings: "local" }
         arg { name: "step_net" n { op { type: "Sum" input: "x" input: "local" output: "o" } } } })");
  try {
    plait::rename_blobs(m, {{"x", "local"}});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 0);
    CHECK(problem.blob == "local");
  }
}

TEST_CASE("rename_blobs: an unreadable step net is refused before any change") {
  auto n = plait::read_netdef_text(R"(op { type: "Relu" input: "x" output: "y" }
    op { type: "RecurrentNetwork" input: "y" output: "z" arg { name: "step_net" s: "op {" } })");
  CHECK_THROWS_AS(plait::rename_blobs(n, {{"x", "X"}}), plait::net_error);
  CHECK(n.text(n.op[0].input[0]) == "x");
}
