#include <plait/ssa/backward_slice.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/net/static_net.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

using ops = std::vector<plait::op_index>;

constexpr plait::static_net chain{plait::op("F", {"a"}, {"b"}), plait::op("F", {"x"}, {"y"}),
                                  plait::op("F", {"b"}, {"c"})};
static_assert([] {
  auto const ssa = plait::get_ssa(chain);
  std::array const wanted{ssa.writes(2)[0]};
  return std::ranges::equal(
      plait::backward_slice(ssa, std::span<plait::value const>(), std::span<plait::value const>(wanted)),
      std::array{0, 2});
}());

// Computes the slice value by value, by the definition.
ops path_by_definition(test::struct_net const& n, std::vector<plait::value> const& given,
                       std::vector<plait::value> const& wanted) {
  auto const ssa = plait::get_ssa(n);
  std::set<plait::op_index> found;
  std::set<plait::value> done(given.begin(), given.end());
  std::vector<plait::value> open = wanted;
  while (!open.empty()) {
    plait::value const v = open.back();
    open.pop_back();
    if (!done.insert(v).second) continue;
    for (plait::op_index op = 0; op != ssa.op_count(); ++op)
      if (std::ranges::find(ssa.writes(op), v) != ssa.writes(op).end()) {
        found.insert(op);
        open.insert(open.end(), ssa.reads(op).begin(), ssa.reads(op).end());
      }
  }
  return {found.begin(), found.end()};
}

test::struct_net const reuse{{{"Scale", {"x"}, {"t"}},
                              {"Relu", {"t"}, {"u"}},
                              {"Scale", {"u"}, {"t"}},
                              {"Sum", {"t", "u"}, {"v"}},
                              {"Copy", {"v"}, {"x"}}},
                             {"x"},
                             {"v", "x"}};

}  // namespace

TEST_CASE_TEMPLATE("backward slice: is bounded by the last versions of its inputs", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(reuse);
  auto const ssa = plait::get_ssa(n);
  auto const path = [&](std::vector<std::string> const& from, std::vector<std::string> const& to) {
    return plait::backward_slice(ssa, from, to);
  };
  CHECK(path({"t"}, {"v"}) == ops{0, 1, 3});  // stops at the second version of t, but not at the first
  CHECK(path({"u"}, {"x"}) == ops{2, 3, 4});
  CHECK(path({}, {"x"}) == ops{0, 1, 2, 3, 4});
  CHECK(path({"x"}, {}) == ops{});
  CHECK(path({"v"}, {"v"}) == ops{});
  try {
    path({"nobody"}, {"v"});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "nobody");
  }
}

TEST_CASE_TEMPLATE("backward slice: an unwritten external output is an error", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "elsewhere"}});
  auto const ssa = plait::get_ssa(n);
  std::vector<std::string> const none;
  std::vector<std::string> const some{"elsewhere"};
  CHECK_THROWS_AS(static_cast<void>(plait::backward_slice(ssa, none, some)), plait::net_error);
  CHECK_THROWS_AS(static_cast<void>(plait::backward_slice(ssa, some, none)), plait::net_error);
}

TEST_CASE("backward slice: matches the definition between any versions of random nets") {
  std::mt19937 random(5);
  for (int round = 0; round != 500; ++round) {
    CAPTURE(round);
    test::struct_net const n = test::random_net(random, {.most_ops = 10, .blobs = 5, .declared = round % 2 == 0});
    auto const ssa = plait::get_ssa(n);
    std::vector<plait::value> given;
    std::vector<plait::value> wanted;
    for (plait::blob_index b : ssa.blobs())
      for (plait::value v{b, 0}; v.version <= ssa.version(b); ++v.version) {
        if (random() % 4 == 0) given.push_back(v);
        if (random() % 4 == 0) wanted.push_back(v);
      }
    CHECK(plait::backward_slice(ssa, std::span<plait::value const>(given), std::span<plait::value const>(wanted)) ==
          path_by_definition(n, given, wanted));
  }
}

TEST_CASE("backward slice: handles a million ops") {
  test::struct_net const n = test::long_net(1'000'000);
  auto const ssa = plait::get_ssa(n);
  auto const found = plait::backward_slice(ssa, std::vector<std::string>{"x"}, n.external_outputs);
  CHECK(found.size() > 500'000);
  CHECK(std::ranges::is_sorted(found));
}
