#include <plait/exec/operators.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

TEST_CASE("operators: a table is a value; one's own types stand beside others and replace them") {
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
  CHECK(names == std::vector<std::string>{"Break", "Fork", "Mix", "Ones", "Reverse", "Same", "Update"});
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
