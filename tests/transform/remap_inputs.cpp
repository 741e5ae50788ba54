#include <plait/transform/detail/remap_inputs.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("remap_inputs: one op reads other blobs", N, PLAIT_MUTABLE_NETS) {
  test::struct_net const net{{{"Sum", {"a", "b", "a"}, {"a"}}, {"Sum", {"a", "b"}, {"y"}}}, {"a", "b"}, {"y"}};
  auto n = test::make_net<N>(net);
  CHECK(plait::remap_inputs(n, 0, {{"a", "b"}, {"b", "c"}, {"y", "z"}}) == std::vector<std::uint32_t>{0, 1, 2});
  test::struct_net const after = test::describe(n);
  CHECK(after.ops[0].inputs == std::vector<std::string>{"b", "c", "b"});
  CHECK(after.ops[0].outputs == net.ops[0].outputs);
  CHECK(after.ops[1].inputs == net.ops[1].inputs);
  CHECK(after.external_inputs == net.external_inputs);
  CHECK(plait::remap_inputs(n, 1, {{"x", "z"}}).empty());
  try {
    plait::remap_inputs(n, 2, {{"a", "b"}});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 2);
  }
}

TEST_CASE("remap_inputs: refuses an input that a nested net reads too") {
  auto n = plait::read_netdef_text(R"(
    op { type: "If" input: "c" input: "x" arg { name: "then_net" n { op { type: "Relu" input: "x" output: "y" } } } })");
  CHECK_THROWS_AS(plait::remap_inputs(n, 0, {{"x", "z"}}), plait::net_error);
  CHECK(n.text(n.op[0].input[1]) == "x");
  CHECK(plait::remap_inputs(n, 0, {{"c", "z"}}) == std::vector<std::uint32_t>{0});
}

TEST_CASE("remap_inputs: refuses an input that a Do updates") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Do" input: "x" input: "y" input: "ws" output: "x" output: "ws"
         arg { name: "inner_blobs" strings: "i" strings: "j" } arg { name: "outer_blobs_idx" ints: 0 ints: 1 }
         arg { name: "net" n { op { type: "Mul" input: "i" input: "j" output: "i" } } } })");
  CHECK_THROWS_AS(plait::remap_inputs(n, 0, {{"x", "z"}}), plait::net_error);
  CHECK(n.text(n.op[0].input[0]) == "x");
  CHECK(plait::remap_inputs(n, 0, {{"y", "z"}}) == std::vector<std::uint32_t>{1});
}
