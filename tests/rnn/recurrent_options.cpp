#include <plait/rnn/detail/recurrent_options.hpp>

#include <doctest/doctest.h>

#include <string>

#include <plait/netdef/equality.hpp>

TEST_CASE("cell_net: holds a net, or a copy of a builder's net so far") {
  plait::net_builder builder("step");
  auto const [x, h] = builder.external_inputs("x", "h");
  plait::cell_net const early = builder;
  builder.external_outputs(builder.mul(x, h, "y"));
  plait::cell_net const late = builder;
  CHECK(early.net().op.empty());
  CHECK(late.net() == builder.net());
  CHECK(plait::cell_net(builder.take()).net() == late.net());
  CHECK(plait::cell_net().net() == plait::netdef());
}

TEST_CASE("recurrent_outputs: all() and last() find outputs by the state") {
  plait::recurrent_outputs<std::string> const made{
      {{"h", 0, "h_all"}, {"h", -1, "h_last"}, {"c", 0, "c_all"}, {"c", -1, "c_last"}, {"d", 2, "d_from_2"}},
      {"h_all", "h_last", "c_all", "c_last", "d_from_2"},
      "ws"};
  CHECK(made.all("h") == "h_all");
  CHECK(made.last("h") == "h_last");
  CHECK(made.all("c") == "c_all");
  CHECK(made.last("c") == "c_last");
  try {
    (void)made.last("h_prev");
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "h_prev");
    CHECK(std::string(problem.what()) == "plait: the recurrent net has no output with the last step of 'h_prev'");
  }
  CHECK_THROWS_AS((void)made.all("d"), plait::net_error);
}
