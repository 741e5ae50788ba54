#include <plait/transform/detail/rename_value.hpp>

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>

namespace {

using kind = plait::renamed_mention::kind;
using places = std::vector<plait::renamed_mention>;

test::struct_net const mlp{{{"FC", {"x", "w", "b"}, {"h"}}, {"Relu", {"h"}, {"h"}}, {"FC", {"h", "w2", "b2"}, {"y"}}},
                           {"x", "w", "b", "w2", "b2"},
                           {"y"}};
test::struct_net const mlp_init{{{"GivenTensorFill", {}, {"w"}}, {"GivenTensorFill", {}, {"b"}}}, {}, {"w", "b"}};

// Checks a refusal: its facts, and that the nets did not change.
template <class N, class F>
plait::net_error refusal(N const& n, F f) {
  test::struct_net const before = test::describe(n);
  try {
    f();
  } catch (plait::net_error const& problem) {
    CHECK(test::describe(n) == before);
    return problem;
  }
  FAIL("accepted");
  return plait::net_error("");
}

}  // namespace

TEST_CASE_TEMPLATE("rename_value: one version of an in-place chain", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(mlp);
  auto const first = plait::rename_output(n, {.op = 0, .output = 0}, "hidden");
  CHECK(first.from == "h");
  CHECK(first.version == 1);
  CHECK(first.changed == places{{kind::output, 0, 0}, {kind::input, 1, 0}});
  CHECK(test::describe(n).ops[0].outputs == std::vector<std::string>{"hidden"});
  CHECK(test::describe(n).ops[1].inputs == std::vector<std::string>{"hidden"});
  CHECK(test::describe(n).ops[1].outputs == std::vector<std::string>{"h"});

  auto const last = plait::rename_output(n, {.op = 2, .output = 0}, "out");
  CHECK(last.changed == places{{kind::output, 2, 0}, {kind::external_output, plait::npos, 0}});
  CHECK(test::describe(n).external_outputs == std::vector<std::string>{"out"});
  CHECK(test::symbolic_outputs(test::describe(n)) == test::symbolic_outputs(mlp));
}

TEST_CASE_TEMPLATE("rename_value: an input is renamed at its origin", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(mlp);
  auto const done = plait::rename_input(n, {.op = 0, .input = 0}, "data");
  CHECK(done.changed == places{{kind::external_input, plait::npos, 0}, {kind::input, 0, 0}});
  CHECK(done.version == 0);
  CHECK(test::describe(n).external_inputs[0] == "data");
  CHECK(plait::rename_input(n, {.op = 1, .input = 0}, "hidden", {.from_producer = true}).changed ==
        places{{kind::output, 0, 0}, {kind::input, 1, 0}});
}

TEST_CASE_TEMPLATE("rename_value: versions continue from the init net, and both nets are renamed", N,
                   PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(mlp);
  auto init = test::make_net<N>(mlp_init);
  auto const done = plait::rename_input(n, init, {.op = 0, .input = 1}, "weight");
  CHECK(done.version == 1);
  CHECK(done.changed == places{{kind::external_input, plait::npos, 1},
                               {kind::input, 0, 1},
                               {kind::output, 0, 0, true},
                               {kind::external_output, plait::npos, 0, true}});
  CHECK(test::describe(init).external_outputs == std::vector<std::string>{"weight", "b"});
  CHECK(test::describe(init).ops[0].outputs == std::vector<std::string>{"weight"});
  CHECK(test::describe(n).external_inputs[1] == "weight");

  // A blob of the net alone leaves the init net unchanged.
  test::struct_net const before = test::describe(init);
  plait::rename_output(n, init, {.op = 2, .output = 0}, "out");
  CHECK(test::describe(init) == before);
  CHECK(refusal(init, [&] { plait::rename_output(n, init, {.op = 2, .output = 0}, "weight"); }).blob == "weight");
}

TEST_CASE_TEMPLATE("rename_value: a version by number, also one that no op mentions", N, PLAIT_MUTABLE_NETS) {
  test::struct_net with_unused = mlp;
  with_unused.external_inputs.push_back("unused");
  with_unused.external_outputs.push_back("unused");
  auto n = test::make_net<N>(with_unused);
  auto init = test::make_net<N>(mlp_init);
  CHECK(plait::rename_version(n, "unused", 0, "spare").changed ==
        places{{kind::external_input, plait::npos, 5}, {kind::external_output, plait::npos, 1}});
  CHECK(test::describe(n).external_inputs.back() == "spare");
  CHECK(plait::rename_version(n, "h", 2, "relu").changed == places{{kind::output, 1, 0}, {kind::input, 2, 0}});
  CHECK(plait::rename_version(n, init, "w", 1, "weight").changed ==
        places{{kind::external_input, plait::npos, 1},
               {kind::input, 0, 1},
               {kind::output, 0, 0, true},
               {kind::external_output, plait::npos, 0, true}});
  CHECK(refusal(n, [&] { plait::rename_version(n, "nobody", 0, "x"); }).blob == "nobody");
  CHECK(refusal(n, [&] { plait::rename_version(n, "h", 2, "q"); }).blob == "h");
  CHECK(refusal(n, [&] { plait::rename_version(n, init, "weight", 0, "q"); }).blob == "weight");
}

TEST_CASE_TEMPLATE("rename_value: refusals name op and blob", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(
      {{{"Scale", {"x"}, {"t"}}, {"Relu", {"t"}, {"u"}}, {"Scale", {"u"}, {"t"}}, {"Sum", {"t", "u"}, {"v"}}},
       {"x"},
       {"v"}});
  auto const shared = refusal(n, [&] { plait::rename_input(n, {.op = 2, .input = 0}, "first"); });
  CHECK(shared.op == 3);
  CHECK(shared.blob == "u");
  CHECK_NOTHROW(plait::rename_input(n, {.op = 2, .input = 0}, "first", {.from_producer = true}));
  auto const orphan = refusal(n, [&] { plait::rename_input(n, {.op = 0, .input = 0}, "q", {.from_producer = true}); });
  CHECK(orphan.op == 0);
  CHECK(orphan.blob == "x");
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 9, .output = 0}, "q"); }).op == 9);
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 1, .output = 1}, "q"); }).op == 1);
  CHECK(refusal(n, [&] { plait::rename_input(n, {.op = 1, .input = 1}, "q"); }).op == 1);
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 1, .output = 0}, ""); }).blob == "first");
}

TEST_CASE_TEMPLATE("rename_value: a name in use is refused, or merged as detectron2 does", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(mlp);
  auto const taken = refusal(n, [&] { plait::rename_input(n, {.op = 0, .input = 1}, "w2"); });
  CHECK(taken.blob == "w2");
  CHECK(taken.op == 2);  // the reader
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 0, .output = 0}, "y"); }).op == 2);
  plait::rename_input(n, {.op = 0, .input = 1}, "w2", {.capture = plait::name_capture::merge});
  CHECK(test::describe(n).external_inputs == std::vector<std::string>{"x", "w2", "b", "w2", "b2"});
  CHECK(plait::rename_output(n, {.op = 0, .output = 0}, "h").changed.empty());
}

TEST_CASE_TEMPLATE("rename_value: a renaming and its inverse compute the same", N, PLAIT_MUTABLE_NETS) {
  std::mt19937 random(3);
  int renamed = 0;
  for (int round = 0; round != 300; ++round) {
    CAPTURE(round);
    test::struct_net const before = test::random_net(random);
    if (before.ops.empty()) continue;
    auto n = test::make_net<N>(before);
    auto const op = static_cast<plait::op_index>(random() % before.ops.size());
    std::size_t const outputs = before.ops[op].outputs.size();
    if (outputs == 0) continue;
    auto const slot = static_cast<std::uint32_t>(random() % outputs);
    auto const there = plait::rename_output(n, {op, slot}, "new");
    test::struct_net const between = test::describe(n);
    CHECK(between.ops[op].outputs[slot] == "new");
    CHECK(test::symbolic_outputs(between, test::given_by::slot) ==
          test::symbolic_outputs(before, test::given_by::slot));
    // Other versions keep the old name, so it is in use: the inverse rename merges versions, and is legal.
    auto const back = plait::rename_output(n, {op, slot}, there.from, {.capture = plait::name_capture::merge});
    CHECK(back.changed == there.changed);
    CHECK(test::describe(n) == before);
    ++renamed;
  }
  CHECK(renamed > 150);
}

TEST_CASE("rename_value: control inputs follow and are no readers") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "a" } op { type: "Tanh" input: "a" output: "b" }
    op { type: "Exp" input: "x" output: "c" control_input: "b" control_input: "a" })");
  auto const done = plait::rename_input(n, {.op = 1, .input = 0}, "A");
  CHECK(done.changed == places{{kind::output, 0, 0}, {kind::input, 1, 0}, {kind::control_input, 2, 1}});
  CHECK(n.text(n.op[2].extras().control_input[1]) == "A");
}

TEST_CASE("rename_value: nested nets follow") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "h" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Tanh" input: "h" output: "t" } op { type: "Exp" input: "t" output: "y" }
                                    external_input: "h" external_output: "y" } } }
    op { type: "Copy" input: "y" output: "z" })");
  CHECK(plait::rename_output(n, {.op = 0, .output = 0}, "H").changed ==
        places{{kind::output, 0, 0}, {kind::nested, 1, 0}});
  CHECK(plait::rename_output(n, {.op = 1, .output = 0}, "Y").changed ==
        places{{kind::output, 1, 0}, {kind::nested, 1, 0}, {kind::input, 2, 0}});
  plait::netdef const& inner = *n.op[1].arg[0].n;
  CHECK(inner.text(inner.op[0].input[0]) == "H");
  CHECK(inner.text(inner.op[1].output[0]) == "Y");
  CHECK(inner.text(inner.external_input[0]) == "H");
  CHECK(inner.text(inner.external_output[0]) == "Y");
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 0, .output = 0}, "t"); }).blob == "t");

  // A nested net is a reader like any other.
  auto m = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "h" } op { type: "Tanh" input: "h" output: "a" }
    op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Tanh" input: "h" output: "b" } } } })");
  CHECK(refusal(m, [&] { plait::rename_input(m, {.op = 1, .input = 0}, "H"); }).op == 2);
}

TEST_CASE("rename_value: refuses if a nested net refers to two versions by one name") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "y" }
    op { type: "If" input: "c" output: "y" arg { name: "then_net" n { op { type: "Tanh" input: "x" output: "y" } } } }
    op { type: "Copy" input: "y" output: "z" })");
  // If the branch is not taken, the Copy reads the first y.
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 0, .output = 0}, "first"); }).op == 1);
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 1, .output = 0}, "second"); }).op == 1);
}

TEST_CASE("rename_value: a blob that a Do updates has one binding and keeps one name") {
  auto n = plait::read_netdef_text(R"(
    op { type: "CreateScope" output: "ws" }
    op { type: "Relu" input: "a" output: "x" }
    op { type: "Do" input: "x" input: "y" input: "ws" output: "x" output: "ws"
         arg { name: "inner_blobs" strings: "i" strings: "j" } arg { name: "outer_blobs_idx" ints: 0 ints: 1 }
         arg { name: "net" n { op { type: "Mul" input: "i" input: "j" output: "i" } } } }
    external_input: "a" external_input: "y" external_output: "x")");
  auto const first = refusal(n, [&] { plait::rename_output(n, {.op = 1, .output = 0}, "new"); });
  CHECK(first.op == 2);
  CHECK(first.blob == "x");
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 2, .output = 0}, "new"); }).op == 2);
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 0, .output = 0}, "new"); }).blob == "ws");
  // Blobs that it only reads or only writes are bound by position.
  CHECK(plait::rename_input(n, {.op = 2, .input = 1}, "Y").changed ==
        places{{kind::external_input, plait::npos, 1}, {kind::input, 2, 1}});
}

TEST_CASE("rename_value: control inputs of nested ops follow and are no readers") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "a" output: "x" } op { type: "Tanh" input: "x" output: "z" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Relu" input: "a" output: "y" control_input: "x" } } } })");
  CHECK(plait::rename_input(n, {.op = 1, .input = 0}, "X").changed ==
        places{{kind::output, 0, 0}, {kind::input, 1, 0}, {kind::nested, 2, 0}});
  plait::netdef const& branch = *n.op[2].arg[0].n;
  CHECK(branch.text(branch.op[0].extras().control_input[0]) == "X");
}

TEST_CASE("rename_value: recurrences follow, in their arguments and in nets stored as text") {
  auto n = plait::read_netdef_text(R"(
    op { type: "FC" input: "x" input: "w" output: "seq" }
    op { type: "RecurrentNetwork" input: "seq" input: "h0" input: "r" output: "h_all" output: "h_last"
         arg { name: "link_external" strings: "seq" strings: "h_states" }
         arg { name: "link_internal" strings: "x_t" strings: "h_t" }
         arg { name: "alias_dst" strings: "h_all" strings: "h_last" }
         arg { name: "r.rename" s: "r" }
         arg { name: "step_net" s: "op { type: \"FC\" input: \"x_t\" input: \"r\" output: \"h_t\" }" } }
    op { type: "Copy" input: "h_last" output: "out" })");
  plait::rename_output(n, {.op = 0, .output = 0}, "sequence");
  plait::rename_output(n, {.op = 1, .output = 1}, "last");
  plait::rename_input(n, {.op = 1, .input = 2}, "R");
  plait::op_def const& rnn = n.op[1];
  CHECK(rnn.arg[0].strings == std::vector<std::string>{"sequence", "h_states"});
  CHECK(rnn.arg[2].strings == std::vector<std::string>{"h_all", "last"});
  CHECK(n.text(rnn.arg[3].name) == "R.rename");
  CHECK(rnn.arg[3].s == "R");
  auto const step = plait::read_netdef_text(*rnn.arg[4].s);
  CHECK(step.text(step.op[0].input[1]) == "R");
  CHECK(step.text(step.op[0].input[0]) == "x_t");
  CHECK(n.text(n.op[2].input[0]) == "last");
  CHECK(refusal(n, [&] { plait::rename_output(n, {.op = 0, .output = 0}, "h_states"); }).blob == "h_states");
}

TEST_CASE("rename_value: one of a million ops") {
  auto n = test::make_net<plait::netdef>(test::long_net(1'000'000));
  auto const done = plait::rename_input(n, {.op = 500'000, .input = 0}, "middle", {.from_producer = true});
  CHECK(done.changed.size() >= 2);
  CHECK(n.text(n.op[500'000].input[0]) == "middle");
}
