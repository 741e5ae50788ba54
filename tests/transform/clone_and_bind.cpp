#include <plait/transform/detail/clone_and_bind.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>

namespace {
using names = std::vector<std::string>;
test::struct_net const reuse{{{"Scale", {"x"}, {"t"}},
                              {"Relu", {"t"}, {"u"}},
                              {"Scale", {"u"}, {"t"}},
                              {"Sum", {"t", "w"}, {"v"}},
                              {"Copy", {"v"}, {"x"}}},
                             {"x", "w"},
                             {"v", "x"}};
}  // namespace

TEST_CASE_TEMPLATE("clone_and_bind: written blobs get the prefix, read blobs keep their name or are bound", N,
                   plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(reuse);
  auto const made = plait::clone_and_bind(n, "bound", "q_", {{"w", "weights"}});
  CHECK(made.name == "bound");
  CHECK(made.names == plait::name_map{{"w", "weights"}, {"x", "x"}, {"t", "q_t"}, {"u", "q_u"}, {"v", "q_v"}});
  test::struct_net const net = test::describe(made.net);
  CHECK(net.external_inputs == names{"x", "weights"});
  CHECK(net.external_outputs == names{"q_v", "x"});
  CHECK(net.ops[3].inputs == names{"q_t", "weights"});
  CHECK(test::symbolic_outputs(net, test::given_by::slot) == test::symbolic_outputs(reuse, test::given_by::slot));
  CHECK(test::describe(n) == reuse);
}

TEST_CASE_TEMPLATE("clone_and_bind: binding two blobs to one is refused unless merge is set", N, plait::netdef,
                   test::edit_net) {
  auto const n = test::make_net<N>(reuse);
  CHECK_THROWS_AS((void)plait::clone_and_bind(n, "bound", "q_", {{"w", "x"}}), plait::net_error);
  auto const merged = plait::clone_and_bind(n, "bound", "q_", {{"w", "x"}}, plait::name_capture::merge);
  CHECK(test::describe(merged.net).external_inputs == names{"x", "x"});
}

TEST_CASE_TEMPLATE("clone_and_bind: an external output without producer keeps its name", N, plait::netdef,
                   test::edit_net) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x", "unused"}, {"y", "elsewhere"}});
  test::struct_net const made = test::describe(plait::clone_and_bind(n, "bound", "q_").net);
  CHECK(made.external_inputs == names{"x", "q_unused"});
  CHECK(made.external_outputs == names{"q_y", "elsewhere"});
}
