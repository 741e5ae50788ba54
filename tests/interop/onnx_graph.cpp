// ONNX adapter, on the class that protoc generated from GraphProto.
#include <plait/interop/onnx_graph.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

#include <plait/ssa/dependency_graph.hpp>
#include <plait/ssa/verify.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/rename_value.hpp>

#include <support/skip.hpp>

namespace {

using graph = ONNX_NAMESPACE::GraphProto;

PLAIT_CHECK_NET(graph);
static_assert(plait::typed_net<graph> && plait::has_external_inputs<graph> && plait::has_subnets<graph>);
static_assert(plait::renamable_net<graph> && plait::renamable_externals<graph> && plait::op_erasable_net<graph>);
static_assert(plait::input_erasable_net<graph> && plait::output_erasable_net<graph>);
static_assert(plait::extensible_net<graph> && plait::external_extensible_net<graph> && plait::adopting_net<graph>);
static_assert(plait::argument_readable_net<graph> && plait::argument_mutable_net<graph>);
static_assert(plait::retypable_net<graph> && plait::named_net<graph>);
static_assert(std::is_same_v<plait::name_key_t<graph>, std::string_view>);
static_assert(!plait::onnx_graph<ONNX_NAMESPACE::ModelProto> && !plait::onnx_graph<int>);

constexpr char const* source = R"(
  name: "g"
  node { input: "x" input: "" input: "w" output: "" output: "y" op_type: "GRU" name: "gru"
         attribute { name: "hidden_size" i: 3 type: INT } attribute { name: "direction" s: "reverse" type: STRING } }
  node { input: "y" output: "dead" op_type: "Relu" }
  node { input: "c" output: "z" op_type: "If"
         attribute { name: "then_branch" type: GRAPH g {
           node { input: "y" input: "k" output: "t" op_type: "Add" }
           initializer { name: "k" } output { name: "t" } } }
         attribute { name: "else_branch" type: GRAPH g {
           node { input: "w" output: "t" op_type: "Neg" } output { name: "t" } } } }
  initializer { name: "w" }
  initializer { name: "unused" }
  input { name: "x" }
  input { name: "c" }
  output { name: "z" })";

graph parsed() {
  graph g;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(source, &g));
  return g;
}

std::vector<std::string> listing(graph const& g, plait::ssa_options const& options = {}) {
  auto const ssa = plait::get_ssa(g, options);
  std::vector<std::string> lines;
  for (auto const& op : ssa.ops()) {
    std::string line;
    for (plait::value v : op.reads()) line += std::string(ssa.name(v)) + std::to_string(v.version) + ' ';
    line += "->";
    for (plait::value v : op.writes()) line += ' ' + std::string(ssa.name(v)) + std::to_string(v.version);
    lines.push_back(line);
  }
  return lines;
}

template <class Names>
std::vector<std::string> strings(Names const& names) {
  return {names.begin(), names.end()};
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("onnx graph: omitted operands are skipped") {
  graph const g = parsed();
  CHECK(strings(plait::inputs(g, g.node(0))) == texts{"x", "w"});
  CHECK(strings(plait::outputs(g, g.node(0))) == texts{"y"});
  CHECK(listing(g) == texts{"x0 w0 -> y1", "y1 -> dead1", "c0 -> z1"});
}

TEST_CASE("onnx graph: nested graphs read outer blobs, and have local names") {
  CHECK(listing(parsed(), {.subnets = true}).back() == "c0 y1 w0 -> z1");
}

TEST_CASE("onnx graph: initializers are external inputs") {
  CHECK(strings(plait::external_inputs(parsed())) == texts{"x", "c", "w", "unused"});
  CHECK(strings(plait::external_outputs(parsed())) == texts{"z"});
}

TEST_CASE("onnx graph: renaming skips omitted operands") {
  graph g = parsed();
  using theirs = plait::net_traits<graph>;
  theirs::set_input(g, *g.mutable_node(0), 1, "v");
  theirs::set_output(g, *g.mutable_node(0), 0, "u");
  CHECK(g.node(0).input(1).empty());
  CHECK(g.node(0).input(2) == "v");
  CHECK(g.node(0).output(0).empty());
  CHECK(g.node(0).output(1) == "u");
  theirs::set_external_input(g, 1, "condition");
  theirs::set_external_input(g, 2, "v");
  CHECK(g.input(1).name() == "condition");
  CHECK(g.initializer(0).name() == "v");
}

TEST_CASE("onnx graph: dead nodes are removed") {
  graph g = parsed();
  (void)plait::remove_dead_ops(g, {.subnets = true});
  REQUIRE(g.node_size() == 2);
  CHECK(g.node(0).op_type() == "GRU");
  CHECK(g.node(1).op_type() == "If");
}

TEST_CASE("onnx graph: every mutation hook changes the message") {
  using theirs = plait::net_traits<graph>;
  graph g = parsed();
  theirs::insert_op(g, 1, {.type = "Clip", .inputs = {"y"}, .outputs = {"k"}, .arguments = {{"max", 2.0f}}});
  REQUIRE(g.node_size() == 4);
  CHECK(g.node(1).op_type() == "Clip");
  CHECK(g.node(1).attribute(0).f() == 2.0f);
  CHECK(g.node(1).attribute(0).type() == ONNX_NAMESPACE::AttributeProto::FLOAT);
  CHECK(g.node(2).op_type() == "Relu");

  auto& gru = *g.mutable_node(0);
  CHECK(theirs::int_argument(g, gru, "hidden_size") == 3);
  CHECK(theirs::string_argument(g, gru, "direction") == "reverse");
  CHECK_FALSE(theirs::int_argument(g, gru, "direction").has_value());
  CHECK_FALSE(theirs::argument(g, g.node(3), "then_branch").has_value());
  for (plait::argument_value const& value :
       {plait::argument_value(std::int64_t{4}), plait::argument_value(0.5f), plait::argument_value(std::string("s")),
        plait::argument_value(std::vector<std::int64_t>{1, 2}), plait::argument_value(std::vector<float>{0.5f}),
        plait::argument_value(texts{"a", "b"})}) {
    theirs::set_argument(g, gru, {"direction", value});
    CHECK(gru.attribute_size() == 2);
    CHECK(theirs::argument(g, gru, "direction") == value);
  }
  theirs::erase_argument(g, gru, "direction");
  CHECK_FALSE(theirs::has_argument(g, gru, "direction"));
  CHECK(theirs::has_argument(g, gru, "hidden_size"));

  theirs::adopt_op(g, g, g.node(0));
  CHECK(g.node(4).op_type() == "GRU");
  std::vector<std::uint32_t> const gone = {0, 2};
  theirs::erase_ops(g, gone);
  REQUIRE(g.node_size() == 3);
  CHECK(g.node(0).op_type() == "Clip");
  CHECK(g.node(1).op_type() == "If");
  theirs::erase_external_inputs(g, gone);
  CHECK(strings(plait::external_inputs(g)) == texts{"c", "unused"});
  theirs::add_external_input(g, "n");
  CHECK(strings(plait::external_inputs(g)) == texts{"c", "n", "unused"});
}

// Checks on every model of ONNX's own tests that it is in SSA form, and that its dead nodes are those of a plain
// search.
TEST_CASE("onnx graph: ONNX's test models are in SSA form, and lose their dead nodes") {
  if (std::string(PLAIT_ONNX_TEST_DATA).empty()) return test::skip("PLAIT_ONNX_TEST_DATA is not set");
  std::size_t models = 0;
  std::size_t with_graphs_inside = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(PLAIT_ONNX_TEST_DATA)) {
    if (entry.path().filename() != "model.onnx") continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    ONNX_NAMESPACE::ModelProto model;
    REQUIRE(model.ParseFromIstream(&file));
    graph& g = *model.mutable_graph();
    ++models;
    auto const ssa = plait::get_ssa(g, {.subnets = true});
    REQUIRE(ssa.ops().size() == static_cast<std::size_t>(g.node_size()));
    // ONNX graphs are in SSA form: every value is written once.
    for (auto const& op : ssa.ops())
      for (plait::value v : op.writes()) CHECK(v.version == 1);

    std::set<std::string> wanted;
    for (auto const& output : g.output()) wanted.insert(output.name());
    std::set<int> live;
    for (bool grown = true; grown;) {
      grown = false;
      for (int i = 0; i != g.node_size(); ++i) {
        bool needed = false;
        for (std::string const& name : g.node(i).output()) needed |= wanted.contains(name);
        if (!needed || !live.insert(i).second) continue;
        grown = true;
        for (std::string const& name : g.node(i).input())
          if (!name.empty()) wanted.insert(name);
        for (auto const& inner : plait::subnets(g, g.node(i))) {
          ++with_graphs_inside;
          for (auto const& node : inner.net->node())
            for (std::string const& name : node.input()) wanted.insert(name);
        }
      }
    }
    (void)plait::remove_dead_ops(g, {.subnets = true});
    CHECK(g.node_size() == static_cast<int>(live.size()));
  }
  CHECK(models > 900);
  CHECK(with_graphs_inside > 10);
}
