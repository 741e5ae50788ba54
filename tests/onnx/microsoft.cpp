// Fused and quantised operators of com.microsoft, against compositions of ONNX's own and against small sums.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
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

tensor_value floats(numbers dims, std::vector<float> elements) { return {std::move(dims), std::move(elements)}; }
tensor_value bytes(numbers dims, std::vector<std::uint8_t> elements) { return {std::move(dims), std::move(elements)}; }

/// Returns the model of a node of com.microsoft.
plait::onnx_model fused(row const& node) {
  plait::onnx_model made = model_of(node);
  made.graph.nodes[0].domain = "com.microsoft";
  made.opsets.push_back({"com.microsoft", 1});
  return made;
}
std::vector<tensor_value> outputs_of(plait::onnx_model const& model, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(model);
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
  std::vector<tensor_value> made;
  for (std::string const& name : net.outputs) made.push_back(plait::to_value(blobs.view(name)));
  return made;
}
/// Returns how an output of a node differs from the one wanted, empty if it does not.
std::string off(row const& node, std::vector<tensor_value> const& given, tensor_value const& wanted) {
  return onnx_runs::difference(outputs_of(fused(node), given).at(0), wanted, 1e-6, 1e-6);
}
std::string refusal(plait::onnx_model const& model) {
  try {
    static_cast<void>(plait::read_onnx(model));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.problems.at(0).reason;
  }
}

operand byte(numbers dims) { return of(onnx_type::uint8, std::move(dims)); }

TEST_CASE("ONNX com.microsoft: products and convolutions with an epilogue") {
  tensor_value const image = floats({1, 1, 3}, {1, -2, 3});
  tensor_value const filter = floats({1, 1, 1}, {2});
  CHECK(off({"FusedConv", {f({1, 1, 3}), f({1, 1, 1})}, {text("activation", "Relu")}, ""}, {image, filter},
            floats({1, 1, 3}, {2, 0, 6})) == "");
  // Z is added before the activation.
  CHECK(off({"FusedConv", {f({1, 1, 3}), f({1, 1, 1}), f({1}), f({1, 1, 3})}, {text("activation", "Relu")}, ""},
            {image, filter, floats({1}, {1}), floats({1, 1, 3}, {-4, 5, 0})}, floats({1, 1, 3}, {0, 2, 7})) == "");
  CHECK(off({"FusedGemm",
             {f({1, 2}), f({1, 2})},
             {flag("transB", 1), text("activation", "LeakyRelu"), real("activation_alpha", 0.5f)},
             ""},
            {floats({1, 2}, {1, 2}), floats({1, 2}, {2, -3})}, floats({1, 1}, {-2})) == "");
  CHECK(refusal(fused({"FusedConv", {f({1, 1, 3}), f({1, 1, 1})}, {text("activation", "Swirl")}, ""})) ==
        "the activation 'Swirl'");
}

TEST_CASE("ONNX FusedMatMul: the matrices and the first axis are moved, the product is scaled") {
  row node{"FusedMatMul", {f({2, 3, 1}), f({3, 2, 2})}, {flag("transBatchA", 1), real("alpha", 0.5f)}, ""};
  tensor_value const a = floats({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  tensor_value const b = floats({3, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  // A is 3 matrices of 2 x 1, which do not fit B.
  CHECK(refusal(fused(node)).find("inner extents") != std::string::npos);
  node.attributes.push_back(flag("transA", 1));
  CHECK(off(node, {a, b}, floats({3, 1, 2}, {0.5f, 2, 1, 2.5f, 1.5f, 3})) == "");
}

TEST_CASE("ONNX com.microsoft: activations and normalisations of sums") {
  CHECK(off({"QuickGelu", {f({2})}, {real("alpha", 1)}, ""}, {floats({2}, {0, 2})},
            floats({2}, {0, 2 / (1 + std::exp(-2.0f))})) == "");
  float const gelu = 0.5f * (1 + std::erf(std::sqrt(0.5f)));
  CHECK(off({"BiasGelu", {f({1, 2}), f({2})}, {}, ""}, {floats({1, 2}, {3, 1}), floats({2}, {-2, -1})},
            floats({1, 2}, {gelu, 0})) == "");
  row node{"SkipLayerNormalization", {f({1, 1, 2}), f({1, 1, 2}), f({2}), f({2})}, {}, "", 13, 4};
  plait::onnx_model model = fused(node);
  for (std::size_t const o : {1U, 2U}) model.graph.nodes[0].outputs[o].clear();
  model.graph.outputs.erase(model.graph.outputs.begin() + 1, model.graph.outputs.begin() + 3);
  auto const made = outputs_of(
      model, {floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {0, 1}), floats({2}, {2, 2}), floats({2}, {1, 1})});
  CHECK(onnx_runs::difference(made[0], floats({1, 1, 2}, {-1, 3}), 1e-5) == "");
  CHECK(made[1] == floats({1, 1, 2}, {1, 3}));
  CHECK(refusal(fused(node)) == "output 1");
  // ONNX Runtime writes these two in ONNX's domain, in models of any version.
  CHECK(refusal(model_of({"LayerNormalization", {f({2, 2}), f({2})}, {}, "", 11})) == "");
  CHECK(refusal(model_of({"SimplifiedLayerNormalization", {f({2, 2}), f({2})}, {}, "", 13})) == "");
}

TEST_CASE("ONNX com.microsoft: quantised element-wise operators") {
  row node{"QLinearAdd", {byte({2}), f({}), byte({}), byte({2}), f({}), byte({}), f({}), byte({})}, {}, ""};
  // (x - 10) * 0.5 + (y - 20) * 0.25, in units of 2 above 100
  CHECK(off(node,
            {bytes({2}, {14, 0}), floats({}, {0.5f}), bytes({}, {10}), bytes({2}, {24, 0}), floats({}, {0.25f}),
             bytes({}, {20}), floats({}, {0.5f}), bytes({}, {100})},
            bytes({2}, {106, 80})) == "");
  node.inputs.back() = {};
  CHECK(off(node,
            {bytes({2}, {14, 0}), floats({}, {0.5f}), bytes({}, {10}), bytes({2}, {24, 0}), floats({}, {0.25f}),
             bytes({}, {20}), floats({}, {0.5f})},
            bytes({2}, {6, 0})) == "");
  CHECK(off({"QLinearConcat", {f({}), byte({}), byte({1}), f({}), byte({}), byte({1}), f({}), byte({})}, {}, ""},
            {floats({}, {1}), bytes({}, {0}), bytes({1}, {7}), floats({}, {2}), bytes({}, {1}), bytes({1}, {7}),
             floats({}, {4}), bytes({}, {2})},
            bytes({2}, {12, 20})) == "");
  CHECK(off({"QLinearSigmoid", {byte({1}), f({}), byte({}), f({}), byte({})}, {}, ""},
            {bytes({1}, {5}), floats({}, {1}), bytes({}, {5}), floats({}, {1.0f / 256}), bytes({}, {1})},
            bytes({1}, {129})) == "");
  CHECK(refusal(fused({"QLinearGlobalAveragePool",
                       {byte({1, 2, 2, 2}), f({}), byte({}), f({}), byte({})},
                       {flag("channels_last", 1)},
                       ""})) == "channels_last");
}

TEST_CASE("ONNX com.microsoft: products of quantised matrices") {
  // ((3 - 1) * 2 + (5 - 1) * 3 + 4) * 0.5 * 0.25 * 2, as float
  row gemm{"QGemm",
           {byte({1, 2}), f({}), byte({}), byte({1, 2}), f({}), byte({}), of(onnx_type::int32, {1})},
           {flag("transB", 1), real("alpha", 2)},
           ""};
  std::vector<tensor_value> given{bytes({1, 2}, {3, 5}),
                                  floats({}, {0.5f}),
                                  bytes({}, {1}),
                                  bytes({1, 2}, {2, 3}),
                                  floats({}, {0.25f}),
                                  bytes({}, {0}),
                                  {{1}, std::vector<std::int32_t>{4}}};
  CHECK(off(gemm, given, floats({1, 1}, {5})) == "");
  gemm.inputs.push_back(f({}));
  gemm.inputs.push_back(byte({}));
  given.push_back(floats({}, {0.5f}));
  given.push_back(bytes({}, {100}));
  CHECK(off(gemm, given, bytes({1, 1}, {110})) == "");
  CHECK(off({"MatMulIntegerToFloat", {byte({1, 2}), byte({2, 1}), f({}), f({}), {}, {}, f({1})}, {}, ""},
            {bytes({1, 2}, {3, 5}), bytes({2, 1}, {2, 3}), floats({}, {0.5f}), floats({}, {0.25f}), floats({1}, {1})},
            floats({1, 1}, {1 + 21 * 0.125f})) == "");
  CHECK(off({"DynamicQuantizeMatMul", {f({1, 2}), byte({2, 1}), f({})}, {}, ""},
            {floats({1, 2}, {255, 1}), bytes({2, 1}, {2, 3}), floats({}, {0.5f})}, floats({1, 1}, {256.5f})) == "");
}

TEST_CASE("ONNX MatMulNBits: blocks of a row have one scale and one zero point") {
  numbers packed(16, 0x88);  // 8 is 0
  packed[0] = 0x9f;          // places 0 and 1: 15 and 9
  packed[8] = 0x08;          // places 16 and 17: 8 and 0
  row const node{"MatMulNBits",
                 {f({1, 32}), {onnx_type::uint8, numbers{1, 2, 8}, packed}, f({2})},
                 {flag("K", 32), flag("N", 1), flag("bits", 4), flag("block_size", 16)},
                 ""};
  plait::onnx_model model = fused(node);
  std::erase_if(model.graph.inputs, [](plait::onnx_value_info const& each) { return each.name == "i2"; });
  plait::onnx_tensor scales;
  scales.name = "i2";
  scales.type = onnx_type::float32;
  scales.dims = {2};
  scales.floats = {2, 10};
  model.graph.initializers.push_back(scales);
  std::vector<float> x(32, 1);
  x[1] = 3;
  CHECK(outputs_of(model, {floats({1, 32}, x)})[0] == floats({1, 1}, {7 * 2 + 3 * 2 - 8 * 10}));
  model.graph.initializers[0].dims = {1, 1, 16};
  model.graph.nodes[0].attributes[0].i = 64;
  CHECK(refusal(model).find("do not have the sizes") != std::string::npos);
  CHECK(refusal(fused(node)).find("must be known before the model is run") != std::string::npos);
}

TEST_CASE("ONNX MaxPool: of bytes") {
  row const node{"MaxPool", {byte({1, 1, 4})}, {list("kernel_shape", {2}), list("strides", {2})}, ""};
  CHECK(outputs_of(model_of(node), {bytes({1, 1, 4}, {1, 200, 3, 2})})[0] == bytes({1, 1, 2}, {200, 3}));
}

}  // namespace
