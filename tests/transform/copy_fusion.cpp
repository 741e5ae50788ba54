#include <plait/transform/detail/copy_fusion.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>

using test::struct_net;
using ops = std::vector<plait::op_spec>;
using indices = std::vector<plait::op_index>;

namespace {

plait::op_spec up(std::string from, std::string to, std::int32_t gpu = 0) {
  return {"CopyCPUToGPU", {std::move(from)}, {std::move(to)}, {}, plait::device_spec{plait::device_kind::cuda, gpu}};
}
plait::op_spec down(std::string from, std::string to, std::int32_t gpu = 0) {
  return {"CopyGPUToCPU", {std::move(from)}, {std::move(to)}, {}, plait::device_spec{plait::device_kind::cuda, gpu}};
}

template <class N>
void check_kept(struct_net const& d) {
  N n = test::make_net<N>(d);
  auto const done = plait::fuse_copies(n);
  CHECK(done.removed_ops.empty());
  CHECK(done.rewired_inputs.empty());
  CHECK(test::describe(n) == test::describe(test::make_net<N>(d)));
}

}  // namespace

TEST_CASE_TEMPLATE("fuse_copies: every reader of the copy back reads the source", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{up("a", "b"),
                            down("b", "c1"),
                            down("b", "c2"),
                            {"Relu", {"c1"}, {"d1"}},
                            {"Mul", {"c1", "c2"}, {"d2"}},
                            {"Tanh", {"c1"}, {"d3"}}},
                           {"a"},
                           {"d1", "d2", "d3"}});
  auto const done = plait::fuse_copies(n);
  CHECK(test::describe(n) == struct_net{{{"Relu", {"a"}, {"d1"}}, {"Mul", {"a", "a"}, {"d2"}}, {"Tanh", {"a"}, {"d3"}}},
                                        {"a"},
                                        {"d1", "d2", "d3"}});
  CHECK(done.removed_ops == indices{0, 1, 2});
  CHECK(done.rewired_inputs == std::vector<plait::operand>{{3, 0}, {4, 0}, {4, 1}, {5, 0}});
}

TEST_CASE_TEMPLATE("fuse_copies: chains of copies", N, PLAIT_MUTABLE_NETS) {
  N four = test::make_net<N>(
      {{up("a", "b"), down("b", "c"), up("c", "d"), down("d", "e"), {"Relu", {"e"}, {"f"}}}, {"a"}, {"f"}});
  CHECK(plait::fuse_copies(four).removed_ops == indices{0, 1, 2, 3});
  CHECK(test::describe(four).ops == ops{{"Relu", {"a"}, {"f"}}});

  N three = test::make_net<N>({{up("a", "b"), down("b", "c"), up("c", "d"), {"Relu", {"d"}, {"f"}}}, {"a"}, {"f"}});
  CHECK(plait::fuse_copies(three).removed_ops == indices{0, 1});
  CHECK(test::describe(three).ops.front().inputs == std::vector<std::string>{"a"});
  CHECK(test::describe(three).ops.size() == 2);
}

TEST_CASE_TEMPLATE("fuse_copies: repeated copies in place", N, PLAIT_MUTABLE_NETS) {
  struct_net d{{}, {"x"}, {"y"}};
  for (int i = 0; i != 10; ++i) {
    d.ops.push_back(up("x", "x"));
    d.ops.push_back(down("x", "x"));
  }
  d.ops.push_back({"Relu", {"x"}, {"y"}});
  N n = test::make_net<N>(d);
  CHECK(plait::fuse_copies(n).removed_ops.size() == 20);
  CHECK(test::describe(n).ops == ops{{"Relu", {"x"}, {"y"}}});
}

TEST_CASE_TEMPLATE("fuse_copies: a copy back without reader is removed with the others", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{up("a", "b"), down("b", "c"), {"Relu", {"a"}, {"d"}}}, {"a"}, {"d"}});
  CHECK(plait::fuse_copies(n).removed_ops == indices{0, 1});
  CHECK(test::describe(n).ops == ops{{"Relu", {"a"}, {"d"}}});
}

TEST_CASE_TEMPLATE("fuse_copies: copies that stay", N, PLAIT_MUTABLE_NETS) {
  struct_net d{{up("a", "b"), down("b", "c"), {"Relu", {"c"}, {"d"}}}, {"a"}, {"d"}};
  SUBCASE("the copy has another reader") { d.ops.push_back({"Relu", {"b"}, {"e"}}); }
  SUBCASE("the copy is an external output") { d.external_outputs.push_back("b"); }
  SUBCASE("the result is an external output") { d.external_outputs.push_back("c"); }
  SUBCASE("the source is overwritten before it is read") { d.ops.insert(d.ops.begin() + 2, {"Fill", {}, {"a"}}); }
  SUBCASE("a single copy") { d.ops.erase(d.ops.begin() + 1); }
  SUBCASE("a copy without reader") { d.ops = {up("a", "b"), {"Relu", {"a"}, {"d"}}}; }
  SUBCASE("the same copy twice") { d.ops = {up("a", "b"), up("b", "c"), {"Relu", {"c"}, {"d"}}}; }
  SUBCASE("to another GPU") { d.ops = {down("a", "b", 0), up("b", "c", 1), {"Relu", {"c"}, {"d"}}}; }
  check_kept<N>(d);
}

TEST_CASE_TEMPLATE("fuse_copies: an op that overwrites the source may read the copy", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{up("a", "b"), down("b", "c"), {"Relu", {"c"}, {"a"}}}, {"a"}, {"a"}});
  CHECK(plait::fuse_copies(n).removed_ops.size() == 2);
  CHECK(test::describe(n).ops == ops{{"Relu", {"a"}, {"a"}}});
}

TEST_CASE_TEMPLATE("fuse_copies: first_reader_only redirects one reader, as detectron2 does", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(
      {{up("a", "b"), down("b", "c"), {"Mul", {"c", "c"}, {"d"}}, {"Tanh", {"c"}, {"e"}}}, {"a"}, {"d", "e"}});
  plait::fuse_copies(n, {.first_reader_only = true});
  CHECK(test::describe(n).ops == ops{{"Mul", {"a", "c"}, {"d"}}, {"Tanh", {"c"}, {"e"}}});

  struct_net const unread{{up("a", "b"), down("b", "c"), {"Relu", {"a"}, {"d"}}}, {"a"}, {"d"}};
  N m = test::make_net<N>(unread);
  CHECK_THROWS_AS(plait::fuse_copies(m, {.first_reader_only = true}), plait::net_error);
  CHECK(test::describe(m) == test::describe(test::make_net<N>(unread)));

  N other = test::make_net<N>({{down("a", "b", 0), up("b", "c", 1), {"Relu", {"c"}, {"d"}}}, {"a"}, {"d"}});
  plait::fuse_copies(other, {.first_reader_only = true});  // whichever GPU it comes back to
  CHECK(test::describe(other).ops == ops{{"Relu", {"a"}, {"d"}}});
  N lost = test::make_net<N>({{up("a", "b"), down("b", "c"), {"Relu", {"c"}, {"d"}}}, {"a"}, {"d", "nobody_makes_me"}});
  CHECK_THROWS_AS(plait::fuse_copies(lost, {.first_reader_only = true}), plait::net_error);
}

TEST_CASE("fuse_copies: a reader inside a nested net keeps the copies") {
  auto n =
      test::make_net<plait::netdef>({{up("a", "b"), down("b", "c"), {"If", {"cond"}, {"d"}}}, {"a", "cond"}, {"d"}});
  plait::netdef branch;
  branch.add_op("Relu", {"c"}, {"d"});
  plait::arg_def& then_net = n.op.back().arg.emplace_back();
  then_net.name = n.intern("then_net");
  then_net.n = branch;
  CHECK(plait::fuse_copies(n).removed_ops.empty());
}

TEST_CASE("fuse_copies: an input that a nested net refers to, or is bound to, keeps the copies") {
  for (char const* reader : {R"(op { type: "If" input: "d" output: "e"
                arg { name: "then_net" n { op { type: "Relu" input: "d" output: "e" } } } })",
                             R"(op { type: "Do" input: "d" input: "ws" output: "d" output: "ws"
                arg { name: "inner_blobs" strings: "i" } arg { name: "outer_blobs_idx" ints: 0 }
                arg { name: "net" n { op { type: "Negative" input: "i" output: "i" } } } }
           op { type: "Copy" input: "d" output: "e" })"}) {
    auto n = plait::read_netdef_text(std::string(R"(
      op { type: "CopyCPUToGPU" input: "a" output: "b" } op { type: "CopyGPUToCPU" input: "b" output: "d" })") +
                                     reader + R"(external_input: "a" external_input: "ws" external_output: "e")");
    CHECK(plait::fuse_copies(n).removed_ops.empty());
  }
}

TEST_CASE("fuse_copies: a nested net may read the source before the copies") {
  plait::netdef n;
  plait::op_def& choice = n.add_op("If", {"cond"}, {"z"});
  plait::netdef branch;
  branch.add_op("Copy", {"a"}, {"z"});
  plait::arg_def& then_net = choice.arg.emplace_back();
  then_net.name = n.intern("then_net");
  then_net.n = branch;
  n.add_op("CopyCPUToGPU", {"a"}, {"b"});
  n.add_op("CopyGPUToCPU", {"b"}, {"d"});
  n.add_op("Relu", {"d"}, {"e"});
  for (char const* name : {"cond", "a"}) n.external_input.push_back(n.intern(name));
  for (char const* name : {"z", "e"}) n.external_output.push_back(n.intern(name));
  CHECK(plait::fuse_copies(n).removed_ops.size() == 2);
  REQUIRE(n.op.size() == 2);
  CHECK(n.text(n.op.back().input.front()) == "a");
}

TEST_CASE("fuse_copies: random nets have the same results and nothing left to fuse") {
  std::mt19937 random(11);
  auto const pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  auto const blob = [&] { return std::string(1, static_cast<char>('a' + pick(6))); };
  std::size_t removed = 0;
  for (int round = 0; round != 4000; ++round) {
    struct_net d{{}, {"a", "b", "c", "d", "e", "f"}, {blob(), blob()}};
    for (std::size_t op = 0; op != 14; ++op) switch (pick(5)) {
        case 0:
        case 1:
          d.ops.push_back(up(blob(), blob(), static_cast<std::int32_t>(pick(8) / 7)));
          break;
        case 2:
        case 3:
          d.ops.push_back(down(blob(), blob(), static_cast<std::int32_t>(pick(8) / 7)));
          break;
        default: {
          plait::op_spec made{"T" + std::to_string(op), {}, {}};
          for (std::size_t i = pick(3); i-- != 0;) made.inputs.push_back(blob());
          for (std::size_t i = 1 + pick(2); i-- != 0;) made.outputs.push_back(blob());
          d.ops.push_back(made);
        }
      }
    auto n = test::make_net<test::edit_net>(d);
    auto const done = plait::fuse_copies(n);
    removed += done.removed_ops.size();
    CAPTURE(round);
    auto const results = [](struct_net const& net) {
      return test::symbolic_outputs(net, test::given_by::name, {"CopyCPUToGPU", "CopyGPUToCPU"});
    };
    REQUIRE(results(test::describe(n)) == results(d));
    REQUIRE(d.ops.size() - test::describe(n).ops.size() == done.removed_ops.size());
    auto const once = test::describe(n);
    REQUIRE(plait::fuse_copies(n).removed_ops.empty());
    REQUIRE(test::describe(n) == once);
  }
  CHECK(removed > 1000);
}

TEST_CASE("fuse_copies: a chain of 200,000 copies") {
  for (bool in_place : {false, true}) {
    struct_net d{{}, {"x0"}, {"y"}};
    for (std::size_t i = 0; i != 200000; ++i) {
      std::string const from = in_place ? "x0" : "x" + std::to_string(i);
      std::string const to = in_place ? "x0" : "x" + std::to_string(i + 1);
      d.ops.push_back(i % 2 == 0 ? up(from, to) : down(from, to));
    }
    d.ops.push_back({"Relu", {d.ops.back().outputs.front()}, {"y"}});
    auto n = test::make_net<plait::netdef>(d);
    CHECK(plait::fuse_copies(n).removed_ops.size() == 200000);
    CHECK(n.text(n.op.front().input.front()) == "x0");
  }
}
