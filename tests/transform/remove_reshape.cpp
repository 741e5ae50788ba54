#include <plait/transform/detail/remove_reshape.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <net/test_nets.hpp>

using test::struct_net;
using names = std::vector<std::string>;

namespace {

// relu → shape, slice, concat, reshape → fc
struct_net before_fc() {
  return {{{"Relu", {"x"}, {"a"}},
           {"Shape", {"a"}, {"shape"}},
           {"Slice", {"shape"}, {"n"}},
           {"Concat", {"n", "minus1"}, {"new", "info"}},
           {"Reshape", {"a", "new"}, {"r", "old"}},
           {"FC", {"r", "w", "b"}, {"y"}}},
          {"x", "minus1", "w", "b"},
          {"y"}};
}

template <class N>
void check_kept(struct_net const& d) {
  N n = test::make_net<N>(d);
  auto const done = plait::remove_reshape_for_fc(n, names{"minus1", "w", "b"});
  CHECK(done.removed_ops.empty());
  CHECK(done.removed_parameters.empty());
  CHECK(done.rewired_inputs.empty());
  CHECK(test::describe(n) == test::describe(test::make_net<N>(d)));
}

}  // namespace

TEST_CASE_TEMPLATE("remove_reshape_for_fc: removes a Reshape before an FC, its shape and the parameters of that", N,
                   PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(before_fc());
  auto const done = plait::remove_reshape_for_fc(n, names{"minus1", "w", "b"});
  CHECK(test::describe(n) ==
        struct_net{{{"Relu", {"x"}, {"a"}}, {"FC", {"a", "w", "b"}, {"y"}}}, {"x", "w", "b"}, {"y"}});
  CHECK(done.removed_ops == std::vector<plait::op_index>{1, 2, 3, 4});
  CHECK(done.rewired_inputs == std::vector<plait::operand>{{5, 0}});
  CHECK(done.removed_parameters == names{"minus1"});
  CHECK(done.renamed_outputs.empty());

  auto const again = plait::remove_reshape_for_fc(n, names{"w", "b"});
  CHECK(again.removed_ops.empty());
}

TEST_CASE_TEMPLATE("remove_reshape_for_fc: two FCs, and an external output that named the result", N,
                   PLAIT_MUTABLE_NETS) {
  struct_net d = before_fc();
  d.ops.push_back({"FC", {"r", "w2", "b2"}, {"z"}});
  d.external_outputs = {"y", "r", "z"};
  N n = test::make_net<N>(d);
  auto const done = plait::remove_reshape_for_fc(n, names{"minus1"});
  CHECK(done.rewired_inputs.size() == 2);
  CHECK(done.renamed_outputs == std::vector<std::uint32_t>{1});
  CHECK(test::describe(n).external_outputs == names{"y", "a", "z"});
  CHECK(test::describe(n).ops.back().inputs == names{"a", "w2", "b2"});
}

TEST_CASE_TEMPLATE("remove_reshape_for_fc: a parameter that is read elsewhere stays", N, PLAIT_MUTABLE_NETS) {
  struct_net d = before_fc();
  d.ops.push_back({"Print", {"minus1"}, {}});
  N n = test::make_net<N>(d);
  auto const done = plait::remove_reshape_for_fc(n, names{"minus1", "w", "b"});
  CHECK(done.removed_ops.size() == 4);
  CHECK(done.removed_parameters.empty());
  CHECK(test::describe(n).external_inputs == names{"x", "minus1", "w", "b"});
}

TEST_CASE_TEMPLATE(
    "remove_reshape_for_fc: a parameter of two removed Reshapes is removed once; other inputs stay declared", N,
    PLAIT_MUTABLE_NETS) {
  struct_net d{{{"Relu", {"x"}, {"a"}},
                {"Reshape", {"a", "shape"}, {"r", "old"}},
                {"FC", {"r", "w", "b"}, {"h"}},
                {"Reshape", {"h", "shape"}, {"r2", "old2"}},
                {"FC", {"r2", "w", "b"}, {"y"}}},
               {"x", "shape", "w", "b"},
               {"y"}};
  N n = test::make_net<N>(d);
  CHECK(plait::remove_reshape_for_fc(n, names{"w", "shape", "b"}).removed_parameters == names{"shape"});
  CHECK(test::describe(n).ops.size() == 3);
  CHECK(test::describe(n).external_inputs == names{"x", "w", "b"});

  N m = test::make_net<N>(d);
  CHECK(plait::remove_reshape_for_fc(m, names{}).removed_parameters.empty());
  CHECK(test::describe(m).external_inputs == names{"x", "shape", "w", "b"});
}

TEST_CASE_TEMPLATE("remove_reshape_for_fc: Reshapes that stay", N, PLAIT_MUTABLE_NETS) {
  struct_net d = before_fc();
  SUBCASE("another reader of the result") { d.ops.push_back({"Softmax", {"r"}, {"z"}}); }
  SUBCASE("no reader of the result") { d.ops.pop_back(); }
  SUBCASE("no reader, but an external output") {
    d.ops.pop_back();
    d.external_outputs = {"r"};
  }
  SUBCASE("the result is the FC's weight") { d.ops.back().inputs = {"x", "r", "b"}; }
  SUBCASE("its old shape is used") { d.ops.push_back({"Reshape", {"y", "old"}, {"z", "zo"}}); }
  SUBCASE("a value of its shape is an external output") { d.external_outputs = {"y", "shape"}; }
  SUBCASE("the data is an external input") { d.ops.front() = {"Relu", {"q"}, {"q2"}}; }
  SUBCASE("the shape depends on another value") { d.ops.front().outputs = {"a", "minus1"}; }
  SUBCASE("the data is overwritten before the FC reads it") {
    d.ops.insert(d.ops.end() - 1, plait::op_spec{"Fill", {}, {"a"}});
  }
  SUBCASE("the data is overwritten while the result is an external output") {
    d.ops.push_back({"Fill", {}, {"a"}});
    d.external_outputs = {"y", "r"};
  }
  check_kept<N>(d);
}

TEST_CASE_TEMPLATE("remove_reshape_for_fc: an in-place Reshape does not count as overwriting", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(
      {{{"Relu", {"x"}, {"a"}}, {"Reshape", {"a", "shape"}, {"a", "old"}}, {"FC", {"a", "w", "b"}, {"y"}}},
       {"x", "shape", "w", "b"},
       {"y"}});
  CHECK(plait::remove_reshape_for_fc(n, names{"shape"}).removed_ops == std::vector<plait::op_index>{1});
  CHECK(test::describe(n).ops == std::vector<plait::op_spec>{{"Relu", {"x"}, {"a"}}, {"FC", {"a", "w", "b"}, {"y"}}});
}

TEST_CASE_TEMPLATE("remove_reshape_for_fc: a refused net does not change", N, PLAIT_MUTABLE_NETS) {
  struct_net d = before_fc();
  d.ops.push_back({"Reshape", {"y"}, {"z", "zo"}});
  N n = test::make_net<N>(d);
  CHECK_THROWS_AS(plait::remove_reshape_for_fc(n, names{"minus1"}), plait::net_error);
  CHECK(test::describe(n) == test::describe(test::make_net<N>(d)));
}

TEST_CASE("remove_reshape_for_fc: a net of 200,000 ops") {
  struct_net d{{}, {"x"}, {}};
  d.ops.push_back({"Relu", {"x"}, {"h"}});
  for (int i = 0; i != 50000; ++i) {
    d.ops.push_back({"Shape", {"h"}, {"s"}});
    d.ops.push_back({"Slice", {"s"}, {"s"}});
    d.ops.push_back({"Reshape", {"h", "s"}, {"r", "old"}});
    d.ops.push_back({"FC", {"r", "w", "b"}, {"h"}});
  }
  auto n = test::make_net<plait::netdef>(d);
  CHECK(plait::remove_reshape_for_fc(n, names{}).removed_ops.size() == 150000);
  CHECK(n.op.size() == 50001);
}

TEST_CASE("remove_reshape_for_fc: a shape that 200,000 ops share") {
  struct_net d{{}, {"x", "shape", "w", "b"}, {"h", "kept"}};
  d.ops.push_back({"Relu", {"x"}, {"h"}});
  for (int i = 0; i != 200000; ++i) {
    d.ops.push_back({"Reshape", {"h", "shape"}, {"r", "old"}});
    d.ops.push_back({"FC", {"r", "w", "b"}, {"h"}});
  }
  d.ops.push_back({"Copy", {"shape"}, {"kept"}});
  auto n = test::make_net<plait::netdef>(d);
  auto const done = plait::remove_reshape_for_fc(n, names{"shape"});
  CHECK(done.removed_ops.size() == 200000);
  CHECK(done.removed_parameters.empty());
}
