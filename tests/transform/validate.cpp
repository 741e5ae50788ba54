#include <plait/transform/validate.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

using kind = plait::net_problem_kind;
using severity = plait::net_problem_severity;
using fact = std::tuple<kind, severity, std::optional<plait::op_index>, std::optional<std::size_t>, std::string>;

template <class N>
std::vector<fact> facts(N const& n, plait::validate_options const& options = {}) {
  std::vector<fact> found;
  for (plait::net_problem const& p : plait::validate(n, options)) {
    CHECK_FALSE(p.message.empty());
    found.emplace_back(p.kind, p.severity, p.op, p.slot, p.blob);
  }
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("validate: all problems at once, each with op and blob", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"a"}},
                                     {"Sum", {"a", "w", "later"}, {"b", "b"}},
                                     {"Fill", {}, {"later"}},
                                     {"Sum", {"w", "b"}, {"x"}},
                                     {"Print", {"b"}, {}}},
                                    {"x", "unused", "x"},
                                    {"b", "nobody", "b", "unused2"}});
  CHECK(facts(n) == std::vector<fact>{
                        {kind::repeated_input, severity::warning, {}, 2, "x"},
                        {kind::undeclared_read, severity::error, 1, 1, "w"},
                        {kind::read_before_write, severity::error, 1, 2, "later"},
                        {kind::output_written_twice, severity::warning, 1, 1, "b"},
                        {kind::repeated_output, severity::warning, {}, 2, "b"},
                        {kind::unwritten_output, severity::error, {}, 1, "nobody"},
                        {kind::unwritten_output, severity::error, {}, 3, "unused2"},
                        {kind::unused_input, severity::note, {}, 1, "unused"},
                        {kind::overwritten_input, severity::note, 3, 0, "x"},
                    });
  CHECK(facts(n, {.notes = false}).size() == 7);
}

TEST_CASE_TEMPLATE("validate: without declared inputs an undeclared read is only a warning", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}, {"Relu", {"x"}, {"y"}}}});
  CHECK(facts(n) == std::vector<fact>{{kind::undeclared_read, severity::warning, 0, 0, "x"}});
}

TEST_CASE_TEMPLATE("validate: a dead op is a note where outputs are declared", N, PLAIT_TEXT_NETS) {
  auto const n =
      test::make_net<N>({{{"Relu", {"x"}, {"a"}}, {"Relu", {"x"}, {"y"}}, {"Print", {"y"}, {}}}, {"x"}, {"y"}});
  CHECK(facts(n) == std::vector<fact>{{kind::dead_op, severity::note, 0, {}, ""}});
}

TEST_CASE_TEMPLATE("validate: nets without text are checked by number", N, ir::Function, test::archetype_net) {
  auto const n = test::make_net<N>({{{"Relu", {"x", "w"}, {"y"}}}, {"x"}, {"y"}});
  auto const found = plait::validate(n);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == kind::undeclared_read);
  CHECK(found[0].op == 0);
  CHECK(found[0].blob.empty());
}

TEST_CASE("validate: a good net has no problems, a random one no errors") {
  CHECK(facts(test::struct_net{{{"FC", {"x", "w"}, {"h"}}, {"Relu", {"h"}, {"h"}}}, {"x", "w"}, {"h"}}).empty());
  std::mt19937 random(31);
  for (int round = 0; round != 200; ++round) {
    test::struct_net const n = test::random_net(random);  // declares what it reads and writes what it promises
    for (plait::net_problem const& p : plait::validate(n)) {
      CAPTURE(p.message);
      CHECK(p.severity != severity::error);
    }
  }
}

TEST_CASE("validate: empty names and nested nets") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "" output: "y" }
    op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Relu" input: "q" output: "z" } } } }
    external_input: "" external_input: "c" external_output: "z")");
  auto const found = facts(n);
  CHECK(std::ranges::count(found, fact{kind::empty_name, severity::warning, 0, 0, ""}) == 1);
  CHECK(std::ranges::count(found, fact{kind::empty_name, severity::warning, {}, 0, ""}) == 1);
  CHECK(std::ranges::count(found, fact{kind::undeclared_read, severity::error, 1, 1, "q"}) == 1);
  auto const outside = facts(n, {.subnets = false});
  CHECK(std::ranges::count(outside, fact{kind::unwritten_output, severity::error, {}, 0, "z"}) == 1);
}

TEST_CASE("validate: problems in nested nets have a path") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "y" }
    op { type: "If" input: "c" arg { name: "then_net" n {
      external_input: "y" external_output: "gone"
      op { type: "Split" input: "y" output: "a" output: "a" }
      op { type: "While" input: "c" arg { name: "loop_net" n { op { type: "Relu" input: "y" output: "" } } } } } } }
    external_input: "x" external_input: "c" external_output: "y")");
  std::vector<plait::net_problem> inside;
  for (plait::net_problem const& p : plait::validate(n))
    if (!p.inside.empty()) inside.push_back(p);
  REQUIRE(inside.size() == 4);
  using path = std::vector<plait::op_index>;
  CHECK(inside[0].kind == kind::undeclared_read);
  CHECK(inside[0].message ==
        "in then_net of op 1 (If): op 1 (While) reads 'c', which is no external input and is never written");
  CHECK(inside[1].kind == kind::output_written_twice);
  CHECK(inside[1].op == 0);
  CHECK(inside[1].type == "Split");
  CHECK(inside[1].inside == path{1});
  CHECK(inside[2].kind == kind::unwritten_output);
  CHECK(inside[2].blob == "gone");
  CHECK(inside[3].kind == kind::empty_name);
  CHECK(inside[3].inside == path{1, 1});
  CHECK(inside[3].message ==
        "in then_net of op 1 (If): in loop_net of op 1 (While): op 0 (Relu) lists a blob without a name");
  for (plait::net_problem const& p : plait::validate(n, {.subnets = false})) CHECK(p.inside.empty());
}

TEST_CASE("validate: an unreadable step net is a problem among others") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "w" output: "y" }
    op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Relu" input: "y" output: "z" } } } }
    op { type: "RecurrentNetwork" input: "x" output: "h" arg { name: "step_net" s: "op { typ: }" } }
    external_input: "x" external_input: "c" external_input: "perhaps" external_output: "z")");
  auto const found = plait::validate(n);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == kind::unreadable_net);
  CHECK(found[0].op == 2);
  CHECK(found[0].type == "RecurrentNetwork");
  CHECK(found[0].message.starts_with("argument 'step_net' of op 2 (RecurrentNetwork) is not a net in text form: 1:"));
  CHECK(found[1].kind == kind::undeclared_read);  // and not: 'z' is never written, 'perhaps' is not used, op 2 is dead
  CHECK(found[1].blob == "w");
}

TEST_CASE("validate: reports nothing as unused if a nested net cannot be read") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "If" input: "c" arg { name: "then_net" n {
      op { type: "RecurrentNetwork" arg { name: "step_net" s: "op { typ: }" } } } } }
    op { type: "Relu" input: "c" output: "y" }
    op { type: "Relu" input: "c" output: "perhaps" }
    external_input: "c" external_input: "also" external_output: "y")");
  auto const found = plait::validate(n);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == kind::unreadable_net);
  CHECK(found[0].inside == std::vector<plait::op_index>{0});
}

TEST_CASE("validate: nesting of any depth") {
  plait::netdef n;
  n.add_op("Split", {"x"}, {"y", "y"});
  for (int depth = 0; depth != 300; ++depth) {
    plait::netdef outer;
    auto& op = outer.add_op("If", {"c"}, {});
    op.arg.emplace_back().name = outer.intern("then_net");
    op.arg.back().n.emplace() = std::move(n);
    n = std::move(outer);
  }
  auto const found = plait::validate(n);
  auto const deepest = std::ranges::find(found, kind::output_written_twice, &plait::net_problem::kind);
  REQUIRE(deepest != found.end());
  CHECK(deepest->inside == std::vector<plait::op_index>(300, 0));
}

TEST_CASE("validate: every kind has a distinct name") {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(kind::dead_op); ++k)
    names.emplace_back(plait::problem_name(static_cast<kind>(k)));
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  CHECK(std::ranges::find(names, "unknown") == names.end());
}
