#include <plait/transform/detail/status_inference.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>

using test::struct_net;

namespace {

using statuses = std::span<std::optional<int>>;
using known = std::vector<std::pair<plait::value, int>>;

// All operands of an op have one status.
struct unify {
  template <class Op>
  void operator()(Op const&, statuses in, statuses out) const {
    std::optional<int> all;
    for (auto const& part : {in, out})
      for (auto const& status : part)
        if (!all) all = status;
    if (!all) return;
    for (auto const& part : {in, out})
      for (auto& status : part) status = all;
  }
};

template <class N>
plait::value at(N const& n, plait::ssa_form<N> const& ssa, char const* blob, std::uint32_t version) {
  return {ssa.find(test::key_of(n, blob)), version};
}

}  // namespace

TEST_CASE_TEMPLATE("infer_status: propagates forward and backward", N, PLAIT_ALL_NETS) {
  auto const n =
      test::make_net<N>({{{"A", {"x"}, {"a"}}, {"B", {"a", "w"}, {"a"}}, {"C", {}, {"c"}}, {"D", {"a", "c"}, {"y"}}},
                         {"x", "w", "unused"},
                         {"y"}});
  auto const ssa = plait::get_ssa(n);
  auto const found = plait::infer_status<int>(n, ssa, known{{at(n, ssa, "y", 1), 7}}, unify{});
  auto const status = [&](char const* blob, std::uint32_t version) {
    return found[ssa.index(at(n, ssa, blob, version))];
  };
  CHECK(status("x", 0) == 7);
  CHECK(status("a", 1) == 7);
  CHECK(status("a", 2) == 7);
  CHECK(status("c", 1) == 7);
  CHECK(status("w", 0) == 7);
  CHECK(status("unused", 0) == std::nullopt);  // no op mentions it
}

TEST_CASE_TEMPLATE("infer_status: one sweep each way is not always enough", N, PLAIT_ALL_NETS) {
  // In the backward sweep each op learns from the one behind it.
  auto const n = test::make_net<N>(
      {{{"A", {"q"}, {"r"}}, {"B", {"q", "p"}, {}}, {"C", {"p"}, {"s"}}, {"D", {"s", "t"}, {}}}, {"q", "p", "t"}, {}});
  auto const ssa = plait::get_ssa(n);
  known const given{{at(n, ssa, "t", 0), 1}};
  CHECK(plait::infer_status<int>(n, ssa, given, unify{}, {})[ssa.index(at(n, ssa, "r", 1))] == 1);

  // s becomes known in the backward sweep, at A, after the last visit of its other reader C.
  auto const m =
      test::make_net<N>({{{"A", {"s", "t"}, {}}, {"B", {"u"}, {"v"}}, {"C", {"s", "v"}, {}}, {"D", {"t", "w"}, {}}},
                         {"s", "t", "u", "w"},
                         {}});
  auto const form = plait::get_ssa(m);
  known const last{{at(m, form, "w", 0), 1}};
  try {
    static_cast<void>(plait::infer_status<int>(m, form, last, unify{}));
    FAIL("accepted");
  } catch (plait::status_unknown const& open) {
    CHECK(open.op == 1);
    CHECK(open.values.size() == 2);
  }
  auto const partial = plait::infer_status<int>(m, form, last, unify{}, {.allow_unknown = true});
  CHECK(partial[form.index(at(m, form, "s", 0))] == 1);
  CHECK(partial[form.index(at(m, form, "v", 1))] == std::nullopt);
  auto const all = plait::infer_status<int>(m, form, last, unify{}, {.full_fixpoint = true});
  CHECK(all[form.index(at(m, form, "u", 0))] == 1);
  CHECK(all[form.index(at(m, form, "v", 1))] == 1);
}

TEST_CASE("infer_status: conflicts name op, slot, blob and both statuses") {
  struct_net const n{{{"A", {"x"}, {"a"}}, {"B", {"w", "a"}, {"b"}}}, {"x", "w"}, {"b"}};
  auto const ssa = plait::get_ssa(n);
  try {
    static_cast<void>(
        plait::infer_status<int>(n, ssa, known{{at(n, ssa, "x", 0), 1}, {at(n, ssa, "w", 0), 2}}, unify{}));
    FAIL("accepted");
  } catch (plait::status_conflict const& conflict) {
    CHECK(conflict.op == 1);
    CHECK(conflict.blob == "a");
    CHECK(conflict.version == 1);
    CHECK(conflict.slot == 1);
    CHECK_FALSE(conflict.is_output);
    CHECK(conflict.known == "1");
    CHECK(conflict.proposed == "2");
    CHECK(std::string(conflict.what()) == "plait: op 1 (B) takes input 1, version 1 of blob 'a', to be 2, but it is 1");
  }
}

TEST_CASE("infer_status: an op that sets two statuses of one value is a conflict") {
  struct_net const n{{{"A", {"x", "x"}, {}}}, {"x"}, {}};
  auto const ssa = plait::get_ssa(n);
  auto const slots = [](auto const&, statuses in, statuses) {
    for (std::size_t i = 0; i != in.size(); ++i) in[i] = static_cast<int>(i);
  };
  CHECK_THROWS_AS(static_cast<void>(plait::infer_status<int>(n, ssa, known{}, slots)), plait::status_conflict);
}

TEST_CASE("infer_status: known values must be the net's, with one status each") {
  struct_net const n{{{"A", {"x"}, {"a"}}}, {"x"}, {"a"}};
  auto const ssa = plait::get_ssa(n);
  auto const infer = [&](known const& given) { static_cast<void>(plait::infer_status<int>(n, ssa, given, unify{})); };
  CHECK_THROWS_AS(infer({{{plait::npos, 0}, 1}}), plait::net_error);
  CHECK_THROWS_AS(infer({{at(n, ssa, "x", 1), 1}}), plait::net_error);
  CHECK_THROWS_AS(infer({{at(n, ssa, "x", 0), 1}, {at(n, ssa, "x", 0), 2}}), plait::net_error);
  infer({{at(n, ssa, "x", 0), 1}, {at(n, ssa, "x", 0), 1}});
}

TEST_CASE("infer_status: messages format statuses of other types by text()") {
  struct_net const n{{{"A", {"x"}, {"a"}}}, {"x"}, {"a"}};
  auto const ssa = plait::get_ssa(n);
  auto const opposite = [](auto const&, std::span<std::optional<std::string>>,
                           std::span<std::optional<std::string>> out) { out[0] = "NHWC"; };
  std::vector<std::pair<plait::value, std::string>> const given{{at(n, ssa, "a", 1), "NCHW"}};
  try {
    static_cast<void>(plait::infer_status<std::string>(n, ssa, given, opposite));
    FAIL("accepted");
  } catch (plait::status_conflict const& conflict) {
    CHECK(conflict.is_output);
    CHECK(conflict.known == "NCHW");
    CHECK(conflict.proposed == "NHWC");
  }
}

TEST_CASE("infer_status: random nets satisfy every op, and the fixpoint reaches whatever is connected") {
  std::mt19937 random(3);
  auto const pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  std::size_t decided = 0;
  for (int round = 0; round != 500; ++round) {
    struct_net n;
    for (std::size_t op = 0; op != 10; ++op) {
      plait::op_spec made{"T", {}, {}};
      for (std::size_t i = pick(3); i-- != 0;) made.inputs.push_back(std::string(1, static_cast<char>('a' + pick(8))));
      for (std::size_t i = pick(3); i-- != 0;) made.outputs.push_back(std::string(1, static_cast<char>('a' + pick(8))));
      n.ops.push_back(made);
    }
    auto const ssa = plait::get_ssa(n);
    std::vector<plait::value> used;
    for (auto op : ssa.ops()) used.insert(used.end(), op.reads().begin(), op.reads().end());
    if (used.empty()) continue;
    known const given{{used[pick(used.size())], 5}};
    auto const fixpoint =
        plait::infer_status<int>(n, ssa, given, unify{}, {.full_fixpoint = true, .allow_unknown = true});
    auto const sweeps = plait::infer_status<int>(n, ssa, given, unify{}, {.allow_unknown = true});
    CAPTURE(round);
    for (auto op : ssa.ops()) {
      std::size_t open = 0;
      std::size_t all = 0;
      for (auto const& values : {op.reads(), op.writes()})
        for (plait::value v : values) {
          ++all;
          open += !fixpoint[ssa.index(v)];
        }
      REQUIRE((open == 0 || open == all));  // one known operand determines all of its op
    }
    for (std::size_t i = 0; i != fixpoint.size(); ++i) {
      if (sweeps[i]) REQUIRE(fixpoint[i] == sweeps[i]);
      decided += fixpoint[i].has_value();
    }
  }
  CHECK(decided > 1000);
}

TEST_CASE("infer_status: a chain of 300,000 ops, in both directions") {
  auto n = plait::netdef();
  for (int i = 0; i != 300000; ++i) n.add_op("Relu", {"x"}, {"x"});
  auto const ssa = plait::get_ssa(n);
  plait::blob_index const x = ssa.find("x");
  for (bool full : {false, true})
    for (std::uint32_t version : {0U, 300000U}) {
      auto const found = plait::infer_status<int>(n, ssa, known{{{x, version}, 1}}, unify{}, {.full_fixpoint = full});
      CHECK(found[ssa.index({x, 150000})] == 1);
    }
}

TEST_CASE("infer_status: an external output without producer has no status") {
  struct_net const n{{{"A", {"x"}, {"y"}}}, {"x"}, {"y", "elsewhere"}};
  auto const ssa = plait::get_ssa(n);
  known const given{{at(n, ssa, "x", 0), 7}};
  CHECK_THROWS_AS(static_cast<void>(plait::infer_status<int>(n, ssa, given, unify{})), plait::net_error);
  CHECK(plait::infer_status<int>(n, ssa, given, unify{}, {.allow_unknown = true})[ssa.index(at(n, ssa, "y", 1))] == 7);
}
