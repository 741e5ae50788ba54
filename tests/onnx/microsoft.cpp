// Fused operators of com.microsoft, against small sums.
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::tensor_value;

tensor_value floats(numbers dims, std::vector<float> elements) { return {std::move(dims), std::move(elements)}; }

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

}  // namespace
