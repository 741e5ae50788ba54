// Models with floats of 16 bits, which are computed as float32.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;

template <class T>
std::vector<T> halves(std::vector<float> const& from) {
  std::vector<T> made;
  for (float const each : from) made.push_back(plait::convert<T>(each));
  return made;
}

plait::onnx_model with_output(row const& node, onnx_type type) {
  plait::onnx_model made = model_of(node);
  made.graph.outputs[0].type = type;
  return made;
}

/// Runs a model on its first input, and returns the workspace.
plait::workspace<plait::serial> run(plait::onnx_model const& model, plait::tensor<plait::serial> x) {
  plait::onnx_net const net = plait::read_onnx(model);
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  blobs.feed(net.inputs.at(0), std::move(x));
  plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs}).run();
  return blobs;
}

template <class T>
plait::tensor<plait::serial> tensor_of(std::vector<float> const& elements) {
  return plait::tensor<plait::serial>::from(halves<T>(elements), {static_cast<std::int64_t>(elements.size())});
}

TEST_CASE_TEMPLATE("ONNX: inputs and outputs of 16-bit floats", T, plait::float16, plait::bfloat16) {
  onnx_type const type = plait::onnx_type_of(plait::element_type_of<T>);
  row const node{"Mul", {of(type, {3}), of(type, {3})}, {}, ""};
  plait::onnx_model model = with_output(node, type);
  model.graph.nodes[0].inputs[1] = model.graph.nodes[0].inputs[0];
  model.graph.inputs.pop_back();
  auto const made = run(model, tensor_of<T>({1.5f, -2, 0.25f}));
  CHECK(made.template fetch<T>("o0") == halves<T>({2.25f, 4, 0.0625f}));
  // An input may be fed as float32, too.
  auto const x = plait::tensor<plait::serial>::from(std::vector<float>{3, 4, 5}, {3});
  CHECK(run(model, x).template fetch<T>("o0") == halves<T>({9, 16, 25}));
  // An output that the model does not declare to be of 16 bits is float32.
  model.graph.outputs[0].type = onnx_type::undefined;
  CHECK(run(model, tensor_of<T>({1, 2, 3})).template fetch<float>("o0") == std::vector<float>{1, 4, 9});
}

TEST_CASE("ONNX: Cast rounds to 16 bits") {
  auto const rounded = [](onnx_type to, std::vector<float> x) {
    row const node{"Cast", {f({static_cast<std::int64_t>(x.size())})}, {flag("to", static_cast<std::int64_t>(to))}, ""};
    auto const count = static_cast<std::int64_t>(x.size());
    return run(model_of(node), plait::tensor<plait::serial>::from(x, {count})).fetch<float>("o0");
  };
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(rounded(onnx_type::float16, {1 + 0x1p-11f, 1 + 0x3p-11f, 70000, 0x1p-26f}) ==
        std::vector<float>{1, 1 + 0x1p-9f, infinity, 0});
  CHECK(rounded(onnx_type::bfloat16, {1 + 0x1p-8f, 1 + 0x3p-8f, 70000}) == std::vector<float>{1, 1 + 0x1p-6f, 70144});
}

TEST_CASE("ONNX: an output of 16-bit floats that is an input stays as it is fed") {
  plait::onnx_model model = with_output({"Neg", {of(onnx_type::float16, {2})}, {}, ""}, onnx_type::float16);
  model.graph.outputs.push_back(model.graph.inputs[0]);
  auto const made = run(model, tensor_of<plait::float16>({1, -2}));
  CHECK(made.fetch<plait::float16>("o0") == halves<plait::float16>({-1, 2}));
  CHECK(made.fetch<plait::float16>("i0") == halves<plait::float16>({1, -2}));
}

TEST_CASE("ONNX: constants of 16-bit floats become parameters of float32") {
  plait::onnx_model model =
      with_output({"Add", {of(onnx_type::float16, {2}), of(onnx_type::float16, {2})}, {}, ""}, onnx_type::float16);
  plait::onnx_tensor constant;
  constant.name = model.graph.inputs[1].name;
  constant.type = onnx_type::float16;
  constant.dims = {2};
  constant.int32s = {0x3c00, 0x7bff};
  model.graph.initializers.push_back(constant);
  model.graph.inputs.pop_back();
  plait::onnx_net const net = plait::read_onnx(model);
  REQUIRE(net.parameters.size() == 1);
  CHECK(net.parameters[0].value == plait::tensor_value{{2}, std::vector<float>{1, 65504}});
  CHECK(run(model, tensor_of<plait::float16>({1, 1})).fetch<plait::float16>("o0") ==
        halves<plait::float16>({2, 65504}));
}

}  // namespace
