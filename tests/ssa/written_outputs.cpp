#include <plait/ssa/detail/written_outputs.hpp>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("written outputs: an unwritten external output is an error that names it", N, test::struct_net,
                   plait::netdef) {
  auto const well = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "x"}});
  plait::detail::require_written_outputs(plait::get_ssa(well));
  auto const ill = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "ghost", "x"}});
  try {
    plait::detail::require_written_outputs(plait::get_ssa(ill));
    FAIL("accepted");
  } catch (plait::net_error const& e) {
    CHECK(e.blob == "ghost");
    CHECK(!e.op);
    CHECK(std::string_view(e.what()).find("'ghost'") != std::string_view::npos);
  }
}
