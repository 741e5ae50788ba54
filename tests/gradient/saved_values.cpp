#include <plait/gradient/detail/saved_values.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/netdef/net_builder.hpp>

using plait::saved_value;
using test::lines;

namespace {

saved_value copy_at(std::uint32_t position, std::string const& blob, std::vector<saved_value::step> path = {}) {
  return {std::move(path), position, blob, blob + "_saved"};
}

}  // namespace

TEST_CASE("insert_saved_values: positions refer to the ops before insertion") {
  auto n = test::net_of<test::edit_net>({"A: x -> a", "B: a -> a", "C: a -> c"});
  plait::insert_saved_values(n, {copy_at(0, "x"), copy_at(1, "a"), copy_at(3, "c")});
  CHECK(test::lines_of(n) ==
        lines{"Copy: x -> x_saved", "A: x -> a", "Copy: a -> a_saved", "B: a -> a", "C: a -> c", "Copy: c -> c_saved"});
}

TEST_CASE("insert_saved_values: a blob that may be unset is saved as zeros of its shape") {
  auto n = test::net_of<test::edit_net>({"A: x -> a"});
  plait::insert_saved_values(n, {{{}, 1, "a", "a_saved", true}});
  CHECK(test::lines_of(n) == lines{"A: x -> a", "ZerosLike: a -> a_saved"});
}

TEST_CASE("insert_saved_values: an empty list leaves the net unchanged") {
  auto n = test::net_of<test::edit_net>({"A: x -> a"});
  auto const before = n;
  plait::insert_saved_values(n, {});
  CHECK(n == before);
}

TEST_CASE("insert_saved_values: a copy is placed on the producer's device") {
  auto n = test::net_of<test::edit_net>({"A: x -> a", "B: a -> a"});
  n.ops[0].device = plait::device_spec{plait::device_kind::cuda, 1};
  plait::insert_saved_values(n, {copy_at(0, "x"), copy_at(1, "a")});
  CHECK(n.ops[0].device == std::nullopt);
  CHECK(n.ops[2].device == plait::device_spec{plait::device_kind::cuda, 1});
}

TEST_CASE("insert_saved_values: copies into nested nets do not shift positions in the outer net") {
  plait::net_builder b("n");
  for (char const* name : {"cond", "x", "y"}) b.external_input(name);
  b.op("Tanh", {"x"}, {"x"});
  b.if_("cond", [](plait::net_builder& t) { t.op("Tanh", {"x"}, {"y"}); });
  plait::netdef n = b.take();
  auto const at = static_cast<plait::op_index>(n.op.size() - 1);
  plait::insert_saved_values(n, {copy_at(0, "x"), copy_at(1, "y", {{at, "then_net"}})});
  CHECK(test::lines_of(n).front() == "Copy: x -> x_saved");
  plait::arg_def const* const inner = plait::find_argument(n, n.op.back(), "then_net");
  REQUIRE(inner != nullptr);
  lines const inside = test::lines_of(*inner->n);
  REQUIRE(inside.size() == 2);
  CHECK(inside[1] == "Copy: y -> y_saved");
}
