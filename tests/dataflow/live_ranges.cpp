#include <plait/dataflow/live_ranges.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/dataflow/liveness.hpp>
#include <plait/net/static_net.hpp>

#include <net/test_nets.hpp>
#include <oracle/naive_dataflow.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

constexpr plait::static_net chain{plait::externals({"x"}, {"z"}), plait::op("Split", {"x"}, {"y", "unused"}),
                                  plait::op("Copy", {"y"}, {"z"}), plait::op("Add", {"z", "y"}, {"z"})};
static_assert([] {
  plait::single_block const p(chain);
  plait::liveness const live(p);
  plait::live_ranges const ranges(live.snapshot().code(), live.dense());
  auto const of = [&](std::string_view name) { return live.snapshot().find(name); };
  using range = plait::live_ranges::range;
  return std::ranges::equal(ranges[of("x")], std::array{range{0, 0}}) &&
         std::ranges::equal(ranges[of("y")], std::array{range{1, 2}}) &&
         std::ranges::equal(ranges[of("z")], std::array{range{2, 3}}) && ranges[of("unused")].empty() &&
         ranges.interfere(of("y"), of("z")) && !ranges.interfere(of("x"), of("z")) &&
         ranges.pressure() == plait::live_ranges::peak{2, 0};
}());

TEST_CASE("live ranges: points and pressure match the definition of liveness on random programs") {
  plait::liveness<test::net_program> live;
  plait::live_ranges ranges;
  std::array const names = {"a", "b", "c", "d", "e"};
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    live.compute(p);
    auto const& snapshot = live.snapshot();
    auto const& code = snapshot.code();
    ranges.compute(code, live.dense());

    std::vector<std::set<unsigned>> points(code.blob_count());
    for (plait::blob_index b = 0; b != code.blob_count(); ++b) {
      unsigned next = 0;
      for (auto const& [first, last] : ranges[b]) {
        REQUIRE(first <= last);
        REQUIRE((next == 0 || first > next));  // ranges are not adjacent
        next = last + 1;
        for (unsigned at = first; at <= last; ++at) points[b].insert(at);
      }
    }
    std::size_t most = 0;
    plait::op_index at_op = plait::npos;
    auto const consider = [&](std::size_t count, plait::op_index op) {
      if (count <= most) return;
      most = count;
      at_op = op;
    };
    for (std::uint32_t block = 0; block != code.block_count(); ++block) {
      int const node = snapshot.graph().node(block);
      REQUIRE(plait::live_ranges::start(code, block) + code.ops(block).size() == plait::live_ranges::end(code, block));
      for (std::size_t place = 0; place <= code.ops(block).size(); ++place) {
        bool const at_end = place == code.ops(block).size();
        plait::op_index const op = code.first_op(block) + static_cast<plait::op_index>(place);
        unsigned const point = at_end ? plait::live_ranges::end(code, block) : plait::live_ranges::before(code, op);
        std::set<std::string> here, next;
        for (std::string const name : names) {
          if (oracle::is_live(p, {node, place}, name)) here.insert(name);
          if (!at_end && oracle::is_live(p, {node, place + 1}, name)) next.insert(name);
          plait::blob_index const b = snapshot.find(name);
          if (b != plait::npos) REQUIRE(points[b].contains(point) == here.contains(name));
        }
        consider(here.size(), at_end ? plait::npos : op);
        if (at_end) continue;
        for (std::string const& name : p.block(node).ops[place].outputs) next.insert(name);
        consider(next.size(), op);
      }
    }
    REQUIRE(ranges.pressure() == plait::live_ranges::peak{most, at_op});
    for (plait::blob_index a = 0; a != code.blob_count(); ++a)
      for (plait::blob_index b = 0; b != code.blob_count(); ++b)
        REQUIRE(ranges.interfere(a, b) ==
                std::ranges::any_of(points[a], [&](unsigned point) { return points[b].contains(point); }));
  }
}

TEST_CASE("live ranges: take linear time for a long net") {
  test::struct_net net;
  net.external_inputs = {"x"};
  std::size_t const count = 300'000;
  for (std::size_t at = 0; at != count; ++at)
    net.ops.push_back({"Add", {at == 0 ? "x" : "v" + std::to_string(at - 1), "x"}, {"v" + std::to_string(at)}});
  net.external_outputs = {"v" + std::to_string(count - 1)};
  plait::single_block const p(net);
  plait::liveness const live(p);
  plait::live_ranges const ranges(live.snapshot().code(), live.dense());
  CHECK(ranges.pressure().blobs == 2);
  CHECK(ranges[live.snapshot().find("x")].size() == 1);
  CHECK(ranges[live.snapshot().find("x")].front().last == count - 1);
  CHECK(live.dense().exposed().size() == 2);
}

TEST_CASE("live ranges: count the pressure of 300,000 unread outputs of an op") {
  test::net_program p{{{}}, {{}}};
  plait::op_spec wide{"Split", {}, {}};
  for (int i = 0; i != 300'000; ++i) wide.outputs.push_back(std::to_string(i / 2));  // each name twice
  p.blocks[0].ops = {wide};
  plait::liveness const live(p);
  plait::live_ranges const ranges(live.snapshot().code(), live.dense());
  CHECK(ranges.pressure() == plait::live_ranges::peak{150'000, 0});
}

}  // namespace
