#include <plait/transform/detail/reshape_subgraphs.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <net/test_nets.hpp>

using ops = std::vector<plait::op_index>;

namespace {

void add_reshape(test::struct_net& n, std::string const& data, std::string const& prefix) {
  n.ops.push_back({"Shape", {data}, {prefix + "shape"}});
  n.ops.push_back({"Slice", {prefix + "shape"}, {prefix + "n"}});
  n.ops.push_back({"Concat", {prefix + "n", prefix + "minus1"}, {prefix + "new", prefix + "info"}});
  n.ops.push_back({"Reshape", {data, prefix + "new"}, {prefix + "r", prefix + "old"}});
}

}  // namespace

TEST_CASE_TEMPLATE("identify_reshape_subgraphs: each Reshape with the ops that compute its shape from its data", N,
                   PLAIT_TEXT_NETS) {
  test::struct_net d{{{"Relu", {"x"}, {"y"}}}, {"x"}, {"z"}};
  add_reshape(d, "y", "s0_");
  d.ops.push_back({"Relu", {"y"}, {"y"}});  // the next one is about another version of y
  add_reshape(d, "y", "s1_");
  d.ops.push_back({"Reshape", {"s1_r", "constant"}, {"z", "zo"}});
  CHECK(plait::identify_reshape_subgraphs(test::make_net<N>(d)) == std::vector<ops>{{1, 2, 3, 4}, {6, 7, 8, 9}, {10}});
}

TEST_CASE("identify_reshape_subgraphs: neither the start of the net nor its length matter") {
  // detectron2 looks at fifteen ops before the data's first reader; counted from below zero, these are the last ones.
  for (std::size_t before : {0U, 1U, 14U, 15U, 16U})
    for (std::size_t between : {0U, 40U})
      for (std::size_t after : {0U, 40U}) {
        test::struct_net d;
        for (std::size_t i = 0; i != before; ++i) d.ops.push_back({"P", {"x"}, {"x"}});
        d.ops.push_back({"Shape", {"x"}, {"shape"}});
        for (std::size_t i = 0; i != between; ++i) d.ops.push_back({"Copy", {"shape"}, {"shape"}});
        d.ops.push_back({"Reshape", {"x", "shape"}, {"r", "old"}});
        for (std::size_t i = 0; i != after; ++i) d.ops.push_back({"Q", {"r"}, {"r"}});
        auto const found = plait::identify_reshape_subgraphs(d);
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].size() == between + 2);
        CHECK(found[0].front() == before);
        CHECK(found[0].back() == before + between + 1);
      }
}

TEST_CASE_TEMPLATE("identify_reshape_subgraphs: a Reshape without shape input is refused", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"a"}}, {"Reshape", {"a"}, {"r", "old"}}}, {"x"}, {"r"}});
  try {
    static_cast<void>(plait::identify_reshape_subgraphs(n));
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.op == 1);
  }
}
