#include <plait/net/detail/op_label.hpp>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("op_label: index and type of the op", N, PLAIT_ALL_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}, {"FC", {"y", "w"}, {"z"}}}, {"x", "w"}, {"z"}});
  CHECK(plait::op_label(n, 1) == (plait::typed_net<N> ? "op 1 (FC)" : "op 1"));
  CHECK(plait::op_label(n, 7) == "op 7");
}
