// Messages and facts of problems.
#include <plait/gradient/detail/backward_problems.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/needed_values.hpp>

using test::lines;
using net = test::edit_net;

namespace {

// x is an input; ops 0 and 2 overwrite it.
struct fixture {
  net n = test::net_of<net>(lines{"A: x -> x", "B: x -> y", "C: y -> x"});
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  plait::backward_problems<net> problems{forward};

  fixture() { forward.compute(tape, true); }
  plait::gradient_problem const& last() const { return problems.list().back(); }
  plait::value version(std::string const& blob, std::uint32_t k) const {
    plait::blob_index const b = forward.find(blob);
    return {b, forward.form().first_version(b) + k};
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "backward_problems: starts empty and keeps the order of discovery") {
  CHECK(problems.empty());
  problems.add(1, "it has none");
  CHECK(last().op == plait::op_index{1});
  CHECK(last().blob.empty());
  CHECK(last().text == "op 1 (B): it has none");
  problems.add(std::nullopt, "z", "there is no z");
  CHECK(!last().op);
  CHECK(last().blob == "z");
  CHECK(last().text == "there is no z");
  CHECK(problems.list().size() == 2);
}

TEST_CASE_FIXTURE(fixture, "backward_problems: problems of a nested net belong to the enclosing op") {
  plait::gradient_problem inside{7, "w", 1, 2, {}, "op 7 (F): no"};
  problems.add_inside(2, plait::gradient_error({inside, inside}));
  CHECK(problems.list().size() == 2);
  CHECK(last().op == plait::op_index{2});
  CHECK(last().blob == "w");
  CHECK(last().needed == 1u);
  CHECK(last().text == "op 2 (C): op 7 (F): no");
}

TEST_CASE_FIXTURE(fixture, "backward_problems: a stale gradient is reported with both versions") {
  problems.add_stale(0, version("x", 1), version("x", 2).version);
  CHECK(last().blob == "x");
  CHECK(last().writers == std::vector<plait::op_index>{0, 2});
  CHECK(last().text == "op 0 (A): the gradient of 'x' belongs to version 2, but this op writes version 1");
}

TEST_CASE_FIXTURE(fixture, "backward_problems: an overwritten value is reported with its writers") {
  problems.add_overwritten({version("x", 0), 0});
  CHECK(last().op == plait::op_index{0});
  CHECK(last().needed == 0u);
  CHECK(last().present == 2u);
  CHECK(last().text ==
        "op 0 (A): its gradient needs 'x' at version 0, which is overwritten (version 2 is the last); written by "
        "the feed of the net's inputs, op 0 (A), op 2 (C)");
  problems.add_overwritten({version("x", 1), plait::npos});
  CHECK(!last().op);
  CHECK(last().text ==
        "the result needs 'x' at version 1, which is overwritten (version 2 is the last); written by op 0 (A), op 2 "
        "(C)");
  // Lists of writers are shared.
  CHECK(problems.list()[0].writers.list().data() == problems.list()[1].writers.list().data());
}

TEST_CASE("backward_problems: sixteen of many writers are named, from the producer on") {
  lines ops;
  for (int i = 0; i != 40; ++i) ops.push_back("A: x -> x");
  net const n = test::net_of<net>(ops);
  plait::gradient_tape tape;
  plait::forward_net<net> forward(n);
  forward.compute(tape, true);
  plait::backward_problems<net> problems(forward);
  plait::blob_index const x = forward.find("x");
  problems.add_overwritten({{x, forward.form().first_version(x) + 11}, 11});
  std::string const& text = problems.list().back().text;
  CHECK(text.find("written by op 10 (A), op 11 (A)") != std::string::npos);
  CHECK(text.ends_with("op 25 (A), and 24 others"));
  CHECK(problems.list().back().writers.size() == 40);
}
