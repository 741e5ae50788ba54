// Constant folding of ONNX nodes: what follows from constants is a constant, and what follows from the declared shape
// of an input holds for an input that is larger, or is refused at run time.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;
using plait::tensor_value;

tensor_value wide(numbers dims, numbers elements) { return {std::move(dims), std::move(elements)}; }
tensor_value wide(numbers elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}
tensor_value floats(numbers dims, std::vector<float> elements) { return {std::move(dims), std::move(elements)}; }
tensor_value flags(numbers dims, std::vector<bool> elements) { return {std::move(dims), std::move(elements)}; }

plait::onnx_node node(std::string type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                      std::vector<attribute> attributes = {}) {
  plait::onnx_node made;
  made.type = std::move(type);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  for (attribute const& a : attributes) {
    plait::onnx_attribute& to = made.attributes.emplace_back();
    to.name = a.name;
    to.i = a.i;
    to.ints = a.list;
    if (a.graph) to.g = plait::onnx_graph_def(*a.graph);
  }
  return made;
}
plait::onnx_value_info info(std::string name, onnx_type type = onnx_type::undefined,
                            std::optional<numbers> dims = std::nullopt) {
  plait::onnx_value_info made;
  made.name = std::move(name);
  made.kind = plait::onnx_value_info::kinds::tensor;
  made.type = type;
  made.dims = std::move(dims);
  return made;
}
plait::onnx_tensor initializer(std::string name, numbers elements) {
  plait::onnx_tensor made;
  made.name = std::move(name);
  made.type = onnx_type::int64;
  made.dims = {static_cast<std::int64_t>(elements.size())};
  made.int64s = std::move(elements);
  return made;
}
plait::onnx_model model(std::vector<plait::onnx_node> nodes, std::vector<plait::onnx_value_info> inputs,
                        std::string output) {
  plait::onnx_model made;
  made.ir_version = 8;
  made.opsets = {{"", 18}};
  made.graph.nodes = std::move(nodes);
  made.graph.inputs = std::move(inputs);
  made.graph.outputs = {info(std::move(output))};
  return made;
}

tensor_value run(plait::onnx_model const& m, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(m);
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  return plait::to_value(blobs.view(net.outputs.at(0)));
}

/// Returns the output of a node of constants, and checks that it has been folded: the net only copies it.
tensor_value folded(row each) {
  plait::onnx_net const net = plait::read_onnx(model_of(each));
  CAPTURE(each.type);
  CHECK(net.net.op.size() == each.outputs);
  CHECK(net.net.text(net.net.op[0].type) == "Copy");
  return run(model_of(each), {});
}

TEST_CASE("ONNX constant folding: nodes of constants are constants") {
  auto const matrix = [](numbers dims, numbers elements) {
    operand made = ints(std::move(elements));
    made.dims = std::move(dims);
    return made;
  };
  operand const m = matrix({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(folded({"Shape", {m}, {}, ""}) == wide({2, 3}));
  CHECK(folded({"Shape", {m}, {flag("start", -1)}, "", 15}) == wide({3}));
  CHECK(folded({"Size", {m}, {}, ""}) == wide({}, {6}));
  CHECK(folded({"Gather", {m, one(-1)}, {flag("axis", 1)}, ""}) == wide({3, 6}));
  CHECK(folded({"Gather", {m, ints({1, 0})}, {}, ""}) == wide({2, 3}, {4, 5, 6, 1, 2, 3}));
  CHECK(folded({"Slice", {m, ints({-1}), ints({INT64_MIN}), ints({1}), ints({-2})}, {}, ""}) ==
        wide({2, 2}, {3, 1, 6, 4}));
  CHECK(folded({"Slice", {m, ints({1, 1}), ints({9, INT64_MAX})}, {}, ""}) == wide({1, 2}, {5, 6}));
  CHECK(folded({"Slice", {m, ints({5}), ints({1}), ints({1}), ints({-1})}, {}, ""}) == wide({2, 1}, {3, 6}));
  CHECK(folded({"Slice", {m, ints({-9}), ints({-9}), ints({1}), ints({-1})}, {}, ""}) == wide({2, 1}, {1, 4}));
  CHECK(folded({"Concat", {m, matrix({2, 1}, {7, 8})}, {flag("axis", -1)}, ""}) ==
        wide({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
  CHECK(folded({"Unsqueeze", {ints({1, 2}), ints({-1, 0})}, {}, ""}) == wide({1, 2, 1}, {1, 2}));
  CHECK(folded({"Squeeze", {matrix({1, 2, 1}, {1, 2}), ints({-1})}, {}, ""}) == wide({1, 2}, {1, 2}));
  CHECK(folded({"Squeeze", {matrix({1, 2, 1}, {1, 2})}, {}, ""}) == wide({1, 2}));
  CHECK(folded({"Reshape", {m, ints({0, -1, 1})}, {}, ""}) == wide({2, 3, 1}, {1, 2, 3, 4, 5, 6}));
  CHECK(folded({"Transpose", {m}, {}, ""}) == wide({3, 2}, {1, 4, 2, 5, 3, 6}));
  CHECK(folded({"Expand", {ints({1, 2}), ints({2, 1})}, {}, ""}) == wide({2, 2}, {1, 2, 1, 2}));
  CHECK(folded({"Range", {one(5), one(0), one(-2)}, {}, ""}) == wide({5, 3, 1}));
  CHECK(folded({"ConstantOfShape", {ints({0, 2})}, {}, ""}) == floats({0, 2}, {}));
  CHECK(folded({"Add", {ints({INT64_MAX}), ints({1})}, {}, ""}) == wide({INT64_MIN}));
  CHECK(folded({"Mul", {m, one(3)}, {}, ""}) == wide({2, 3}, {3, 6, 9, 12, 15, 18}));
  CHECK(folded({"Div", {ints({-7, 7}), one(2)}, {}, ""}) == wide({-3, 3}));
  if (plait::onnx_rules::standard().find("", "Mod") != nullptr) {
    CHECK(folded({"Mod", {ints({-7, 7, 6}), one(-3)}, {}, ""}) == wide({-1, -2, 0}));
    CHECK(folded({"Mod", {ints({-7, 7}), one(3)}, {flag("fmod", 1)}, ""}) == wide({-1, 1}));
  }
  CHECK(folded({"Max", {ints({1, 5}), one(3), one(4)}, {}, ""}) == wide({4, 5}));
  CHECK(folded({"Less", {ints({1, 5}), one(3)}, {}, ""}) == flags({2}, {true, false}));
  CHECK(folded({"Cast", {ints({0, 3})}, {flag("to", 9)}, ""}) == flags({2}, {false, true}));
  CHECK(folded({"Cast", {ints({16777217})}, {flag("to", 1)}, ""}) == floats({1}, {16777216}));
  CHECK(folded({"ReduceSum", {m, ints({0})}, {flag("keepdims", 0)}, ""}) == wide({5, 7, 9}));
  CHECK(folded({"ReduceMax", {m}, {list("axes", {1})}, ""}) == wide({2, 1}, {3, 6}));
  CHECK(folded({"ReduceMin", {m}, {flag("keepdims", 0)}, ""}) == wide({}, {1}));
  CHECK(folded({"Split", {m}, {flag("axis", 0)}, "", 13, 2}) == wide({1, 3}, {1, 2, 3}));
}

TEST_CASE("ONNX constant folding: functions of reals, of which models compute filters") {
  auto const reals = [](std::vector<double> elements) {
    auto const count = static_cast<std::int64_t>(elements.size());
    return operand{onnx_type::float64, numbers{count}, numbers(elements.size()), std::move(elements)};
  };
  auto const doubles = [](std::vector<double> elements) {
    auto const count = static_cast<std::int64_t>(elements.size());
    return tensor_value{{count}, std::move(elements)};
  };
  CHECK(folded({"Sin", {reals({0})}, {}, ""}) == doubles({0}));
  CHECK(folded({"Cos", {reals({0})}, {}, ""}) == doubles({1}));
  CHECK(folded({"Clip", {reals({-2, 0.5, 3}), real_one(-1), real_one(1)}, {}, ""}) == doubles({-1, 0.5, 1}));
  CHECK(folded({"Clip", {reals({-2, 3}), {}, real_one(1)}, {}, ""}) == doubles({-2, 1}));
  CHECK(folded({"Pow", {reals({-3, 2}), one(2)}, {}, ""}) == doubles({9, 4}));
  CHECK(folded({"Pow", {reals({-3, 2}), real_one(3)}, {}, ""}) == doubles({-27, 8}));
  double const infinity = std::numeric_limits<double>::infinity();
  CHECK(folded({"Div", {reals({1, -1, 3}), reals({0, 0, -0.0})}, {}, ""}) == doubles({infinity, -infinity, -infinity}));
  // A quotient of zeros is NaN, which Where may drop.
  auto const none = folded({"Div", {reals({0}), real_one(0)}, {}, ""});
  CHECK(std::isnan(std::get<std::vector<double>>(none.data).at(0)));
}

TEST_CASE("ONNX constant folding: a shape of an input that is larger than declared is that of the run") {
  auto const x = info("x", onnx_type::float32, numbers{2, 3});
  auto m = model({node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}),
                  node("Concat", {"n", "rest"}, {"to"}, {flag("axis", 0)}), node("Reshape", {"x", "to"}, {"y"})},
                 {x}, "y");
  m.graph.initializers = {initializer("zero", {0}), initializer("rest", {-1, 1})};
  CHECK(run(m, {floats({2, 3}, std::vector<float>(6))}).shape == numbers{2, 3, 1});
  CHECK(run(m, {floats({4, 3}, std::vector<float>(12))}).shape == numbers{4, 3, 1});
  // The rank of the result is known.
  m.graph.nodes.push_back(node("ReduceSum", {"y", "last"}, {"z"}, {flag("keepdims", 0)}));
  m.graph.initializers.push_back(initializer("last", {-1}));
  m.graph.outputs = {info("z")};
  CHECK(run(m, {floats({4, 3}, std::vector<float>(12))}).shape == numbers{4, 3});
  // The number of axes of an input is a constant.
  m.graph.nodes = {node("Shape", {"x"}, {"s"}), node("Size", {"s"}, {"rank"})};
  m.graph.outputs = {info("rank")};
  CHECK(plait::read_onnx(m).net.op.size() == 2);
  CHECK(run(m, {floats({4, 3}, std::vector<float>(12))}) == wide({}, {2}));
}

TEST_CASE("ONNX constant folding: an argument that follows from a declared extent is checked at run time") {
  // Sums along the axis n - 1, where n is the first extent of x.
  auto m = model({node("Shape", {"x"}, {"s"}, {flag("end", 1)}), node("Sub", {"s", "one"}, {"axis"}),
                  node("ReduceSum", {"x", "axis"}, {"y"})},
                 {info("x", onnx_type::float32, numbers{2, 3})}, "y");
  m.graph.initializers = {initializer("one", {1})};
  CHECK(run(m, {floats({2, 3}, {1, 2, 3, 4, 5, 6})}) == floats({2, 1}, {6, 15}));
  CHECK_THROWS_AS(static_cast<void>(run(m, {floats({1, 3}, {1, 2, 3})})), plait::exec_error);
}

TEST_CASE("ONNX constant folding: of an If with a known condition the other branch is not checked") {
  plait::onnx_graph_def good;
  good.nodes = {node("Relu", {"x"}, {"t"})};
  good.outputs = {info("t")};
  plait::onnx_graph_def bad;
  bad.nodes = {node("NoSuchOp", {"x"}, {"t"})};
  bad.outputs = {info("t")};
  attribute yes{"then_branch"};
  yes.graph = good;
  attribute no{"else_branch"};
  no.graph = bad;
  auto m =
      model({node("Size", {"s"}, {"n"}), node("Equal", {"n", "three"}, {"c"}), node("If", {"c"}, {"y"}, {yes, no})},
            {info("x", onnx_type::float32, numbers{2})}, "y");
  m.graph.initializers = {initializer("s", {1, 1, 1}), initializer("three", {3})};
  m.graph.initializers[1].dims = {};
  CHECK(run(m, {floats({2}, {-1, 1})}) == floats({2}, {0, 1}));
  m.graph.initializers[0] = initializer("s", {1, 1});
  CHECK_THROWS_AS(static_cast<void>(plait::read_onnx(m)), plait::onnx_error);
}

TEST_CASE("ONNX at run time: Reshape with allowzero takes zeros as extents") {
  row const known{"Reshape", {any_shape(), ints({0, 2})}, {flag("allowzero", 1)}, "", 14};
  CHECK(run(model_of(known), {floats({3, 0}, {})}) == floats({0, 2}, {}));
  CHECK_THROWS_AS(static_cast<void>(run(model_of(known), {floats({4}, {1, 2, 3, 4})})), plait::exec_error);
  row const both{"Reshape", {any_shape(), ints({0, -1})}, {flag("allowzero", 1)}, "", 14};
  CHECK_THROWS_AS(static_cast<void>(plait::read_onnx(model_of(both))), plait::onnx_error);
  row const full{"Reshape", {f({2, 2}), ints({0, 2})}, {flag("allowzero", 1)}, "", 14};
  CHECK_THROWS_AS(static_cast<void>(plait::read_onnx(model_of(full))), plait::onnx_error);

  row const open{"Reshape", {any_shape(), of(onnx_type::int64, {2})}, {flag("allowzero", 1)}, "", 14};
  CHECK(run(model_of(open), {floats({3, 0}, {}), wide({2, 0})}) == floats({2, 0}, {}));
  CHECK(run(model_of(open), {floats({4}, {1, 2, 3, 4}), wide({2, -1})}) == floats({2, 2}, {1, 2, 3, 4}));
  CHECK_THROWS_AS(static_cast<void>(run(model_of(open), {floats({4}, {1, 2, 3, 4}), wide({0, 4})})), plait::exec_error);
}

}  // namespace
