#include <plait/exec/operators.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

TEST_CASE("operators: a table is a value; user-defined types extend it and replace others") {
  auto const toys = test::toy_operators<plait::serial>();
  plait::operators<plait::serial> table;
  CHECK(table.size() == 0);
  CHECK(table.find("Same") == nullptr);
  table.add(toys);
  CHECK(table.size() == toys.size());
  table.add<test::reverse_kernel>(plait::op_schema("Same").inputs(1).outputs(1));
  CHECK(table.size() == toys.size());
  test::feeds<plait::serial> const fed = {{"x", test::of<plait::serial, float>({2}, {1, 2})}};
  std::string const op = R"(type: "Same" input: "x" output: "y")";
  CHECK(test::run_op(table, op, fed).fetch<float>("y") == std::vector<float>{2, 1});
  CHECK(test::run_op(toys, op, fed).fetch<float>("y") == std::vector<float>{1, 2});

  std::vector<std::string> names;
  for (auto const* schema : toys.schemas()) names.push_back(schema->type());
  CHECK(names == std::vector<std::string>{"Break", "Fork", "Many", "Mix", "Ones", "Reverse", "Same", "Update"});
}

TEST_CASE("operators::pass_over: ignores an argument in one table only") {
  using B = plait::serial;
  plait::operators<B> const& standard = plait::standard_operators<B>();
  plait::operators<B> without = standard;
  without.pass_over("Scale", "scale");
  test::feeds<B> const fed = {{"x", test::of<B, float>({2}, {1, 2})}};
  std::string const op = R"(type: "Scale" input: "x" output: "y" arg { name: "scale" f: 3 })";
  CHECK(test::run_op(without, op, fed).fetch<float>("y") == std::vector<float>{1, 2});
  CHECK(test::run_op(standard, op, fed).fetch<float>("y") == std::vector<float>{3, 6});
  // A value of the wrong type is ignored, too.
  std::string const text = R"(type: "Scale" input: "x" output: "y" arg { name: "scale" s: "?" })";
  CHECK(test::run_op(without, text, fed).fetch<float>("y") == std::vector<float>{1, 2});
  CHECK_THROWS_AS(without.pass_over("Scale", "factor"), plait::precondition_error);
  CHECK_THROWS_AS(without.pass_over("Scales", "scale"), plait::precondition_error);
  CHECK_THROWS_AS(without.pass_over("Mod", "divisor"), plait::precondition_error);
}

TEST_CASE("operators: an inconsistent schema is refused, and the table is unchanged") {
  using schema = plait::op_schema;
  auto table = test::toy_operators<plait::serial>();
  std::size_t const before = table.size();
  auto const refused = [&](schema const& described, char const* why) {
    CHECK_THROWS_WITH_AS(table.add<test::reverse_kernel>(described), why, plait::error);
  };
  schema const good = schema("Turn").inputs(1).outputs(1);
  refused(schema(good).in_place(1, 0),
          "plait: op type Turn: the description speaks of input 1, but no op has more than 1");
  refused(schema(good).updates(0, 2),
          "plait: op type Turn: the description speaks of output 2, but no op has more than 1");
  refused(schema(good).views(0, 1),
          "plait: op type Turn: the description speaks of output 1, but no op has more than 1");
  refused(schema(good).shape_from(3),
          "plait: op type Turn: the description speaks of input 3, but no op has more than 1");
  refused(schema(good).inputs(2, 1), "plait: op type Turn: more inputs are asked for than there may be");
  refused(schema(good).outputs(1, 0), "plait: op type Turn: more outputs are asked for than there may be");
  refused(schema(good).argument("by", 1.f, "").required_argument<float>("by", ""),
          "plait: op type Turn: argument 'by' is described twice");
  refused(schema(good).argument("by", 1.f, "").net_argument("by", ""),
          "plait: op type Turn: argument 'by' is described twice");
  CHECK(table.size() == before);
  CHECK(table.find("Turn") == nullptr);
  table.add<test::reverse_kernel>(schema(good).in_place(0, 0).argument("by", 1.f, ""));
  CHECK(table.find("Turn") != nullptr);
}

TEST_CASE("operators: a plan outlives the table it was compiled with") {
  plait::workspace<plait::serial> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  auto plan = [&] {
    auto const table = test::toy_operators<plait::serial>();
    return plait::compile(plait::read_netdef_text(R"(op { type: "Reverse" input: "x" output: "y" })"), table, blobs);
  }();
  plan.run();
  CHECK(blobs.fetch<float>("y") == std::vector<float>{2, 1});
}

}  // namespace
