#include <plait/ssa/detail/blob_label.hpp>

#include <doctest/doctest.h>

#include <string>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("blob label: is the name, or the number where names have no text", N, PLAIT_ALL_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y"}});
  auto const ssa = plait::get_ssa(n);
  plait::blob_index const y = ssa.find(test::key_of(n, "y"));
  CHECK(plait::blob_label(ssa, y) == (plait::has_text<N> ? "y" : "#" + std::to_string(y)));
}
