#include <plait/transform/detail/ops_between.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

using test::struct_net;

namespace {

// Returns all reachable values, the naive way: iterates until nothing is added.
std::vector<plait::op_index> naive(plait::ssa_form<struct_net> const& ssa, plait::value from, plait::value to) {
  std::set<plait::value> after{from};
  std::set<plait::value> before{to};
  for (std::size_t round = 0; round != ssa.op_count(); ++round)
    for (plait::op_index op = 0; op != ssa.op_count(); ++op) {
      for (plait::value r : ssa.reads(op))
        for (plait::value w : ssa.writes(op)) {
          if (after.contains(r)) after.insert(w);
          if (before.contains(w)) before.insert(r);
        }
    }
  std::vector<plait::op_index> found;
  for (plait::op_index op = 0; op != ssa.op_count(); ++op) {
    bool starts = false;
    bool ends = false;
    for (plait::value r : ssa.reads(op)) starts |= after.contains(r);
    for (plait::value w : ssa.writes(op)) ends |= before.contains(w);
    if (starts && ends && from != to) found.push_back(op);
  }
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("ops_between: ops on every path between two values", N, PLAIT_ALL_NETS) {
  auto const n = test::make_net<N>({{{"A", {"x"}, {"a"}},
                                     {"B", {"a"}, {"b"}},
                                     {"C", {"a"}, {"c"}},
                                     {"D", {"b", "c"}, {"d"}},
                                     {"E", {"x"}, {"e"}},
                                     {"F", {"d", "e"}, {"f"}}},
                                    {"x"},
                                    {"f"}});
  auto const ssa = plait::get_ssa(n);
  auto const last = [&](char const* blob) {
    plait::blob_index const b = ssa.find(test::key_of(n, blob));
    return plait::value{b, ssa.version(b)};
  };
  CHECK(plait::ops_between(ssa, last("a"), last("d")) == std::vector<plait::op_index>{1, 2, 3});
  CHECK(plait::ops_between(ssa, last("a"), last("f")) == std::vector<plait::op_index>{1, 2, 3, 5});
  CHECK(plait::ops_between(ssa, last("d"), last("a")).empty());
  CHECK(plait::ops_between(ssa, last("a"), last("a")).empty());
  CHECK(plait::ops_between(ssa, last("f"), last("a")).empty());
}

TEST_CASE("path_finder: many queries equal the naive search") {
  std::mt19937 random(7);
  auto const pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  for (int round = 0; round != 200; ++round) {
    struct_net n;
    for (std::size_t op = 0; op != 12; ++op) {
      plait::op_spec made{"T", {}, {}};
      for (std::size_t i = pick(3); i-- != 0;) made.inputs.push_back(std::string(1, static_cast<char>('a' + pick(5))));
      for (std::size_t i = 1 + pick(2); i-- != 0;)
        made.outputs.push_back(std::string(1, static_cast<char>('a' + pick(5))));
      n.ops.push_back(made);
    }
    auto const ssa = plait::get_ssa(n);
    plait::path_finder<struct_net> find(ssa);
    std::vector<plait::value> values;
    for (plait::blob_index b : ssa.blobs())
      for (std::uint32_t version = 0; version <= ssa.version(b); ++version) values.push_back({b, version});
    for (int question = 0; question != 20; ++question) {
      plait::value const from = values[pick(values.size())];
      plait::value const to = values[pick(values.size())];
      CAPTURE(round);
      REQUIRE(find(from, to) == naive(ssa, from, to));
    }
  }
}

TEST_CASE("ops_between: through an op with 200,000 outputs") {
  struct_net n{{{"Split", {"x"}, {}}, {"Concat", {}, {"y"}}}, {"x"}, {"y"}};
  for (int i = 0; i != 200000; ++i) n.ops[0].outputs.push_back("part" + std::to_string(i));
  n.ops[1].inputs = n.ops[0].outputs;
  auto const ssa = plait::get_ssa(n);
  auto const path = plait::ops_between(ssa, {ssa.find("x"), 0}, {ssa.find("y"), 1});
  CHECK(path == std::vector<plait::op_index>{0, 1});
}
