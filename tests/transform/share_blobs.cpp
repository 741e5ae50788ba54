#include <plait/transform/detail/share_blobs.hpp>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/compare_graphs.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>
#include <support/real_nets.hpp>
#include <support/shared_nets.hpp>

namespace {

using names = std::vector<std::string>;

test::struct_net const chain{{{"Relu", {"x"}, {"a"}},
                              {"Relu", {"a"}, {"b"}},
                              {"Relu", {"b"}, {"c"}},
                              {"Relu", {"c"}, {"d"}},
                              {"Relu", {"d"}, {"y"}}},
                             {"x"},
                             {"y"}};

test::struct_net const two_chains{{{"Relu", {"x"}, {"a0"}},
                                   {"Relu", {"z"}, {"b0"}},
                                   {"Tanh", {"a0"}, {"a1"}},
                                   {"Tanh", {"b0"}, {"b1"}},
                                   {"Relu", {"a1"}, {"a2"}},
                                   {"Relu", {"b1"}, {"b2"}},
                                   {"Sum", {"a2", "b2"}, {"y"}}},
                                  {"x", "z"},
                                  {"y"}};

plait::netdef shared(std::string const& text, plait::share_options const& options = {}) {
  plait::netdef n = plait::read_netdef_text(text);
  plait::share_blobs(n, options);
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE("share_blobs: blobs with disjoint live ranges share", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto const made = plait::share_blobs(n);
  CHECK(made.candidates == 4);
  CHECK(made.shared == 2);
  CHECK(made.renamed ==
        plait::name_map{{"a", "__m0_shared"}, {"b", "__m1_shared"}, {"c", "__m0_shared"}, {"d", "__m1_shared"}});
  CHECK(test::describe(n) == test::struct_net{{{"Relu", {"x"}, {"__m0_shared"}},
                                               {"Relu", {"__m0_shared"}, {"__m1_shared"}},
                                               {"Relu", {"__m1_shared"}, {"__m0_shared"}},
                                               {"Relu", {"__m0_shared"}, {"__m1_shared"}},
                                               {"Relu", {"__m1_shared"}, {"y"}}},
                                              {"x"},
                                              {"y"}});
}

TEST_CASE_TEMPLATE("share_blobs: any_order keeps the parallelism", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(two_chains);
  CHECK(plait::share_blobs(n).shared == 3);
  n = test::make_net<N>(two_chains);
  CHECK(plait::share_blobs(n, {.any_order = true}).shared == 4);
  auto const after = test::describe(n);
  CHECK(after.ops[4].outputs == after.ops[0].outputs);
  CHECK(after.ops[5].outputs == after.ops[1].outputs);
}

TEST_CASE_TEMPLATE("share_blobs: blobs to keep stay", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto made = plait::share_blobs(n, {.keep = {"b"}, .scope = "s"});
  CHECK(made.renamed == plait::name_map{{"a", "s/__m0_shared"}, {"c", "s/__m0_shared"}});
  n = test::make_net<N>(chain);
  made = plait::share_blobs(n, {.only = [](std::string_view name) { return name == "c" || name == "d"; }});
  CHECK(made.renamed == plait::name_map());
  CHECK(test::describe(n) == chain);
}

TEST_CASE_TEMPLATE("share_blobs: random nets compute the same with the fewest blobs", N, PLAIT_MUTABLE_NETS) {
  std::mt19937 random(77);
  for (int round = 0; round != 400; ++round) {
    test::struct_net const before = test::random_net(random, {.most_ops = 14, .blobs = 12, .declared = round % 2 == 0});
    auto const original = test::make_net<N>(before);
    auto n = test::make_net<N>(before);
    bool const any_order = round % 3 == 0;
    auto const made = plait::share_blobs(n, {.any_order = any_order});
    auto const after = test::describe(n);
    CHECK(test::symbolic_outputs(after) == test::symbolic_outputs(before));
    CHECK_FALSE(plait::compare_graphs(original, n).has_value());
    CHECK_FALSE(plait::compare_in_place(original, n).has_value());

    auto const internal = test::internal_blobs(before);
    CHECK(made.candidates == internal.size());
    for (auto const& [from, to] : made.renamed) CHECK(internal.contains(std::string(from)));
    if (!any_order) {
      CHECK(made.shared == test::most_at_once(before, internal));
    } else {
      // Of two blobs of one buffer, all uses of one come before the first of the other, by dependences.
      auto const by = test::must_precede(before);
      auto const used = test::touches(before);
      std::map<std::string, std::string> last;  // by buffer
      for (auto const& [from, to] : made.renamed) {
        auto const [held, is_first] = last.try_emplace(std::string(to), from);
        if (is_first) continue;
        for (std::size_t op : used.at(held->second)) CHECK(by[op][used.at(std::string(from)).front()]);
        held->second = from;
      }
      // The dependence graph is the same.
      CHECK(test::must_precede(after) == by);
    }
    CHECK(plait::share_blobs(n, {.any_order = any_order}).renamed.empty());
    CHECK(test::describe(n) == after);
  }
}

TEST_CASE("share_blobs: names in use are not generated again") {
  auto n = test::make_net<plait::netdef>(
      {{{"Relu", {"__m0_shared"}, {"a"}}, {"Relu", {"a"}, {"b"}}, {"Relu", {"b"}, {"c"}}, {"Relu", {"c"}, {"y"}}},
       {"__m0_shared"},
       {"y"}});
  CHECK(plait::share_blobs(n).renamed == plait::name_map{{"a", "__m1_shared"}, {"c", "__m1_shared"}});
}

TEST_CASE("share_blobs: a blob reuses the buffer of nearest size") {
  std::map<std::string, std::uint64_t, std::less<>> const sizes{{"small", 4}, {"large", 400}, {"l2", 380}, {"s2", 8}};
  auto n = test::make_net<plait::netdef>({{{"Split", {"x"}, {"large", "small"}},
                                           {"Sum", {"large", "small"}, {"x2"}},
                                           {"Split", {"x2"}, {"s2", "l2"}},
                                           {"Sum", {"s2", "l2"}, {"y"}}},
                                          {"x"},
                                          {"x2", "y"}});
  auto const made = plait::share_blobs(n, {.bytes = [&](std::string_view name) -> std::optional<std::uint64_t> {
                                         auto const found = sizes.find(name);
                                         return found == sizes.end() ? std::nullopt : std::optional(found->second);
                                       }});
  CHECK(made.renamed["large"] == made.renamed["l2"]);
  CHECK(made.renamed["small"] == made.renamed["s2"]);
  CHECK(made.bytes == 792);
  CHECK(made.shared_bytes == 408);
}

TEST_CASE("share_blobs: blobs of different devices are not shared") {
  plait::netdef const n = shared(R"(
    op { input: "x" output: "a" type: "Relu" device_option { device_type: 1 } }
    op { input: "a" output: "b" type: "Relu" }
    op { input: "b" output: "c" type: "Relu" device_option { device_type: 1 } }
    op { input: "c" output: "d" type: "Relu" }
    op { input: "d" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")");
  auto const after = test::describe(n);
  CHECK(after.ops[0].outputs == after.ops[2].outputs);
  CHECK(after.ops[1].outputs == after.ops[3].outputs);
  CHECK(after.ops[0].outputs != after.ops[1].outputs);
}

TEST_CASE("share_blobs: operands of an Alias are one memory and stay") {
  for (std::string const type : {"Alias", "AliasWithName"}) {
    CAPTURE(type);
    // w and v are one tensor: v's buffer must not be written, since w is the caller's.
    plait::netdef n = plait::read_netdef_text(R"(
      op { input: "w" output: "v" type: ")" + type +
                                              R"(" }
      op { input: "v" output: "a" type: "Relu" }
      op { input: "a" output: "b" type: "Relu" }
      op { input: "b" output: "y" type: "Relu" }
      external_input: "w" external_output: "y")");
    CHECK(plait::share_blobs(n).candidates == 2);
    // In a second run, c and d would be written while a and v still are one tensor.
    n = plait::read_netdef_text(R"(
      op { input: "x" output: "c" type: "Relu" }
      op { input: "x" output: "d" type: "Tanh" }
      op { input: "c" input: "d" output: "y" type: "Sum" }
      op { input: "y" output: "a" type: "Relu" }
      op { input: "a" output: "v" type: ")" +
                                type + R"(" }
      op { input: "a" input: "v" output: "y0" type: "Sum" }
      external_input: "x" external_output: "y" external_output: "y0")");
    CHECK(plait::share_blobs(n).renamed.empty());
    CHECK(plait::share_blobs(n, {.any_order = true}).renamed.empty());
  }
}

TEST_CASE("share_blobs: blobs that nested nets see, and outputs of their ops, stay") {
  plait::netdef n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "a" output: "b" type: "Relu" }
    op { input: "b" output: "cond" type: "Test" }
    op { input: "cond" output: "r" type: "If" arg { name: "then_net" n {
      op { input: "a" output: "r" type: "Alias" } external_input: "a" external_output: "r" } } }
    op { input: "r" output: "c" type: "Relu" }
    op { input: "c" output: "d" type: "Relu" }
    op { input: "d" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")");
  plait::netdef const before = n;
  auto const made = plait::share_blobs(n);
  CHECK_FALSE(plait::compare_graphs(before, n).has_value());
  CHECK(made.candidates == 3);  // b, c, d
  for (char const* name : {"a", "r", "cond"}) CHECK_FALSE(made.renamed.find(name).has_value());
  CHECK(made.renamed["b"] == made.renamed["c"]);
}

TEST_CASE("share_blobs: arguments of a recurrence follow its inputs, its outputs stay") {
  plait::netdef n = plait::read_netdef_text(R"(
    op { input: "x" output: "in" type: "Relu" }
    op { input: "in" input: "h0" output: "all" output: "last" output: "ws" type: "RecurrentNetwork"
      arg { name: "recurrent_states" strings: "st" } arg { name: "initial_recurrent_state_ids" ints: 1 }
      arg { name: "link_internal" strings: "i" strings: "h" strings: "h2" }
      arg { name: "link_external" strings: "in" strings: "st" strings: "st" }
      arg { name: "link_offset" ints: 0 ints: 0 ints: 1 }
      arg { name: "alias_src" strings: "st" strings: "st" } arg { name: "alias_dst" strings: "all" strings: "last" }
      arg { name: "alias_offset" ints: 1 ints: -1 }
      arg { name: "step_net" n { op { input: "h" input: "i" output: "h2" type: "Sum" } } } }
    op { input: "all" output: "c" type: "Relu" }
    op { input: "c" output: "d" type: "Relu" }
    op { input: "d" input: "last" output: "y" type: "Sum" }
    external_input: "x" external_input: "h0" external_output: "y")");
  auto const made = plait::share_blobs(n);
  CHECK(made.candidates == 3);
  CHECK(made.renamed == plait::name_map{{"in", "__m0_shared"}, {"c", "__m0_shared"}});
  bool linked = false;
  for (plait::arg_def const& argument : n.op[1].arg)
    if (n.text(argument.name) == "link_external") linked = test::describe(n).ops[1].inputs.front() == "__m0_shared";
  CHECK(linked);
}

TEST_CASE("share_blobs: a name to keep is not generated, and an unshared net keeps its bytes") {
  auto n = test::make_net<plait::netdef>(chain);
  CHECK(plait::share_blobs(n, {.keep = {"__m0_shared"}}).renamed["a"] == "__m1_shared");

  plait::netdef nested =
      plait::read_netdef_text(R"(op { input: "x" output: "y" type: "RecurrentNetwork" arg { name: "step_net" s: ")" +
                              std::string("op {  input: \\\"h\\\"   output: \\\"h2\\\" type: \\\"Relu\\\" }") +
                              R"(" } } external_input: "x" external_output: "y")");
  plait::netdef const before = nested;
  plait::share_blobs(nested);
  CHECK(nested == before);
}

TEST_CASE("share_blobs: long nets need few blobs, and unread ones never share in any order") {
  test::struct_net const long_one = test::long_net(20'000);
  auto const original = test::make_net<plait::netdef>(long_one);
  auto n = original;
  CHECK(plait::share_blobs(n).shared <= 3);
  CHECK_FALSE(plait::compare_graphs(original, n).has_value());

  std::set<std::string> read;
  for (plait::op_spec const& op : long_one.ops) read.insert(op.inputs.begin(), op.inputs.end());
  std::size_t unread = 0;
  for (std::string const& name : test::internal_blobs(long_one)) unread += !read.contains(name);
  n = original;
  auto const made = plait::share_blobs(n, {.any_order = true});
  CHECK(made.shared >= unread);
  CHECK(made.shared * 3 < made.candidates);
  CHECK_FALSE(plait::compare_graphs(original, n).has_value());
}

TEST_CASE("share_blobs: real nets stay the same graphs") {
  for (auto const& file : plait_test::real_nets()) {
    CAPTURE(file);
    plait::netdef const before = plait::read_netdef(file);
    for (bool const any_order : {false, true}) {
      plait::netdef n = before;
      auto const made = plait::share_blobs(n, {.any_order = any_order});
      CHECK(made.shared <= made.candidates);
      CHECK_FALSE(plait::compare_graphs(before, n).has_value());
      CHECK_FALSE(plait::compare_in_place(before, n).has_value());
      CHECK(plait::share_blobs(n, {.any_order = any_order}).renamed.empty());
    }
  }
}

TEST_CASE("share_blobs: any_order takes no quadratic time on wide nets") {
  test::struct_net wide;
  wide.external_inputs = {"x"};
  plait::op_spec sum{"Sum", {}, {"s"}};
  for (int i = 0; i != 20'000; ++i) {
    sum.inputs.push_back("a" + std::to_string(i));
    wide.ops.push_back({"Relu", {"x"}, {sum.inputs.back()}});
  }
  wide.ops.push_back(sum);
  wide.ops.push_back({"Relu", {"s"}, {"t"}});
  wide.ops.push_back({"Relu", {"t"}, {"y"}});
  wide.external_outputs = {"y"};
  auto n = test::make_net<plait::netdef>(wide);
  auto const before = n;
  auto const made = plait::share_blobs(n, {.any_order = true});
  CHECK(made.candidates == 20'002);
  CHECK(made.shared == 20'001);  // t reuses the buffer of one that the sum has read
  CHECK_FALSE(plait::compare_graphs(before, n).has_value());
}
