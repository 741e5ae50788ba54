#include <plait/transform/detail/release_blobs.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

using released = std::vector<plait::released_blob>;

test::struct_net const diamond{
    {{"Relu", {"x"}, {"a"}}, {"Relu", {"a"}, {"b"}}, {"Relu", {"a"}, {"c"}}, {"Sum", {"b", "c", "b"}, {"y"}}},
    {"x"},
    {"y"}};

}  // namespace

TEST_CASE_TEMPLATE("release_blobs: frees after the last reader", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(diamond);
  CHECK(plait::release_blobs(n) == released{{2, "a"}, {3, "c"}, {3, "b"}});
  CHECK(test::describe(n) == test::struct_net{{{"Relu", {"x"}, {"a"}},
                                               {"Relu", {"a"}, {"b"}},
                                               {"Relu", {"a"}, {"c"}},
                                               {"Free", {"a"}, {"a"}},
                                               {"Sum", {"b", "c", "b"}, {"y"}},
                                               {"Free", {"c"}, {"c"}},
                                               {"Free", {"b"}, {"b"}}},
                                              {"x"},
                                              {"y"}});
}

TEST_CASE_TEMPLATE("release_blobs: does not free blobs to keep", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(diamond);
  CHECK(plait::find_released_blobs(n, {.keep = {"a", "b"}}) == released{{3, "c"}});
  CHECK(plait::find_released_blobs(n, {.only = [](std::string_view name) { return name == "b"; }}) ==
        released{{3, "b"}});
  CHECK(test::describe(n) == diamond);
}

TEST_CASE_TEMPLATE("release_blobs: reads nothing after it is freed, and frees all that can be freed", N,
                   PLAIT_MUTABLE_NETS) {
  std::mt19937 random(31);
  for (int round = 0; round != 300; ++round) {
    test::struct_net const before = test::random_net(random, {.declared = round % 2 == 0});
    auto n = test::make_net<N>(before);
    plait::release_blobs(n);
    std::set<std::string> freed;
    test::struct_net left = test::describe(n);
    for (plait::op_spec const& op : left.ops) {
      if (op.type == "Free") {
        CHECK(freed.insert(op.inputs.at(0)).second);
        continue;
      }
      for (std::string const& name : op.inputs) CHECK_FALSE(freed.contains(name));
    }
    std::erase_if(left.ops, [](plait::op_spec const& op) { return op.type == "Free"; });
    CHECK(left == before);

    std::set<std::string> made;
    std::set<std::string> read;
    for (plait::op_spec const& op : before.ops) {
      read.insert(op.inputs.begin(), op.inputs.end());
      for (std::string const& name : op.outputs)
        if (!read.contains(name)) made.insert(name);
    }
    std::set<std::string> expected;
    for (std::string const& name : made)
      if (read.contains(name) && std::ranges::find(before.external_outputs, name) == before.external_outputs.end())
        expected.insert(name);
    CHECK(freed == expected);
  }
}

TEST_CASE("release_blobs: control inputs, nested nets and aliases count") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "x" output: "b" type: "Relu" }
    op { input: "a" output: "v" type: "Alias" }
    op { input: "x" output: "cond" type: "Test" }
    op { input: "b" output: "c" type: "Relu" }
    op { input: "cond" output: "r" type: "If" arg { name: "then_net" n {
      op { input: "b" output: "r" type: "Relu" } external_input: "b" external_output: "r" } } }
    op { input: "v" output: "y" type: "Relu" control_input: "c" }
    external_input: "x" external_output: "y" external_output: "r")");
  CHECK(plait::find_released_blobs(n) == released{{5, "b"}, {5, "cond"}, {6, "c"}});
}

TEST_CASE("release_blobs: does not free a blob that its writer may leave unwritten") {
  std::string const text = R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "a" output: "cond" type: "Test" }
    op { input: "cond" output: "r" type: "If" arg { name: "then_net" n { op { input: "x" output: "r" type: "Relu" } } } }
    op { input: "r" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")";
  CHECK(plait::find_released_blobs(plait::read_netdef_text(text + "external_input: \"r\"")) ==
        released{{1, "a"}, {2, "cond"}});
  CHECK(plait::find_released_blobs(plait::read_netdef_text(text)) == released{{1, "a"}, {2, "cond"}, {3, "r"}});
}

TEST_CASE("release_blobs: frees an input that is overwritten unread") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "a" input: "b" output: "b" output: "y" type: "Split" }
    op { input: "b" output: "z" type: "Relu" }
    external_input: "x" external_input: "a" external_input: "b" external_output: "y" external_output: "z")");
  CHECK(plait::find_released_blobs(n) == released{{1, "a"}});
}

TEST_CASE("release_blobs: a Do always writes what its net writes") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { output: "ws" type: "CreateScope" }
    op { input: "x" input: "ws" output: "y" output: "ws" type: "Do"
         arg { name: "net" n { op { input: "in" output: "out" type: "Relu" } } }
         arg { name: "inner_blobs" strings: "in" strings: "out" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 2 } }
    op { input: "y" output: "z" type: "Relu" }
    op { input: "ws" output: "ws" type: "Touch" }
    external_input: "x" external_output: "z")");
  CHECK(plait::find_released_blobs(n) == released{{2, "y"}, {3, "ws"}});
}

TEST_CASE("release_blobs: a blob that a nested net mentions but does not read may be freed later") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "all" type: "RecurrentNetwork"
         arg { name: "backward_step_net" n { op { input: "g" output: "x_grad" type: "Relu" } } }
         arg { name: "param_grads" strings: "w_grad" }
         arg { name: "step_net" n { op { input: "h_prev" output: "h" type: "Relu" } } } }
    op { input: "all" output: "w_grad" type: "Relu" }
    op { input: "w_grad" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")");
  CHECK(plait::find_released_blobs(n) == released{{1, "all"}, {2, "w_grad"}});
}

TEST_CASE("release_blobs: outputs that a recurrence names in arguments are not read by it") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "all" output: "last" type: "RecurrentNetwork"
         arg { name: "alias_src" strings: "h_states" strings: "h_states" }
         arg { name: "alias_dst" strings: "all" strings: "last" }
         arg { name: "step_net" n { op { input: "h_prev" output: "h" type: "Relu" } } } }
    op { input: "all" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")");
  CHECK(plait::find_released_blobs(n) == released{{1, "all"}});
}
