// ONNX's operators of object detection and sampling: what ONNX's own tests do not cover.
#include <cstdint>
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

std::string refusal(row const& node) {
  try {
    static_cast<void>(plait::read_onnx(model_of(node)));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.problems.at(0).reason;
  }
}
tensor_value output_of(row const& node, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
  return plait::to_value(blobs.view(net.outputs[0]));
}

TEST_CASE("ONNX GridSample: places outside of the image") {
  row node{"GridSample", {f({1, 1, 1, 2}), f({1, 1, 3, 2})}, {flag("align_corners", 1)}, "", 16};
  // Columns -0.5, 0.5 and 1.25 of the one row.
  std::vector<tensor_value> const given{floats({1, 1, 1, 2}, {2, 6}), floats({1, 1, 3, 2}, {-2, 0, 0, 0, 1.5f, 0})};
  CHECK(output_of(node, given) == floats({1, 1, 1, 3}, {1, 4, 4.5f}));
  node.attributes.push_back(text("padding_mode", "border"));
  CHECK(output_of(node, given) == floats({1, 1, 1, 3}, {2, 4, 6}));
  node.attributes.back() = text("padding_mode", "reflection");
  CHECK(output_of(node, given) == floats({1, 1, 1, 3}, {4, 4, 5}));
  node.attributes.push_back(text("mode", "nearest"));
  node.attributes[1] = text("padding_mode", "zeros");
  CHECK(output_of(node, given) == floats({1, 1, 1, 3}, {2, 2, 6}));
}

TEST_CASE("ONNX GridSample: unknown shapes; what is not computed is refused") {
  row node{"GridSample", {{onnx_type::float32, numbers{-1, -1, -1, -1}}, any_shape()}, {}, "", 16};
  CHECK(output_of(node, {floats({1, 1, 1, 1}, {8}), floats({1, 1, 1, 2}, {0, 0})}) == floats({1, 1, 1, 1}, {8}));
  CHECK(refusal({"GridSample", {f({1, 1, 2, 2, 2}), f({1, 1, 1, 1, 3})}, {}, "", 20}).find("4 axes") !=
        std::string::npos);
  CHECK(refusal({"GridSample", {f({1, 1, 2, 2}), f({1, 1, 1, 2})}, {text("mode", "bicubic")}, "", 16}) ==
        "the mode bicubic");
  CHECK(refusal({"GridSample", {f({1, 1, 2, 2}), f({1, 1, 1, 3})}, {}, "", 16}).find("a place for each element") !=
        std::string::npos);
}

TEST_CASE("ONNX RoiAlign: coordinates by version") {
  row node{"RoiAlign",
           {f({1, 1, 4, 4}), f({1, 4}), of(onnx_type::int64, {1})},
           {flag("output_height", 1), flag("output_width", 1), flag("sampling_ratio", 1)},
           "",
           16};
  std::vector<float> image;
  for (int i = 0; i != 16; ++i) image.push_back(static_cast<float>(i));
  std::vector<tensor_value> const given{
      floats({1, 1, 4, 4}, image), floats({1, 4}, {1, 1, 3, 3}), {{1}, std::vector<std::int64_t>{0}}};
  CHECK(output_of(node, given) == floats({1, 1, 1, 1}, {7.5f}));  // place 1.5, 1.5
  node.opset = 15;
  CHECK(output_of(node, given) == floats({1, 1, 1, 1}, {10}));  // place 2, 2
  node.attributes.push_back(text("mode", "max"));
  CHECK(refusal(node) == "the mode max");
  node.attributes.pop_back();
  node.attributes[0].i = 0;
  CHECK(refusal(node) == "output_height is 0");
  CHECK_THROWS_AS(static_cast<void>(output_of({"RoiAlign", node.inputs, {}, "", 16},
                                              {given[0], given[1], {{1}, std::vector<std::int64_t>{1}}})),
                  plait::exec_error);
}

TEST_CASE("ONNX NonMaxSuppression: operands that are left out") {
  row const node{"NonMaxSuppression", {f({1, 2, 4}), f({1, 1, 2}), ints({5}), {}, f({1})}, {}, "", 11};
  CHECK(output_of(node, {floats({1, 2, 4}, {0, 0, 1, 1, 5, 5, 6, 6}), floats({1, 1, 2}, {1, 3}), floats({1}, {2})}) ==
        tensor_value{{1, 3}, std::vector<std::int64_t>{0, 0, 1}});
  CHECK(refusal({"NonMaxSuppression", {f({1, 2, 4}), f({1, 1, 3})}, {}, "", 11}).find("a score for each box") !=
        std::string::npos);
}

}  // namespace
