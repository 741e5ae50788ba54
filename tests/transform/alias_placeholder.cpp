#include <plait/transform/detail/alias_placeholder.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>

using plait::alias_with_name;
using test::struct_net;
using naming = plait::alias_fusion::naming;

namespace {

template <class N>
plait::net_error refusal(struct_net const& d, struct_net const& init = {{}}) {
  N n = test::make_net<N>(d);
  N before = test::make_net<N>(init);
  try {
    plait::fuse_alias_placeholders(n, before);
  } catch (plait::net_error const& refused) {
    CHECK(test::describe(n) == test::describe(test::make_net<N>(d)));
    CHECK(test::describe(before) == test::describe(test::make_net<N>(init)));
    return refused;
  }
  FAIL("accepted");
  return plait::net_error("accepted");
}

}  // namespace

TEST_CASE_TEMPLATE("fuse_alias_placeholders: an intermediate and an external output get their names", N,
                   PLAIT_MUTABLE_NETS) {
  for (bool backward : {false, true}) {
    N n = test::make_net<N>({{{"Relu", {"x"}, {"a"}},
                              alias_with_name("a", "a1", "feat", backward),
                              {"Tanh", {"a1"}, {"y"}},
                              alias_with_name("y", "y1", "out", backward)},
                             {"x"},
                             {"y1"}});
    auto const done = plait::fuse_alias_placeholders(n);
    CHECK(test::describe(n) == struct_net{{{"Relu", {"x"}, {"feat"}}, {"Tanh", {"feat"}, {"out"}}}, {"x"}, {"out"}});
    CHECK(done.aliases == std::vector<naming>{{1, "a", "a1", "feat"}, {3, "y", "y1", "out"}});
    CHECK(plait::fuse_alias_placeholders(n).aliases.empty());
  }
}

TEST_CASE_TEMPLATE("fuse_alias_placeholders: backward, other readers follow; forward, there must be none", N,
                   PLAIT_MUTABLE_NETS) {
  struct_net d{{{"Relu", {"x"}, {"a"}},
                alias_with_name("a", "a1", "feat", true),
                {"Tanh", {"a1"}, {"y"}},
                {"Exp", {"a"}, {"z"}}},
               {"x"},
               {"y", "z"}};
  N n = test::make_net<N>(d);
  plait::fuse_alias_placeholders(n);
  CHECK(test::describe(n).ops ==
        std::vector<plait::op_spec>{{"Relu", {"x"}, {"feat"}}, {"Tanh", {"feat"}, {"y"}}, {"Exp", {"feat"}, {"z"}}});
  d.ops[1] = alias_with_name("a", "a1", "feat", false);
  auto const refused = refusal<N>(d);
  CHECK(refused.op == 1);
  CHECK(refused.blob == "a");
}

TEST_CASE_TEMPLATE("fuse_alias_placeholders: external inputs, and parameters in the init net, are renamed", N,
                   PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(
      {{alias_with_name("x", "x1", "data"), alias_with_name("w", "w1", "weight"), {"FC", {"x1", "w1", "b"}, {"y"}}},
       {"x", "w", "b"},
       {"y"}});
  N init = test::make_net<N>({{{"Fill", {}, {"w"}}, {"Scale", {"w"}, {"w"}}, {"Fill", {}, {"b"}}}, {}, {"w", "b"}});
  plait::fuse_alias_placeholders(n, init);
  CHECK(test::describe(n) == struct_net{{{"FC", {"data", "weight", "b"}, {"y"}}}, {"data", "weight", "b"}, {"y"}});
  // The version that the init net scales keeps its name.
  CHECK(test::describe(init) ==
        struct_net{{{"Fill", {}, {"w"}}, {"Scale", {"w"}, {"weight"}}, {"Fill", {}, {"b"}}}, {}, {"weight", "b"}});
}

TEST_CASE_TEMPLATE("fuse_alias_placeholders: only the named version changes its name", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{{"A", {"x"}, {"h"}},
                            {"B", {"h"}, {"h"}},
                            alias_with_name("h", "t", "feat"),
                            {"C", {"t"}, {"h"}},
                            {"D", {"h", "t"}, {"y"}}},
                           {"x"},
                           {"y", "h"}});
  plait::fuse_alias_placeholders(n);
  CHECK(test::describe(n) ==
        struct_net{{{"A", {"x"}, {"h"}}, {"B", {"h"}, {"feat"}}, {"C", {"feat"}, {"h"}}, {"D", {"h", "feat"}, {"y"}}},
                   {"x"},
                   {"y", "h"}});
}

TEST_CASE_TEMPLATE("fuse_alias_placeholders: the input or the output may have the name already", N,
                   PLAIT_MUTABLE_NETS) {
  for (std::string name : {"a", "b"}) {
    N n = test::make_net<N>(
        {{{"Relu", {"x"}, {"a"}}, alias_with_name("a", "b", name), {"Tanh", {"b"}, {"y"}}}, {"x"}, {"y"}});
    plait::fuse_alias_placeholders(n);
    CHECK(test::describe(n) == struct_net{{{"Relu", {"x"}, {name}}, {"Tanh", {name}, {"y"}}}, {"x"}, {"y"}});
  }
}

TEST_CASE_TEMPLATE("fuse_alias_placeholders: refusals name op and blob and change nothing", N, PLAIT_MUTABLE_NETS) {
  struct_net d{{{"Relu", {"x"}, {"a"}}, alias_with_name("a", "b", "feat"), {"Tanh", {"b"}, {"y"}}}, {"x"}, {"y"}};
  SUBCASE("no name") {
    d.ops[1].arguments.clear();
    CHECK(refusal<N>(d).op == 1);
  }
  SUBCASE("two inputs") {
    d.ops[1].inputs.push_back("x");
    CHECK(refusal<N>(d).op == 1);
  }
  SUBCASE("backward from an external input") {
    d.ops[1] = alias_with_name("x", "b", "data", true);
    auto const refused = refusal<N>(d);
    CHECK(refused.op == 1);
    CHECK(refused.blob == "x");
  }
  SUBCASE("alias of an alias") {
    d.ops.insert(d.ops.begin() + 2, alias_with_name("b", "c", "other"));
    d.ops[3].inputs = {"c"};
    auto const refused = refusal<N>(d);
    CHECK(refused.op == 2);
    CHECK(refused.blob == "b");
  }
  SUBCASE("the name is that of a blob read later") {
    d.ops.push_back({"Add", {"feat", "y"}, {"z"}});
    d.external_inputs.push_back("feat");
    d.external_outputs.push_back("z");
    CHECK(refusal<N>(d).blob == "feat");
  }
  SUBCASE("the name is overwritten before the last reader") {
    d.ops.insert(d.ops.begin() + 2, {"Fill", {}, {"feat"}});
    d.ops.push_back({"Print", {"feat"}, {}});
    auto const refused = refusal<N>(d);
    CHECK(refused.op == 3);
    CHECK(refused.blob == "feat");
  }
  SUBCASE("the name is that of an external output") {
    d.ops.insert(d.ops.begin(), {"Fill", {}, {"feat"}});
    d.external_outputs.push_back("feat");
    CHECK(refusal<N>(d).blob == "feat");
  }
  SUBCASE("the name is one that the init net writes") {
    d.external_inputs.push_back("feat");
    d.ops.push_back({"Add", {"feat", "y"}, {"z"}});
    CHECK(refusal<N>(d, {{{"Fill", {}, {"feat"}}}, {}, {"feat"}}).blob == "feat");
  }
}

TEST_CASE("fuse_alias_placeholders: merge allows a name that is taken") {
  auto n = test::make_net<test::edit_net>(
      {{{"Relu", {"x"}, {"a"}}, alias_with_name("a", "b", "q"), {"Add", {"b", "q"}, {"y"}}}, {"x", "q"}, {"y"}});
  plait::fuse_alias_placeholders(n, {.capture = plait::name_capture::merge});
  CHECK(n.ops == std::vector<plait::op_spec>{{"Relu", {"x"}, {"q"}}, {"Add", {"q", "q"}, {"y"}}});
}

TEST_CASE("fuse_alias_placeholders: an input may get the name of an output") {
  auto n = test::make_net<test::edit_net>({{alias_with_name("x", "t", "y"), {"Relu", {"t"}, {"y"}}}, {"x"}, {"y"}});
  plait::fuse_alias_placeholders(n);
  CHECK(n.ops == std::vector<plait::op_spec>{{"Relu", {"y"}, {"y"}}});
  CHECK(n.external_inputs == std::vector<std::string>{"y"});
}

TEST_CASE("fuse_alias_placeholders: the name of a dead blob is free") {
  auto n = test::make_net<test::edit_net>(
      {{{"A", {"x"}, {"feat"}}, {"B", {"feat"}, {"a"}}, alias_with_name("a", "b", "feat"), {"C", {"b"}, {"y"}}},
       {"x"},
       {"y"}});
  plait::fuse_alias_placeholders(n);
  CHECK(n.ops ==
        std::vector<plait::op_spec>{{"A", {"x"}, {"feat"}}, {"B", {"feat"}, {"feat"}}, {"C", {"feat"}, {"y"}}});
}

TEST_CASE("fuse_alias_placeholders: a blob that a nested net uses cannot be renamed") {
  for (bool writes : {false, true}) {
    auto n = test::make_net<plait::netdef>(
        {{{"Relu", {"x"}, {"a"}}, {"If", {"c"}, {}}, alias_with_name("a", "b", "feat", true)}, {"x", "c"}, {"b"}});
    plait::netdef branch;
    if (writes)
      branch.add_op("Fill", {}, {"a"});
    else
      branch.add_op("Print", {"a"}, {});
    plait::arg_def& then_net = n.op[1].arg.emplace_back();
    then_net.name = n.intern("then_net");
    then_net.n = branch;
    CHECK_THROWS_AS(plait::fuse_alias_placeholders(n), plait::net_error);
    CHECK(n.op.size() == 3);
  }
}

TEST_CASE("fuse_alias_placeholders: neither outputs of nested nets nor blobs that a Do updates can be renamed") {
  auto const refused = [](char const* text) {
    auto n = plait::read_netdef_text(text);
    auto const before = n;
    CHECK_THROWS_AS(plait::fuse_alias_placeholders(n), plait::net_error);
    CHECK(n == before);
  };
  refused(R"(
    op { type: "If" input: "c" output: "y" arg { name: "then_net" n { op { type: "Relu" input: "x" output: "y" } } } }
    op { type: "AliasWithName" input: "y" output: "z" arg { name: "name" s: "feat" } arg { name: "is_backward" i: 1 } }
    external_input: "c" external_input: "x" external_output: "z")");
  char const* const updated = R"(
    op { type: "Do" input: "x" input: "ws" output: "%" output: "ws"
         arg { name: "inner_blobs" strings: "i" } arg { name: "outer_blobs_idx" ints: 0 }
         arg { name: "net" n { op { type: "Negative" input: "i" output: "i" } } } }
    op { type: "AliasWithName" input: "%" output: "z" arg { name: "name" s: "feat" } arg { name: "is_backward" i: 1 } }
    external_input: "x" external_input: "ws" external_output: "z")";
  auto const with_output = [&](std::string const& blob) {
    std::string text = updated;
    for (std::size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, blob);
    return text;
  };
  refused(with_output("x").c_str());
  auto n = plait::read_netdef_text(with_output("y"));
  CHECK(plait::fuse_alias_placeholders(n).aliases.size() == 1);
  CHECK(n.text(n.op[0].output[0]) == "feat");
}

TEST_CASE("fuse_alias_placeholders: random nets compute the same if accepted") {
  std::mt19937 random(5);
  auto const pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  auto const blob = [&] { return std::string(1, static_cast<char>('a' + pick(6))); };
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (int round = 0; round != 4000; ++round) {
    struct_net d{{}, {"a", "b", "c", "d", "e", "f"}, {blob(), blob()}};
    for (std::size_t op = 0; op != 9; ++op) {
      if (pick(4) == 0) {
        d.ops.push_back(
            alias_with_name(blob(), blob(), pick(2) == 0 ? blob() : "name" + std::to_string(op), pick(3) != 0));
        continue;
      }
      plait::op_spec made{"T" + std::to_string(op), {blob()}, {}};
      for (std::size_t i = 1 + pick(2); i-- != 0;) made.outputs.push_back(blob());
      d.ops.push_back(made);
    }
    auto n = test::make_net<test::edit_net>(d);
    try {
      if (plait::fuse_alias_placeholders(n).aliases.empty()) continue;
      ++accepted;
    } catch (plait::net_error const&) {
      ++refused;
      REQUIRE(static_cast<struct_net const&>(n) == d);
      continue;
    }
    CAPTURE(round);
    // External inputs may have new names, so their slots identify them.
    REQUIRE(test::symbolic_outputs(test::describe(n), test::given_by::slot) ==
            test::symbolic_outputs(d, test::given_by::slot, {"AliasWithName"}));
  }
  CHECK(accepted > 300);
  CHECK(refused > 300);
}

TEST_CASE("fuse_alias_placeholders: 100,000 aliases") {
  plait::netdef n;
  for (int i = 0; i != 100000; ++i) {
    std::string const blob = "b" + std::to_string(i);
    n.add_op("Relu", {"x"}, {blob});
    plait::net_traits<plait::netdef>::append_op(
        n, alias_with_name(blob, "o" + std::to_string(i), "n" + std::to_string(i)));
  }
  CHECK(plait::fuse_alias_placeholders(n).aliases.size() == 100000);
  CHECK(n.op.size() == 100000);
  CHECK(n.text(n.op.back().output[0]) == "n99999");
}
