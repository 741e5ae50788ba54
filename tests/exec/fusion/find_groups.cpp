// Fusion groups of whole plans: in all stages, in nested nets, and as one point in time for memory planning.
#include <plait/exec/detail/fusion/find_groups.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/observer.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <support/run_op.hpp>

namespace {

using B = plait::serial;
using plait::group_kind;

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<float>(i * 37 % 211) / 64 - 1.5f;
  return made;
}

std::string groups_of(plait::schedule const& s) {
  std::string text;
  for (plait::schedule::group const& g : s.groups)
    text += (text.empty() ? "" : " ") + std::string(to_string(g.kind)) + ' ' + std::to_string(g.count);
  return text;
}

TEST_CASE("find_groups: ops of later stages are fused, again after their shapes change") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "r" }
    op { type: "Reshape" input: "r" input: "shape" output: "m" output: "old" }
    op { type: "Sigmoid" input: "m" output: "a" } op { type: "Mul" input: "a" input: "m" output: "b" }
    op { type: "Tanh" input: "b" output: "y" }
    external_output: "y")");
  plait::workspace<B> blobs;
  auto plan = plait::compile(n, test::table<B>(), blobs);
  plait::op_observer each;  // with one, ops run one by one
  for (std::int64_t const rows : {4, 6, 4}) {
    blobs.feed("x", numbers(48), {48});
    blobs.feed<std::int64_t>("shape", {rows, -1}, {2});
    plan.run();
    CHECK(groups_of(plan.schedule()) == "alone 1 alone 1 elements 3");
    auto const fused = blobs.fetch<float>("y");
    CHECK(blobs.view("y").dims() == plait::shape{rows, 48 / rows});
    plan.run({.observer = &each});
    CHECK(blobs.fetch<float>("y") == fused);
  }
}

TEST_CASE("find_groups: ops of nested nets are fused") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "If" input: "flag" output: "y"
         arg { name: "then_net" n { op { type: "Sigmoid" input: "x" output: "a" }
                                    op { type: "Mul" input: "a" input: "x" output: "y" } } }
         arg { name: "else_net" n { op { type: "Copy" input: "x" output: "y" } } } }
    external_output: "y")");
  plait::workspace<B> blobs;
  blobs.feed("x", numbers(48), {48});
  blobs.feed<bool>("flag", {true}, {1});
  auto plan = plait::compile(n, test::table<B>(), blobs);
  plan.run();
  REQUIRE(!plan.schedule().nets.empty());
  CHECK(groups_of(plan.schedule().nets[0]) == "elements 2");
}

// A value whose live range ends in a group frees its block for values of its size there, and for others afterwards.
TEST_CASE("find_groups: fusion takes no more memory if values of one size follow each other") {
  std::string net = "op { type: 'LT' input: 'x' input: 'y' output: 'r0' } ";
  for (int i = 0; i != 6; ++i) {
    std::string const k = std::to_string(i);
    net += "op { type: 'GT' input: 'x' input: 'y' output: 'q" + k + "' } ";
    net += "op { type: 'Or' input: 'r" + k + "' input: 'q" + k + "' output: 'r" + std::to_string(i + 1) + "' } ";
  }
  net += "external_output: 'r6'";
  auto const bytes = [&](bool fuses, std::vector<std::uint8_t>& result, std::string& groups) {
    plait::workspace<B> blobs;
    blobs.feed("x", numbers(1000), {1000});
    blobs.feed("y", std::vector<float>(1000, 0.25f), {1000});
    plait::plan_passes passes;
    passes.fuse_elements = fuses;
    auto plan = plait::compile(plait::read_netdef_text(net), test::table<B>(), blobs, {.passes = passes});
    plan.run();
    result.clear();
    for (bool const b : blobs.fetch<bool>("r6")) result.push_back(b ? 1 : 0);
    groups = groups_of(plan.schedule());
    return plan.memory().intermediate;
  };
  std::vector<std::uint8_t> fused, alone;
  std::string groups;
  std::size_t const with = bytes(true, fused, groups);
  CHECK(groups == "elements 13");
  CHECK(with == bytes(false, alone, groups));
  CHECK(fused == alone);
}

}  // namespace
