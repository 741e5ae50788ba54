#include <plait/net/op_stats.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("op_stats: the most frequent type first, ties by name", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(
      {{{"Relu", {"a"}, {"b"}}, {"FC", {"b"}, {"c"}}, {"Add", {"c"}, {"d"}}, {"FC", {"d"}, {"e"}}, {"Add", {}, {}}}});
  CHECK(plait::op_stats(n) == std::vector<plait::op_count>{{"Add", 2}, {"FC", 2}, {"Relu", 1}});
  CHECK(plait::op_stats(test::make_net<N>({})).empty());
}
