// ONNX's DFT and STFT: what ONNX's own tests do not cover.
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

/// Returns how the output of a node differs from the one wanted, empty if it does not.
std::string off(row const& node, std::vector<tensor_value> const& given, tensor_value const& wanted) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
  return onnx_runs::difference(plait::to_value(blobs.view(net.outputs[0])), wanted, 1e-6, 1e-6);
}
std::string refusal(row const& node) {
  try {
    static_cast<void>(plait::read_onnx(model_of(node)));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.problems.at(0).reason;
  }
}

TEST_CASE("ONNX DFT: a length beside the extent cuts off or pads, also of an unknown extent") {
  tensor_value const x = floats({1, 3, 1}, {1, 2, 3});
  tensor_value const two = floats({1, 2, 2}, {3, 0, -1, 0});
  tensor_value const four = floats({1, 4, 2}, {6, 0, -2, -2, 2, 0, -2, 2});
  for (operand const& given : {f({1, 3, 1}), f({1, -1, 1})}) {
    CHECK(off({"DFT", {given, one(2)}, {}, "", 17}, {x}, two) == "");
    CHECK(off({"DFT", {given, one(4)}, {flag("axis", 1)}, "", 17}, {x}, four) == "");
    CHECK(off({"DFT", {given, one(4), one(-2)}, {flag("onesided", 1)}, "", 20}, {x},
              floats({1, 3, 2}, {6, 0, -2, -2, 2, 0})) == "");
  }
}

TEST_CASE("ONNX DFT: the inverse of a transform along the first axis") {
  row const node{"DFT", {f({2, 1, 2}), {}, one(0)}, {flag("inverse", 1)}, "", 20};
  CHECK(off(node, {floats({2, 1, 2}, {4, 2, 0, -2})}, floats({2, 1, 2}, {2, 0, 2, 2})) == "");
}

TEST_CASE("ONNX STFT: frames that overlap, with a window, of a signal of unknown extent") {
  row const node{"STFT", {f({-1, -1}), one(1), f({2}), one(2)}, {}, "", 17};
  CHECK(off(node, {floats({1, 3}, {1, 2, 4}), floats({2}, {1, 0.5f})},
            floats({1, 2, 2, 2}, {2, 0, 0, 0, 4, 0, 0, 0})) == "");
}

TEST_CASE("ONNX DFT, STFT: what is not computed is refused") {
  CHECK(refusal({"DFT", {f({1, 3, 2})}, {flag("onesided", 1)}, "", 17}) ==
        "onesided with complex numbers or an inverse transform");
  CHECK(refusal({"DFT", {f({1, 3, 3})}, {}, "", 17}).find("1 or 2 numbers") != std::string::npos);
  CHECK(refusal({"DFT", {f({1, -1, 1})}, {}, "", 17}).find("must be known") != std::string::npos);
  CHECK(refusal({"DFT", {f({1, 100000, 1})}, {}, "", 17}) == "a transform of 100000 numbers");
  CHECK(refusal({"DFT", {f({1, 3, 1})}, {flag("axis", 2)}, "", 17}).find("the last axis") != std::string::npos);
  CHECK(refusal({"STFT", {f({1, 9}), one(0), f({2})}, {}, "", 17}) == "a step of frames of 0");
  CHECK(refusal({"STFT", {f({1, 9}), one(1)}, {}, "", 17}) == "neither a window nor the length of frames");
  CHECK(refusal({"STFT", {f({1, 9}), of(onnx_type::int64, {}), f({2})}, {}, "", 17}).find("must be known") !=
        std::string::npos);
}

}  // namespace
