#include <plait/transform/detail/clone_partial.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>

namespace {

using names = std::vector<std::string>;
test::struct_net const chain{{{"FC", {"x", "w", "b"}, {"h"}},
                              {"Relu", {"h"}, {"h"}},
                              {"FC", {"h", "w2", "b2"}, {"y"}},
                              {"Softmax", {"y"}, {"p"}}},
                             {"x", "w", "b", "w2", "b2"},
                             {"p"}};

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

TEST_CASE_TEMPLATE("clone_partial: the end of a chain", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(chain);
  auto const part = plait::clone_partial(n, "part", {{"h", "hidden"}}, {"p", "y"});
  CHECK(part.ops == std::vector<plait::op_index>{2, 3});
  CHECK(part.inputs == names{"hidden", "w2", "b2"});
  CHECK(part.outputs == names{"part/p", "part/y"});
  CHECK(part.names == plait::name_map{{"h", "hidden"}, {"w2", "w2"}, {"b2", "b2"}, {"y", "part/y"}, {"p", "part/p"}});
  test::struct_net const made = test::describe(part.net);
  CHECK(made.external_inputs == part.inputs);
  CHECK(made.external_outputs == part.outputs);
  REQUIRE(made.ops.size() == 2);
  CHECK(made.ops[0].inputs == names{"hidden", "w2", "b2"});
  CHECK(made.ops[1].inputs == names{"part/y"});
  CHECK(plait::net_traits<N>::net_name(part.net) == "part");
}

TEST_CASE_TEMPLATE("clone_partial: accepts unknown inputs, refuses unknown outputs", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(chain);
  auto const all = plait::clone_partial(n, "part", {{"nobody", "nobody"}}, {"p"});
  CHECK(all.inputs == names{"nobody", "x", "w", "b", "w2", "b2"});
  CHECK(all.ops.size() == 4);
  CHECK(refusal(n, [&] { (void)plait::clone_partial(n, "part", {{"x", "x"}}, {"nobody"}); }).blob == "nobody");
}

TEST_CASE_TEMPLATE("clone_partial: refuses an output that is neither written nor an input", N, plait::netdef,
                   test::edit_net) {
  auto const n = test::make_net<N>({{{"Mul", {"x", "undeclared"}, {"y"}}}, {"x"}, {"y", "nobody_makes_me"}});
  for (std::string const blob : {"undeclared", "nobody_makes_me"})
    CHECK(refusal(n, [&] { (void)plait::clone_partial(n, "part", {{"x", "x"}}, {"y", blob}); }).blob == blob);
  CHECK(plait::clone_partial(n, "part", {}, {"x"}).outputs == names{"x"});
}

TEST_CASE_TEMPLATE("clone_partial: refuses ops that compute or overwrite a given input", N, plait::netdef,
                   test::edit_net) {
  auto const reuse =
      test::make_net<N>({{{"Scale", {"x"}, {"t"}}, {"Sum", {"t"}, {"v"}}, {"Copy", {"v"}, {"x"}}}, {"x"}, {"v"}});
  CHECK(refusal(reuse, [&] { (void)plait::clone_partial(reuse, "part", {{"x", "x"}}, {"v"}); }).op == 0);

  // h is given at its second version; op 0, which u needs, would write its first one over it.
  auto const over = test::make_net<N>(
      {{{"A", {"x"}, {"h"}}, {"B", {"h"}, {"u"}}, {"C", {"z"}, {"h"}}, {"Sum", {"u", "h"}, {"y"}}}, {"x", "z"}, {"y"}});
  auto const problem = refusal(over, [&] { (void)plait::clone_partial(over, "part", {{"h", "h"}}, {"y"}); });
  CHECK(problem.op == 0);
  CHECK(problem.blob == "h");

  // Ambiguous version: op 0, which y needs, reads the first version of x, op 2 its second.
  auto const earlier =
      test::make_net<N>({{{"A", {"x"}, {"y"}}, {"B", {"z"}, {"x"}}, {"C", {"x", "y"}, {"out"}}}, {"x", "z"}, {"out"}});
  auto const other = refusal(earlier, [&] { (void)plait::clone_partial(earlier, "part", {{"x", "x"}}, {"out"}); });
  CHECK(other.op == 2);
  CHECK(other.blob == "x");

  // Written later by an op outside the slice.
  auto const later = test::make_net<N>(
      {{{"Sum", {"x", "w"}, {"y"}}, {"Relu", {"y"}, {"y"}}, {"Copy", {"w"}, {"x"}}}, {"x", "w"}, {"y", "x"}});
  auto const part = plait::clone_partial(later, "part", {{"x", "mine"}}, {"y"});
  CHECK(test::describe(part.net) ==
        test::struct_net{
            {{"Sum", {"mine", "w"}, {"part/y"}}, {"Relu", {"part/y"}, {"part/y"}}}, {"mine", "w"}, {"part/y"}});
}

TEST_CASE_TEMPLATE("clone_partial: refuses names that collide", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(chain);
  CHECK(refusal(n, [&] { (void)plait::clone_partial(n, "part", {{"h", "w2"}}, {"p"}); }).blob == "w2");
}

TEST_CASE("clone_partial: a partial clone of everything is the net under a prefix") {
  std::mt19937 random(14);
  int cloned = 0;
  for (int round = 0; round != 300; ++round) {
    CAPTURE(round);
    test::struct_net before = test::random_net(random);
    auto const n = test::make_net<test::edit_net>(before);
    plait::name_map none;
    auto const part = plait::clone_partial(n, "p", none, before.external_outputs);
    test::struct_net const made = test::describe(part.net);
    // Computes the same as the whole net, except for names: given blobs keep theirs, so inputs agree by name.
    CHECK(test::symbolic_outputs(made) == test::symbolic_outputs(before));
    CHECK(made.external_outputs == part.outputs);
    for (plait::op_spec const& op : made.ops)
      for (std::string const& name : op.outputs)
        CHECK((name.starts_with("p/") || std::find(part.inputs.begin(), part.inputs.end(), name) != part.inputs.end()));
    cloned += !made.ops.empty();
  }
  CHECK(cloned > 100);
}
