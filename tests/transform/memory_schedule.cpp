#include <plait/transform/detail/memory_schedule.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>
#include <support/shared_nets.hpp>

namespace {

test::struct_net in_order(test::struct_net n, std::vector<plait::op_index> const& order) {
  auto const ops = n.ops;
  for (std::size_t at = 0; at != order.size(); ++at) n.ops[at] = ops[order[at]];
  return n;
}

// Chains of one op each, all begun before any is finished.
test::struct_net breadth_first(std::size_t chains) {
  test::struct_net n;
  n.external_inputs = {"x"};
  auto const name = [](char const* of, std::size_t i) { return of + std::to_string(i); };
  for (std::size_t i = 0; i != chains; ++i) n.ops.push_back({"Relu", {"x"}, {name("a", i)}});
  for (std::size_t i = 0; i != chains; ++i) {
    n.ops.push_back({"Reduce", {name("a", i)}, {name("y", i)}});
    n.external_outputs.push_back(name("y", i));
  }
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE("find_memory_schedule: finishes a chain before it begins another", N, plait::netdef, test::edit_net,
                   test::indexed_net) {
  auto n = test::make_net<N>(breadth_first(6));
  auto const found = plait::find_memory_schedule(n);
  CHECK(found.peak_before == 6);
  CHECK(found.peak == 1);
  auto const made = plait::schedule_and_share_blobs(n);
  CHECK(made.schedule.ops == found.ops);
  CHECK(made.sharing.shared == 1);
}

TEST_CASE_TEMPLATE("find_memory_schedule: computes what the net computes, with no higher peak", N, plait::netdef,
                   test::edit_net, test::indexed_net) {
  std::mt19937 random(5);
  int better = 0;
  for (int round = 0; round != 300; ++round) {
    test::struct_net const before = test::random_net(random, {.most_ops = 16, .blobs = 14});
    auto n = test::make_net<N>(before);
    auto const found = plait::find_memory_schedule(n);
    auto sorted = found.ops;
    std::ranges::sort(sorted);
    for (std::size_t op = 0; op != before.ops.size(); ++op) REQUIRE(sorted.at(op) == op);
    test::struct_net const ordered = in_order(before, found.ops);
    CHECK(test::symbolic_outputs(ordered) == test::symbolic_outputs(before));
    auto const internal = test::internal_blobs(before);
    CHECK(found.peak_before == test::most_at_once(before, internal));
    CHECK(found.peak == test::most_at_once(ordered, internal));
    CHECK(found.peak <= found.peak_before);
    better += found.peak < found.peak_before;

    auto const made = plait::schedule_and_share_blobs(n);
    CHECK(made.sharing.shared == found.peak);
    CHECK(test::symbolic_outputs(test::describe(n)) == test::symbolic_outputs(before));
  }
  CHECK(better > 10);
}

TEST_CASE("find_memory_schedule: control inputs and nested nets are dependences") {
  plait::netdef n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "x" output: "b" type: "Relu" }
    op { input: "x" output: "c" type: "Relu" }
    op { input: "a" output: "y1" type: "Reduce" control_input: "b" control_input: "c" }
    op { input: "b" output: "y2" type: "Reduce" }
    op { input: "c" output: "y3" type: "Reduce" }
    external_input: "x" external_output: "y1" external_output: "y2" external_output: "y3")");
  auto const found = plait::find_memory_schedule(n);
  CHECK(found.peak == 3);
  CHECK(found.ops == std::vector<plait::op_index>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("find_memory_schedule: the order stays where aliases may be written") {
  // Op 6 writes the memory of v, which op 4 reads.
  auto n = test::make_net<plait::netdef>({{{"Relu", {"x"}, {"a"}},
                                           {"Alias", {"a"}, {"v"}},
                                           {"Relu", {"x"}, {"p"}},
                                           {"Tanh", {"x"}, {"q"}},
                                           {"Sum", {"p", "v"}, {"y0"}},
                                           {"Reduce", {"q"}, {"y1"}},
                                           {"Tanh", {"x"}, {"a"}},
                                           {"Reduce", {"a"}, {"y2"}}},
                                          {"x"},
                                          {"y0", "y1", "y2"}});
  CHECK(plait::find_memory_schedule(n).ops == std::vector<plait::op_index>{0, 1, 2, 3, 4, 5, 6, 7});
}
