#include <plait/exec/detail/op_arguments.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/core/assert.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

auto const schema = plait::op_schema("T")
                        .inputs(1, 2)
                        .outputs(1, plait::npos)
                        .argument("axis", std::int64_t{1}, "")
                        .argument("scale", 0.5f, "")
                        .argument("mode", std::string("same"), "")
                        .argument("dims", std::vector<std::int64_t>(), "")
                        .argument("weights", std::vector<float>{1}, "")
                        .argument("names", std::vector<std::string>(), "");

plait::op_arguments read(std::string const& text) {
  static plait::netdef n;
  n = plait::read_netdef_text("op { type: \"T\" " + text + " }");
  return plait::read_op_arguments(n, n.op[0], schema);
}
std::string refusal(std::string const& text) {
  try {
    read(text);
  } catch (plait::shape_error const& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("op_arguments: omitted arguments have the defaults of the schema") {
  auto const none = read(R"(input: "x" output: "y")");
  CHECK(none.integer("axis") == 1);
  CHECK(none.real("scale") == 0.5f);
  CHECK(none.text("mode") == "same");
  CHECK(none.reals("weights") == std::vector<float>{1});
  CHECK_FALSE(none.has("axis"));
  CHECK(none.input_count() == 1);
  auto const all = read(R"(input: "x" input: "z" output: "y" output: "w" arg { name: "axis" i: -2 }
    arg { name: "scale" f: 2 } arg { name: "mode" s: "full" } arg { name: "dims" ints: 3 ints: 4 }
    arg { name: "weights" floats: 0.25 } arg { name: "names" strings: "a" } arg { name: "unknown" i: 1 })");
  CHECK(all.integer("axis") == -2);
  CHECK(all.flag("axis"));
  CHECK(all.real("scale") == 2);
  CHECK(all.text("mode") == "full");
  CHECK(all.integers("dims") == std::vector<std::int64_t>{3, 4});
  CHECK(all.reals("weights") == std::vector<float>{0.25f});
  CHECK(all.texts("names") == std::vector<std::string>{"a"});
  CHECK(all.has("axis"));
  CHECK(all.output_count() == 2);
}

TEST_CASE("op_arguments: integers convert to reals, and empty lists to lists of any type") {
  auto const a = read(R"(input: "x" output: "y" arg { name: "scale" i: 3 } arg { name: "weights" ints: 1 ints: 2 }
                         arg { name: "names" })");
  CHECK(a.real("scale") == 3);
  CHECK(a.reals("weights") == std::vector<float>{1, 2});
  CHECK(a.texts("names").empty());
}

TEST_CASE("op_arguments: operands and arguments decide has_shapes_from_elements and differs_by_run") {
  plait::netdef const n = plait::read_netdef_text(R"(op { type: "T" input: "x" output: "y" }
    op { type: "T" input: "x" input: "z" output: "y" }
    op { type: "T" input: "x" input: "z" output: "y" arg { name: "off" i: 1 } })");
  auto const of = [&](plait::op_schema const& described) {
    std::vector<std::pair<bool, bool>> found;
    for (plait::op_def const& op : n.op) {
      auto const a = plait::read_op_arguments(n, op, described);
      found.emplace_back(a.has_shapes_from_elements(), a.differs_by_run());
    }
    return found;
  };
  using answers = std::vector<std::pair<bool, bool>>;
  auto const plain = plait::op_schema("T").inputs(1, 2).outputs(1).argument("off", std::int64_t{0}, "");
  CHECK(of(plain) == answers(3, {false, false}));
  auto made = plain;
  CHECK(of(made.shape_from(1).differs_by_run()) == answers{{false, true}, {true, true}, {true, true}});
  auto const on = [](plait::op_arguments const& a) { return !a.flag("off"); };
  CHECK(of(made.shape_from_where(on).differs_by_run(on)) == answers{{false, true}, {true, true}, {false, false}});
}

TEST_CASE("op_arguments: renamed blobs are resolved, and refused arguments are reported") {
  auto const described = plait::op_schema("T")
                             .inputs(0, 2)
                             .outputs(1)
                             .renames_blobs()
                             .refused_argument("old", "is not known any more")
                             .argument("names", std::vector<std::string>(), "");
  auto const n = plait::read_netdef_text(R"(op { type: "T" input: "x" output: "y" arg { name: "names" strings: "a" }
    arg { name: "a.rename" s: "b" } arg { name: "x_grad.rename" s: "g" } arg { name: "y.rename" s: "z" } }
    op { type: "T" output: "y" arg { name: "a.rename" i: 1 } arg { name: "names" strings: "a" } }
    op { type: "T" arg { name: "old" i: 1 } })");
  auto const found = plait::read_op_arguments(n, n.op[0], described);
  CHECK(found.texts("names") == std::vector<std::string>{"a"});
  for (auto const& [name, truth] : std::vector<std::pair<std::string, std::string>>{
           {"a", "b"}, {"x", "x"}, {"x_grad", "g"}, {"y", "z"}, {"a_grad", "a_grad"}, {"unheard", "unheard"}})
    CHECK(found.renamed(name) == truth);
  CHECK_THROWS_AS((void)plait::read_op_arguments(n, n.op[1], described), plait::shape_error);
  try {
    (void)plait::read_op_arguments(n, n.op[2], described);  // reported before its other errors
    FAIL("accepted");
  } catch (plait::shape_error const& e) {
    CHECK(std::string(e.what()) == "plait: argument 'old' is not known any more");
  }
}

TEST_CASE("op_arguments: operands and arguments that violate the schema are refused") {
  CHECK(refusal(R"(output: "y")") == "plait: 0 inputs where there should be 1 to 2");
  CHECK(refusal(R"(input: "x")") == "plait: 0 outputs where there should be 1 or more");
  CHECK(refusal(R"(input: "x" output: "y" arg { name: "axis" f: 1.5 })") ==
        "plait: argument 'axis' is of another type than expected");
  CHECK(refusal(R"(input: "x" output: "y" arg { name: "mode" n { } })") ==
        "plait: argument 'mode' is of another type than expected");
  auto const demanding = plait::op_schema("T").outputs(1).required_argument<std::string>("to", "");
  auto const n = plait::read_netdef_text(R"(op { type: "T" output: "y" })");
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::read_op_arguments(n, n.op[0], demanding)),
                       "plait: argument 'to' is missing", plait::shape_error);
}

TEST_CASE("op_arguments: a request for an argument that the schema lacks is a precondition_error") {
  auto const a = read(R"(input: "x" output: "y")");
  CHECK_THROWS_WITH_AS(static_cast<void>(a.integer("axes")),
                       "op_arguments: argument 'axes' that a kernel of T asks for is not in the description",
                       plait::precondition_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(a.text("axis")),
                       "op_arguments: argument 'axis' that a kernel of T asks for has another type in the description",
                       plait::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(a.has("axes")), plait::precondition_error);
}

}  // namespace
