// Models of one node at run time: constraints that are known only then, exact bounds, broadcasting.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
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

tensor_value floats(numbers dims, std::vector<float> elements) { return {std::move(dims), std::move(elements)}; }
tensor_value zeros(numbers dims) {
  auto const count = *plait::element_count(dims);
  return {std::move(dims), std::vector<float>(count)};
}
tensor_value lengths(std::vector<std::int32_t> elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}

/// Runs a node on the values of its non-constant inputs, in their order, and returns the outputs.
std::vector<tensor_value> outputs_of(row const& node, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  std::vector<tensor_value> made;
  for (std::string const& name : net.outputs) made.push_back(plait::to_value(blobs.view(name)));
  return made;
}
/// Returns the message for which a run is refused, empty if it is not.
std::string refusal_of_run(row const& node, std::vector<tensor_value> const& given) {
  try {
    static_cast<void>(outputs_of(node, given));
    return {};
  } catch (plait::exec_error const& e) {
    return e.what();
  }
}

TEST_CASE("ONNX at run time: ranks and extents of inputs of unknown shape are checked") {
  row const tile{"Tile", {any_shape(), ints({2, 1})}, {}, ""};
  CHECK(outputs_of(tile, {floats({1, 2}, {1, 2})})[0] == floats({2, 2}, {1, 2, 1, 2}));
  CHECK(refusal_of_run(tile, {zeros({2, 3, 4})}).find("2x3x4") != std::string::npos);
  CHECK(refusal_of_run(tile, {zeros({2})}) != "");

  row const top{"TopK", {any_shape(), ints({3})}, {}, "", 13, 2};
  CHECK(outputs_of(top, {floats({4}, {1, 4, 2, 3})})[0] == floats({3}, {4, 3, 2}));
  CHECK(outputs_of(top, {floats({3}, {1, 4, 2})})[1] == tensor_value{{3}, std::vector<std::int64_t>{1, 2, 0}});
  CHECK(refusal_of_run(top, {zeros({2})}).find("index 2 at place 2 is not") != std::string::npos);
  row const along{"TopK", {any_shape(), ints({3})}, {flag("axis", 0)}, "", 13, 2};
  CHECK(outputs_of(along, {zeros({3, 2})})[0] == zeros({3, 2}));
  CHECK(refusal_of_run(along, {zeros({2, 3})}) != "");

  row const pool{"MaxPool", {any_shape()}, {list("kernel_shape", {2})}, ""};
  CHECK(outputs_of(pool, {floats({1, 1, 3}, {1, 3, 2})})[0] == floats({1, 1, 2}, {3, 3}));
  CHECK(refusal_of_run(pool, {zeros({1, 1, 3, 3})}) != "");

  row const gemm{"Gemm", {any_shape(), any_shape(), any_shape()}, {}, ""};
  CHECK(outputs_of(gemm, {floats({1, 2}, {1, 2}), floats({2, 1}, {3, 4}), floats({}, {5})})[0] == floats({1, 1}, {16}));
  CHECK(refusal_of_run(gemm, {zeros({1, 2}), zeros({2, 1}), zeros({2, 2})}) != "");
  CHECK(refusal_of_run(gemm, {zeros({1, 2, 1}), zeros({2, 1}), zeros({})}) != "");

  row const slope{"PRelu", {any_shape(), any_shape()}, {}, ""};
  CHECK(outputs_of(slope, {floats({2}, {-1, 1}), floats({1}, {2})})[0] == floats({2}, {-2, 1}));
  CHECK(refusal_of_run(slope, {zeros({2}), zeros({3, 2})}) != "");

  row const norm{"LayerNormalization", {any_shape(), any_shape()}, {}, "", 17};
  CHECK(refusal_of_run(norm, {zeros({1, 2}), zeros({3, 2})}) != "");
}

TEST_CASE("ONNX at run time: sequence lengths below 0 or above the number of steps are refused") {
  struct kind {
    char const* type;
    std::int64_t gates;
  };
  for (kind const each : {kind{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}})
    for (char const* direction : {"forward", "reverse", "bidirectional"}) {
      CAPTURE(each.type);
      CAPTURE(direction);
      std::int64_t const d = direction[0] == 'b' ? 2 : 1;
      row const node{
          each.type,
          {f({3, 2, 1}), f({d, each.gates * 2, 1}), f({d, each.gates * 2, 2}), {}, of(onnx_type::int32, {2})},
          {flag("hidden_size", 2), text("direction", direction)},
          ""};
      std::vector<tensor_value> given{zeros({3, 2, 1}), zeros({d, each.gates * 2, 1}), zeros({d, each.gates * 2, 2})};
      given.push_back(lengths({3, 0}));
      CHECK(refusal_of_run(node, given) == "");
      given.back() = lengths({3, 4});
      CHECK(refusal_of_run(node, given).find("index 4 at place 1") != std::string::npos);
      given.back() = lengths({-1, 3});
      CHECK(refusal_of_run(node, given).find("index -1 at place 0") != std::string::npos);
    }
}

TEST_CASE("ONNX at run time: shapes of weights and states of a recurrence are checked") {
  row const node{"RNN", {any_shape(), any_shape(), any_shape(), {}, {}, any_shape()}, {flag("hidden_size", 2)}, ""};
  std::vector<tensor_value> const fitting{zeros({3, 2, 4}), zeros({1, 2, 4}), zeros({1, 2, 2}), zeros({1, 2, 2})};
  CHECK(refusal_of_run(node, fitting) == "");
  for (auto const& [i, dims] : std::vector<std::pair<std::size_t, numbers>>{
           {0, {3, 2, 4, 1}}, {1, {1, 4, 2}}, {1, {4, 2, 1}}, {2, {2, 2}}, {3, {1, 1, 2}}, {3, {2, 1, 2}}}) {
    CAPTURE(i);
    std::vector<tensor_value> given = fitting;
    given[i] = zeros(dims);
    CHECK(refusal_of_run(node, given) != "");
  }
}

TEST_CASE("ONNX at run time: sequences of a Scan must have the same length") {
  plait::onnx_graph_def body;
  for (char const* name : {"a", "b"}) {
    plait::onnx_value_info info;
    info.name = name;
    info.type = onnx_type::float32;
    info.dims.emplace();
    body.inputs.push_back(info);
  }
  plait::onnx_node add;
  add.type = "Add";
  add.inputs = {"a", "b"};
  add.outputs = {"sum"};
  body.nodes = {add};
  body.outputs.emplace_back().name = "sum";
  attribute graph;
  graph.name = "body";
  graph.graph = body;
  for (std::int64_t const backward : {0, 1}) {
    row const scan{"Scan",
                   {f({-1}), f({-1})},
                   {graph, flag("num_scan_inputs", 2), list("scan_input_directions", {backward, 0})},
                   ""};
    auto const made = outputs_of(scan, {floats({3}, {1, 2, 3}), floats({3}, {10, 20, 30})});
    CHECK(made[0] == floats({3}, backward == 0 ? std::vector<float>{11, 22, 33} : std::vector<float>{13, 22, 31}));
    CHECK(refusal_of_run(scan, {zeros({3}), zeros({2})}).find("of different shapes") != std::string::npos);
    CHECK(refusal_of_run(scan, {zeros({2}), zeros({3})}).find("of different shapes") != std::string::npos);
  }
  row const unequal{"Scan", {f({2}), f({3})}, {graph, flag("num_scan_inputs", 2)}, ""};
  CHECK_THROWS_AS(static_cast<void>(plait::read_onnx(model_of(unequal))), plait::onnx_error);
  row const axes{"Scan", {f({3}), f({3})}, {graph, flag("num_scan_inputs", 2), list("scan_input_axes", {0})}, ""};
  CHECK_THROWS_AS(static_cast<void>(plait::read_onnx(model_of(axes))), plait::onnx_error);
}

// 0.1 is not representable as a float, where it would be 0.100000001…
TEST_CASE("ONNX at run time: bounds, padding and fill values of double and integers are exact") {
  operand const x = of(onnx_type::float64, {3});
  tensor_value const given{{3}, std::vector<double>{-1, 0.05, std::numeric_limits<double>::infinity()}};
  row clip{"Clip", {x, real_one(-0.1), real_one(0.1)}, {}, ""};
  CHECK(outputs_of(clip, {given})[0] == tensor_value{{3}, std::vector<double>{-0.1, 0.05, 0.1}});
  clip.inputs = {x, real_one(0.1)};
  CHECK(outputs_of(clip, {given})[0] ==
        tensor_value{{3}, std::vector<double>{0.1, 0.1, std::numeric_limits<double>::max()}});
  clip.inputs = {of(onnx_type::int64, {2}), one(-9007199254740993), one(9007199254740993)};
  CHECK(outputs_of(clip, {{{2}, std::vector<std::int64_t>{INT64_MIN, INT64_MAX}}})[0] ==
        tensor_value{{2}, std::vector<std::int64_t>{-9007199254740993, 9007199254740993}});
  clip.inputs = {of(onnx_type::uint8, {3}), of(onnx_type::uint8, {}), of(onnx_type::uint8, {})};
  tensor_value const bytes{{3}, std::vector<std::uint8_t>{1, 100, 255}};
  CHECK(outputs_of(clip, {bytes, {{}, std::vector<std::uint8_t>{2}}, {{}, std::vector<std::uint8_t>{200}}})[0] ==
        tensor_value{{3}, std::vector<std::uint8_t>{2, 100, 200}});

  row pad{"Pad", {of(onnx_type::float64, {1, 1, 1, 2}), ints({0, 0, 0, 1, 0, 0, 0, 0}), real_one(0.1)}, {}, ""};
  CHECK(outputs_of(pad, {{{1, 1, 1, 2}, std::vector<double>{-0.0, 7}}})[0] ==
        tensor_value{{1, 1, 1, 3}, std::vector<double>{0.1, -0.0, 7}});
  pad.inputs[2] = of(onnx_type::float64, {});
  CHECK(outputs_of(pad, {{{1, 1, 1, 2}, std::vector<double>{1, 7}}, {{}, std::vector<double>{0.3}}})[0] ==
        tensor_value{{1, 1, 1, 3}, std::vector<double>{0.3, 1, 7}});
  pad.inputs = {of(onnx_type::int32, {1, 1, 1, 2}), ints({0, 0, 0, 1, 0, 0, 0, 0}), of(onnx_type::int32, {})};
  CHECK(outputs_of(pad, {{{1, 1, 1, 2}, std::vector<std::int32_t>{INT32_MIN, 7}},
                         {{}, std::vector<std::int32_t>{INT32_MAX}}})[0] ==
        tensor_value{{1, 1, 1, 3}, std::vector<std::int32_t>{INT32_MAX, INT32_MIN, 7}});

  attribute value;
  value.name = "value";
  value.tensor.emplace();
  value.tensor->type = onnx_type::float64;
  value.tensor->dims = {1};
  value.tensor->doubles = {0.1};
  row const fill{"ConstantOfShape", {ints({2})}, {value}, ""};
  CHECK(outputs_of(fill, {})[0] == tensor_value{{2}, std::vector<double>{0.1, 0.1}});
}

TEST_CASE("ONNX at run time: axes of reductions may be data") {
  tensor_value const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  auto const axes = [](std::vector<std::int64_t> elements) {
    auto const count = static_cast<std::int64_t>(elements.size());
    return tensor_value{{count}, std::move(elements)};
  };
  operand const list_of{onnx_type::int64, numbers{-1}};
  row node{"ReduceSum", {f({2, 3}), list_of}, {}, ""};
  CHECK(outputs_of(node, {x, axes({1})})[0] == floats({2, 1}, {6, 15}));
  CHECK(outputs_of(node, {x, axes({-2})})[0] == floats({1, 3}, {5, 7, 9}));
  CHECK(outputs_of(node, {x, axes({})})[0] == floats({1, 1}, {21}));
  CHECK(refusal_of_run(node, {x, axes({2})}) != "");
  node.attributes = {flag("noop_with_empty_axes", 1), flag("keepdims", 0)};
  CHECK(outputs_of(node, {x, axes({})})[0] == x);
  CHECK(outputs_of(node, {x, axes({1, 0})})[0] == floats({}, {21}));
  node.inputs = {any_shape(), any_shape(onnx_type::int64)};
  CHECK(outputs_of(node, {x, axes({0})})[0] == floats({3}, {5, 7, 9}));
  node.opset = 18;
  node.attributes = {flag("keepdims", 0)};
  for (auto const& [type, wanted] :
       std::vector<std::pair<char const*, std::vector<float>>>{{"ReduceMax", {3, 6}},
                                                               {"ReduceMin", {1, 4}},
                                                               {"ReduceMean", {2, 5}},
                                                               {"ReduceProd", {6, 120}},
                                                               {"ReduceL1", {6, 15}},
                                                               {"ReduceSumSquare", {14, 77}}}) {
    CAPTURE(type);
    node.type = type;
    CHECK(outputs_of(node, {x, axes({1})})[0] == floats({2}, wanted));
  }
  node.type = "ReduceLogSumExp";
  node.attributes = {};
  auto const sums = outputs_of(node, {floats({1, 2}, {0, 0}), axes({1})})[0];
  CHECK(sums.shape == numbers{1, 1});
  CHECK(std::get<std::vector<float>>(sums.data)[0] == doctest::Approx(std::log(2.0)));
}

TEST_CASE("ONNX at run time: the k of TopK may be data") {
  row const top{"TopK", {f({2, 3}), of(onnx_type::int64, {1})}, {}, "", 13, 2};
  auto const k = [](std::int64_t count) { return tensor_value{{1}, std::vector<std::int64_t>{count}}; };
  tensor_value const x = floats({2, 3}, {1, 3, 2, 6, 4, 5});
  CHECK(outputs_of(top, {x, k(2)})[0] == floats({2, 2}, {3, 2, 6, 5}));
  CHECK(outputs_of(top, {x, k(1)})[1] == tensor_value{{2, 1}, std::vector<std::int64_t>{1, 0}});
  CHECK(refusal_of_run(top, {x, k(4)}) != "");
  CHECK(refusal_of_run(top, {x, k(0)}) != "");
}

TEST_CASE("ONNX at run time: a product of vectors is a scalar") {
  row node{"MatMul", {any_shape(), any_shape()}, {}, ""};
  tensor_value const v = floats({2}, {1, 2});
  CHECK(outputs_of(node, {v, floats({2}, {3, 4})})[0] == floats({}, {11}));
  CHECK(outputs_of(node, {v, floats({2, 1}, {3, 4})})[0] == floats({1}, {11}));
  CHECK(outputs_of(node, {floats({1, 2}, {3, 4}), v})[0] == floats({1}, {11}));
  CHECK(outputs_of(node, {floats({1, 2}, {3, 4}), floats({2, 1}, {1, 2})})[0] == floats({1, 1}, {11}));
  node.inputs[0] = f({2});
  CHECK(outputs_of(node, {v, floats({2}, {3, 4})})[0] == floats({}, {11}));
}

TEST_CASE("ONNX at run time: Shape takes axes of an input of unknown rank") {
  auto const extents = [](numbers list) {
    auto const count = static_cast<std::int64_t>(list.size());
    return tensor_value{{count}, std::move(list)};
  };
  auto const shape = [&](std::vector<attribute> bounds) {
    return outputs_of({"Shape", {any_shape()}, std::move(bounds), "", 15}, {zeros({2, 3, 4})})[0];
  };
  CHECK(shape({flag("start", 1)}) == extents({3, 4}));
  CHECK(shape({flag("end", -1)}) == extents({2, 3}));
  CHECK(shape({flag("start", -9), flag("end", 9)}) == extents({2, 3, 4}));
  CHECK(shape({flag("start", 2), flag("end", 1)}) == extents({}));
}

TEST_CASE("ONNX at run time: Unique gives the first place of each element, and how often it occurs") {
  row const node{"Unique", {any_shape(onnx_type::int64)}, {}, "", 13, 4};
  auto const list = [](numbers elements) {
    auto const count = static_cast<std::int64_t>(elements.size());
    return tensor_value{{count}, std::move(elements)};
  };
  auto const made = outputs_of(node, {{{2, 3}, numbers{7, 3, 7, 5, 3, 7}}});
  REQUIRE(made.size() == 4);
  CHECK(made[0] == list({3, 5, 7}));
  CHECK(made[1] == list({1, 3, 0}));
  CHECK(made[2] == list({2, 0, 2, 1, 0, 2}));
  CHECK(made[3] == list({2, 1, 3}));
  CHECK(outputs_of(node, {{{0}, numbers{}}})[3] == list({}));
}

TEST_CASE("ONNX at run time: Unique of integers gives elements and their places") {
  row const node{"Unique", {any_shape(onnx_type::int64)}, {}, "", 13, 1};
  CHECK(outputs_of(node, {{{2, 2}, std::vector<std::int64_t>{7, -1, 7, 3}}})[0] ==
        tensor_value{{3}, std::vector<std::int64_t>{-1, 3, 7}});
}

TEST_CASE("ONNX at run time: Max and Min broadcast, and propagate NaN") {
  float const nan = std::nanf("");
  row node{"Max", {f({2, 1}), f({3}), f({})}, {}, ""};
  for (bool const known : {true, false}) {
    if (!known) node.inputs = {any_shape(), any_shape(), any_shape()};
    CHECK(outputs_of(node, {floats({2, 1}, {1, -5}), floats({3}, {0, 2, -3}), floats({}, {-1})})[0] ==
          floats({2, 3}, {1, 2, 1, 0, 2, -1}));
    auto const made = outputs_of(node, {floats({2, 1}, {nan, -5}), floats({1}, {-INFINITY}), floats({}, {-1})})[0];
    auto const& elements = std::get<std::vector<float>>(made.data);
    REQUIRE(elements.size() == 2);
    CHECK(std::isnan(elements[0]));
    CHECK(elements[1] == -1);
  }
  row const least{"Min", {of(onnx_type::uint8, {2}), of(onnx_type::uint8, {1})}, {}, ""};
  CHECK(outputs_of(least, {{{2}, std::vector<std::uint8_t>{1, 255}}, {{1}, std::vector<std::uint8_t>{200}}})[0] ==
        tensor_value{{2}, std::vector<std::uint8_t>{1, 200}});
}

TEST_CASE("ONNX at run time: uint8 arithmetic wraps modulo 256") {
  std::vector<operand> const both{of(onnx_type::uint8, {2}), of(onnx_type::uint8, {2})};
  std::vector<tensor_value> const given{{{2}, std::vector<std::uint8_t>{200, 7}},
                                        {{2}, std::vector<std::uint8_t>{100, 9}}};
  auto const made = [&](char const* type) { return outputs_of({type, both, {}, "", 14}, given)[0]; };
  CHECK(made("Add") == tensor_value{{2}, std::vector<std::uint8_t>{44, 16}});
  CHECK(made("Sub") == tensor_value{{2}, std::vector<std::uint8_t>{100, 254}});
  CHECK(made("Mul") == tensor_value{{2}, std::vector<std::uint8_t>{32, 63}});
  CHECK(made("Div") == tensor_value{{2}, std::vector<std::uint8_t>{2, 0}});
  row const any{"ReduceMax", {of(onnx_type::boolean, {2, 2}), ints({1})}, {flag("keepdims", 0)}, "", 20};
  CHECK(outputs_of(any, {{{2, 2}, std::vector<bool>{false, false, true, false}}})[0] ==
        tensor_value{{2}, std::vector<bool>{false, true}});
}

}  // namespace
