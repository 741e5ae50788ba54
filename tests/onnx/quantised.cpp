// Models of one quantised node, whose sums are exact however long they are.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;
using plait::tensor_value;

/// Runs a node on the values of its non-constant inputs, in their order, and returns the first output.
tensor_value output_of(row const& node, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
  return plait::to_value(blobs.view(net.outputs[0]));
}
/// Returns the reasons for which a node is refused when read.
std::string refusal(row const& node) {
  try {
    static_cast<void>(plait::read_onnx(model_of(node)));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.what();
  }
}
bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

operand constant(onnx_type type, numbers dims, numbers elements) {
  return {type, std::move(dims), std::move(elements)};
}
tensor_value bytes(numbers dims, std::uint8_t value) {
  auto const count = *plait::element_count(dims);
  return {std::move(dims), std::vector<std::uint8_t>(count, value)};
}

TEST_CASE("ONNX MatMulInteger: sums beyond 2^24 are exact, with constant weights or not") {
  std::int64_t const depth = 3001;
  std::int32_t const wanted = 255 * 255 * 3001;  // odd, above 2^24
  operand const x = of(onnx_type::uint8, {1, depth});
  row const any{"MatMulInteger", {x, of(onnx_type::uint8, {depth, 1})}, {}, ""};
  CHECK(output_of(any, {bytes({1, depth}, 255), bytes({depth, 1}, 255)}) ==
        tensor_value{{1, 1}, std::vector<std::int32_t>{wanted}});
  row const known{"MatMulInteger",
                  {x, constant(onnx_type::uint8, {depth, 1}, numbers(static_cast<std::size_t>(depth), 255)), {}, {}},
                  {},
                  ""};
  CHECK(output_of(known, {bytes({1, depth}, 255)}) == tensor_value{{1, 1}, std::vector<std::int32_t>{wanted}});
  // Small weights are computed as float.
  row const small{"MatMulInteger",
                  {x, constant(onnx_type::int8, {depth, 1}, numbers(static_cast<std::size_t>(depth), -1))},
                  {},
                  ""};
  CHECK(output_of(small, {bytes({1, depth}, 255)}) ==
        tensor_value{{1, 1}, std::vector<std::int32_t>{-255 * static_cast<std::int32_t>(depth)}});
}

TEST_CASE("ONNX MatMulInteger: zero points, one or one for each column") {
  row const node{"MatMulInteger",
                 {of(onnx_type::uint8, {1, 2}), constant(onnx_type::int8, {2, 2}, {1, 2, 3, 4}),
                  constant(onnx_type::uint8, {}, {10}), constant(onnx_type::int8, {2}, {1, -128})},
                 {},
                 ""};
  // (0 - 10, 255 - 10) times ((0, 130), (2, 132))
  CHECK(output_of(node, {{{1, 2}, std::vector<std::uint8_t>{0, 255}}}) ==
        tensor_value{{1, 2}, std::vector<std::int32_t>{490, -1300 + 245 * 132}});
  row fewer = node;
  fewer.inputs[3] = constant(onnx_type::int8, {3}, {1, 2, 3});
  CHECK(has(refusal(fewer), "a zero point for each place of the axis"));
  fewer.inputs[3] = constant(onnx_type::uint8, {}, {1});
  CHECK(has(refusal(fewer), "must be of one type"));
  fewer.inputs[3] = {};
  fewer.inputs[1] = of(onnx_type::int8, {3, 2});
  CHECK(has(refusal(fewer), "inner extents 2 and 3"));
}

TEST_CASE("ONNX ConvInteger: padding is the zero point") {
  row const node{"ConvInteger",
                 {of(onnx_type::uint8, {1, 1, 3}), constant(onnx_type::uint8, {1, 1, 3}, {1, 2, 3}),
                  constant(onnx_type::uint8, {}, {7}), constant(onnx_type::uint8, {}, {1})},
                 {list("pads", {1, 1})},
                 ""};
  CHECK(output_of(node, {{{1, 1, 3}, std::vector<std::uint8_t>{7, 8, 9}}}) ==
        tensor_value{{1, 1, 3}, std::vector<std::int32_t>{2, 1 + 4, 2}});
}

TEST_CASE("ONNX DynamicQuantizeLinear: the range is extended to zero, and may be empty") {
  row const node{"DynamicQuantizeLinear", {f({3})}, {}, "", 13, 3};
  CHECK(output_of(node, {{{3}, std::vector<float>{0, 51, 255}}}) ==
        tensor_value{{3}, std::vector<std::uint8_t>{0, 51, 255}});
  CHECK(output_of(node, {{{3}, std::vector<float>{-255, -1, -2}}}) ==
        tensor_value{{3}, std::vector<std::uint8_t>{0, 254, 253}});
  CHECK(output_of(node, {{{3}, std::vector<float>{0, 0, 0}}}) == bytes({3}, 0));
}

TEST_CASE("ONNX DequantizeLinear: constants are dequantised when the model is read") {
  row const node{"DequantizeLinear",
                 {constant(onnx_type::int8, {2, 2}, {1, 2, 3, 4}), f({2}), constant(onnx_type::int8, {2}, {1, 2})},
                 {flag("axis", 0)},
                 ""};
  plait::onnx_model model = model_of(node);
  plait::onnx_tensor scale;
  scale.name = model.graph.inputs[0].name;
  scale.type = onnx_type::float32;
  scale.dims = {2};
  scale.floats = {0.5f, 2};
  model.graph.initializers.push_back(scale);
  model.graph.inputs.clear();
  plait::onnx_net const net = plait::read_onnx(model);
  REQUIRE(net.parameters.size() == 1);
  CHECK(net.parameters[0].value == tensor_value{{2, 2}, std::vector<float>{0, 0.5f, 2, 4}});
}

TEST_CASE("ONNX DynamicQuantizeLSTM: close to the LSTM of the dequantised weights") {
  // One direction, a width of 2, one hidden unit; weights are (q - 1) / 64.
  numbers const w{64, -127, 33, 90, -64, 12, 100, -7};  // by input, then gate
  numbers const r{50, -30, 20, 127};
  auto const constant_floats = [](std::string name, numbers dims, std::vector<float> elements) {
    plait::onnx_tensor made;
    made.name = std::move(name);
    made.type = onnx_type::float32;
    made.dims = std::move(dims);
    made.floats = std::move(elements);
    return made;
  };
  row quantised{"DynamicQuantizeLSTM",
                {f({3, 1, 2}),
                 constant(onnx_type::int8, {1, 2, 4}, w),
                 constant(onnx_type::int8, {1, 1, 4}, r),
                 {},
                 {},
                 {},
                 {},
                 {},
                 f({1}),
                 constant(onnx_type::int8, {1}, {1}),
                 f({1}),
                 constant(onnx_type::int8, {1}, {1})},
                {flag("hidden_size", 1)},
                ""};
  plait::onnx_model model = model_of(quantised);
  model.graph.nodes[0].domain = "com.microsoft";
  model.opsets.push_back({"com.microsoft", 1});
  model.graph.inputs.resize(1);
  for (char const* name : {"i8", "i10"}) model.graph.initializers.push_back(constant_floats(name, {1}, {1.0f / 64}));

  plait::onnx_model exact =
      model_of({"LSTM", {f({3, 1, 2}), f({1, 4, 2}), f({1, 4, 1})}, {flag("hidden_size", 1)}, ""});
  exact.graph.inputs.resize(1);
  std::vector<float> turned;
  for (std::size_t gate = 0; gate != 4; ++gate)
    for (std::size_t x : {0u, 1u}) turned.push_back(static_cast<float>(w[x * 4 + gate] - 1) / 64);
  std::vector<float> recurrent;
  for (std::int64_t const each : r) recurrent.push_back(static_cast<float>(each - 1) / 64);
  exact.graph.initializers = {constant_floats("i1", {1, 4, 2}, turned), constant_floats("i2", {1, 4, 1}, recurrent)};

  onnx_runs::values const x{{"i0", {{3, 1, 2}, std::vector<float>{1, -0.5f, 0.25f, 0.75f, -1, 0.1f}}}};
  auto const elements = [&](plait::onnx_model const& of_model) {
    plait::onnx_net const net = plait::read_onnx(of_model);
    plait::workspace<plait::serial> blobs;
    plait::feed(blobs, net.parameters);
    blobs.feed("i0", plait::to_tensor<plait::serial>(x.at("i0")));
    plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
    return blobs.fetch<float>(net.outputs[0]);
  };
  std::vector<float> const made = elements(model);
  std::vector<float> const wanted = elements(exact);
  REQUIRE(made.size() == 3);
  for (std::size_t i = 0; i != made.size(); ++i) CHECK(std::abs(made[i] - wanted[i]) < 0.02f);
  CHECK(made != wanted);

  quantised.inputs[1] = of(onnx_type::int8, {1, 2, 4});
  plait::onnx_model unknown = model_of(quantised);
  unknown.graph.nodes[0].domain = "com.microsoft";
  CHECK_THROWS_WITH_AS((void)plait::read_onnx(unknown), doctest::Contains("must be known before the model is run"),
                       plait::onnx_error);
}

TEST_CASE("ONNX QuantizeLinear, DequantizeLinear: what is not computed is refused") {
  CHECK(has(refusal({"QuantizeLinear", {f({2, 3}), f({2})}, {}, ""}), "a scale for each place of the axis"));
  CHECK(has(refusal({"QuantizeLinear", {f({2, 3}), f({3})}, {}, "", 10}), "should be one number"));
  CHECK(has(refusal({"QuantizeLinear", {f({2}), f({}), of(onnx_type::int32, {})}, {}, ""}), "int32"));
  CHECK(has(refusal({"QuantizeLinear", {f({2, 3}), f({2, 3})}, {flag("block_size", 2)}, "", 21}),
            "a scale for each block"));
  CHECK(has(refusal({"DequantizeLinear", {of(onnx_type::int64, {2}), f({})}, {}, ""}), "int64"));
}

TEST_CASE("ONNX: arithmetic of integers that are computed as wider ones wraps") {
  auto const made = [](char const* type, onnx_type of_type, auto... values) {
    using T = std::common_type_t<decltype(values)...>;
    row const node{type, {of(of_type, {1}), of(of_type, {1})}, {}, "", 14};
    std::vector<tensor_value> given;
    (given.push_back({{1}, std::vector<T>{values}}), ...);
    return std::get<std::vector<T>>(output_of(node, given).data)[0];
  };
  CHECK(made("Add", onnx_type::int8, std::int8_t{127}, std::int8_t{1}) == -128);
  CHECK(made("Mul", onnx_type::uint16, std::uint16_t{65535}, std::uint16_t{65535}) == 1);
  CHECK(made("Sub", onnx_type::uint16, std::uint16_t{0}, std::uint16_t{1}) == 65535);
  CHECK(made("Add", onnx_type::uint32, 4294967295u, 2u) == 1);
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  CHECK(made("Mul", onnx_type::uint64, high + 1, std::uint64_t{3}) == high + 3);
  CHECK(made("Max", onnx_type::uint64, high, std::uint64_t{3}) == high);
  CHECK(made("Min", onnx_type::uint64, high, std::uint64_t{3}) == 3);
  CHECK(made("Div", onnx_type::int16, std::int16_t{-32768}, std::int16_t{-1}) == -32768);
  row const less{"Less", {of(onnx_type::int8, {2}), of(onnx_type::int8, {2})}, {}, ""};
  CHECK(output_of(less, {{{2}, std::vector<std::int8_t>{-1, 1}}, {{2}, std::vector<std::int8_t>{1, -1}}}) ==
        tensor_value{{2}, std::vector<bool>{true, false}});
  row const more{"Greater", {of(onnx_type::uint64, {2}), of(onnx_type::uint64, {2})}, {}, ""};
  CHECK(output_of(more, {{{2}, std::vector<std::uint64_t>{high, 1}}, {{2}, std::vector<std::uint64_t>{1, high}}}) ==
        tensor_value{{2}, std::vector<bool>{true, false}});
  CHECK(has(refusal({"Div", {of(onnx_type::uint64, {1}), of(onnx_type::uint64, {1})}, {}, "", 14}), "uint64"));
  row const none{"ReduceMax", {of(onnx_type::int8, {1, 0})}, {list("axes", {1})}, ""};
  CHECK(output_of(none, {{{1, 0}, std::vector<std::int8_t>{}}}) ==
        tensor_value{{1, 1}, std::vector<std::int8_t>{-128}});
  row const cast{"Cast", {of(onnx_type::int8, {2})}, {flag("to", 4)}, ""};  // to uint16
  CHECK(output_of(cast, {{{2}, std::vector<std::int8_t>{-1, 5}}}) ==
        tensor_value{{2}, std::vector<std::uint16_t>{65535, 5}});
  row const relu{"Relu", {of(onnx_type::int8, {2})}, {}, "", 14};
  CHECK(output_of(relu, {{{2}, std::vector<std::int8_t>{-1, 5}}}) == tensor_value{{2}, std::vector<std::int8_t>{0, 5}});
}

}  // namespace
