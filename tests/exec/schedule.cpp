#include <plait/exec/detail/schedule.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/plan.hpp>
#include <support/named_numbers.hpp>
#include <support/run_op.hpp>
#include <support/some_threads.hpp>

namespace {

using B = plait::tbb;

TEST_CASE("schedule: lists reasons for ops that run alone, and nested nets") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "a" }
    op { type: "Sigmoid" input: "a" output: "b" }
    op { type: "Softmax" input: "b" output: "c" }
    op { type: "If" input: "flag" output: "y"
         arg { name: "then_net" n { op { type: "Tanh" input: "c" output: "y" } } }
         arg { name: "else_net" n { op { type: "Copy" input: "c" output: "y" } } } }
    op { type: "Relu" input: "y" output: "z" }
    external_output: "z")");
  plait::workspace<B> blobs;
  blobs.feed<float>("x", std::vector<float>(24, 1), {4, 6});
  blobs.feed<bool>("flag", {true}, {1});
  auto plan = plait::compile(n, plait::standard_operators<B>(), blobs);
  CHECK(plan.schedule().groups.empty());
  plan.run();
  std::ostringstream text;
  plait::write_schedule(text, plan.schedule());
  CHECK(text.str() == R"(0..1 elements: Relu Sigmoid
2 alone: Softmax (opaque)
3 alone: If (results known after the run)
  then_net:
    0 alone: Tanh (no group of rows or elements)
  else_net: not run
4 alone: Relu (no group of rows or elements)
)");
}

TEST_CASE("schedule: values that only a nested net uses are fused, and are no outputs of its op") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "If" input: "flag"
         arg { name: "then_net" n { op { type: "Relu" input: "x" output: "a" }
                                    op { type: "Tanh" input: "a" output: "b" }
                                    op { type: "Sigmoid" input: "b" output: "y" } } }
         arg { name: "else_net" n { op { type: "Copy" input: "x" output: "y" }
                                    op { type: "Relu" input: "x" output: "b" } } } }
    op { type: "Softmax" input: "y" output: "z" }
    external_output: "z")");
  plait::workspace<B> blobs;
  blobs.feed<float>("x", std::vector<float>(24, 1), {4, 6});
  for (bool const flag : {true, false}) {
    blobs.feed<bool>("flag", {flag}, {1});
    plait::compile(n, plait::standard_operators<B>(), blobs).run();
  }
  CHECK_FALSE(blobs.contains("a"));
  CHECK_FALSE(blobs.contains("b"));
  blobs.feed<bool>("flag", {true}, {1});
  auto plan = plait::compile(n, plait::standard_operators<B>(), blobs);
  plan.run();
  std::ostringstream text;
  plait::write_schedule(text, plan.schedule());
  CHECK(text.str() == R"(0 alone: If (results known after the run)
  then_net:
    0..2 elements: Relu Tanh Sigmoid
  else_net: not run
1 alone: Softmax (opaque)
)");
}

TEST_CASE("schedule: a row that is repeated is fused with its neighbours whatever ops cost") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Add" input: "x" input: "row" output: "a" arg { name: "broadcast" i: 1 } }
    op { type: "Tanh" input: "a" output: "y" }
    external_output: "y")");
  plait::workspace<B> blobs;
  test::numbers const x = test::values("x", 4096);
  blobs.feed<float>("x", std::vector<float>(x.begin(), x.end()), {64, 64});
  blobs.feed<float>("row", std::vector<float>(64, 0.25f), {64});
  auto const run = [&](plait::compile_options const& options) {
    auto plan = plait::compile(n, plait::standard_operators<B>(), blobs, options);
    test::some_threads().execute([&] { plan.run(); });
    return std::pair(plan.schedule().groups.size(), blobs.fetch<float>("y"));
  };
  auto const usual = run({});
  CHECK(usual.first == 1);
  CHECK(run({.costs = plait::cost_model::everything_pays()}) == usual);
  CHECK(run({.passes = plait::plan_passes::none()}) == std::pair(std::size_t{2}, usual.second));
}

}  // namespace
