// Functions of an ONNX model: parsed, and expanded where nodes call them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_runs.hpp>

namespace {

using texts = std::vector<std::string>;
using plait::tensor_value;

tensor_value floats(std::vector<float> elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}

plait::onnx_node node(std::string type, texts inputs, texts outputs, std::string domain = {}) {
  plait::onnx_node made;
  made.type = std::move(type);
  made.domain = std::move(domain);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}
plait::onnx_attribute real(std::string name, float value) {
  plait::onnx_attribute made;
  made.name = std::move(name);
  made.f = value;
  return made;
}
plait::onnx_attribute reference(std::string name, std::string to) {
  plait::onnx_attribute made;
  made.name = std::move(name);
  made.reference = std::move(to);
  return made;
}
plait::onnx_function function(std::string name, texts inputs, texts outputs, std::vector<plait::onnx_node> nodes) {
  plait::onnx_function made;
  made.name = std::move(name);
  made.domain = "own";
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  made.body.nodes = std::move(nodes);
  made.opsets = {{"", 18}, {"own", 1}};
  return made;
}
/// Leaky(a) = LeakyRelu(a) with the slope of the call.
plait::onnx_function leaky() {
  auto made = function("Leaky", {"a"}, {"t"}, {node("LeakyRelu", {"a"}, {"t"})});
  made.body.nodes[0].attributes = {reference("alpha", "slope")};
  return made;
}
/// Outer(u, v) = (Leaky(u) + v, u), with a slope of 0.5 unless the call has another.
plait::onnx_function outer() {
  auto made =
      function("Outer", {"u", "v"}, {"z", "same"},
               {node("Leaky", {"u"}, {"w"}, "own"), node("Add", {"w", "v"}, {"z"}), node("Identity", {"u"}, {"same"})});
  made.body.nodes[0].attributes = {reference("slope", "s")};
  made.defaults = {real("s", 0.5f)};
  return made;
}

plait::onnx_model model(std::vector<plait::onnx_node> nodes, std::vector<plait::onnx_function> functions,
                        std::string output) {
  plait::onnx_model made;
  made.ir_version = 8;
  made.opsets = {{"", 18}, {"own", 1}};
  made.graph.nodes = std::move(nodes);
  plait::onnx_value_info x;
  x.name = "x";
  x.kind = plait::onnx_value_info::kinds::tensor;
  x.type = plait::onnx_type::float32;
  made.graph.inputs = {x};
  made.graph.outputs.emplace_back().name = std::move(output);
  made.functions = std::move(functions);
  return made;
}
tensor_value run(plait::onnx_model const& m, tensor_value const& x) {
  plait::onnx_net const net = plait::read_onnx(m);
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  blobs.feed("x", plait::to_tensor<plait::serial>(x));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  return plait::to_value(blobs.view(net.outputs.at(0)));
}
std::string refusal(plait::onnx_model const& m) {
  try {
    static_cast<void>(plait::read_onnx(m));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.what();
  }
}

TEST_CASE("ONNX functions: attributes by reference have the value of the call, or their default") {
  auto call = node("Leaky", {"x"}, {"y"}, "own");
  call.attributes = {real("slope", 0.25f)};
  CHECK(run(model({call}, {leaky()}, "y"), floats({-4, 4})) == floats({-1, 4}));
  call.attributes.clear();  // LeakyRelu's own default
  CHECK(std::get<std::vector<float>>(run(model({call}, {leaky()}, "y"), floats({-100})).data)[0] ==
        doctest::Approx(-1));
  auto twice = node("Outer", {"x", "x"}, {"y", "z"}, "own");
  CHECK(run(model({twice}, {leaky(), outer()}, "y"), floats({-4, 4})) == floats({-6, 8}));
  CHECK(run(model({twice}, {leaky(), outer()}, "z"), floats({-4, 4})) == floats({-4, 4}));
  twice.attributes = {real("s", 0.25f)};
  CHECK(run(model({twice}, {leaky(), outer()}, "y"), floats({-4, 4})) == floats({-5, 8}));
}

TEST_CASE("ONNX functions: names of the body are its own, and outputs keep the names of the call") {
  auto const first = node("Outer", {"x", "x"}, {"w", ""}, "own");
  auto const second = node("Outer", {"w", "x"}, {"y", ""}, "own");
  auto const m = model({first, second}, {leaky(), outer()}, "y");
  CHECK(run(m, floats({-4, 4})) == floats({-7, 12}));
  plait::onnx_net const net = plait::read_onnx(m);
  CHECK(net.outputs == texts{"y"});
  CHECK(net.net.op.size() == 6);
  auto inner = function("Reads", {"a"}, {"b"}, {node("Add", {"a", "x"}, {"b"})});  // no value of the model's graph
  CHECK(refusal(model({node("Reads", {"x"}, {"y"}, "own")}, {inner}, "y")).find("reads 'x', which is undefined") !=
        std::string::npos);
}

TEST_CASE("ONNX functions: inputs that the call omits are omitted") {
  auto const limit = function("Limit", {"a", "low", "high"}, {"b"}, {node("Clip", {"a", "low", "high"}, {"b"})});
  auto m = model({node("Limit", {"x", "", "top"}, {"y"}, "own")}, {limit}, "y");
  plait::onnx_tensor top;
  top.name = "top";
  top.type = plait::onnx_type::float32;
  top.floats = {1};
  m.graph.initializers = {top};
  CHECK(run(m, floats({-4, 4})) == floats({-4, 1}));
  m.graph.nodes = {node("Limit", {"x", "top"}, {"y"}, "own")};
  CHECK(run(m, floats({-4, 4})) == floats({1, 4}));
}

TEST_CASE("ONNX functions: calls that cannot be expanded are refused") {
  CHECK(refusal(model({node("Leaky", {"x", "x"}, {"y"}, "own")}, {leaky()}, "y")).find("more operands") !=
        std::string::npos);
  CHECK(refusal(model({node("Other", {"x"}, {"y"}, "own")}, {leaky()}, "y")).find("there is no rule") !=
        std::string::npos);
  auto const endless = function("Endless", {"a"}, {"b"}, {node("Endless", {"a"}, {"b"}, "own")});
  CHECK(refusal(model({node("Endless", {"x"}, {"y"}, "own")}, {endless}, "y")).find("nested too deeply") !=
        std::string::npos);
  auto const lacks = function("Lacks", {"a"}, {"b"}, {node("Relu", {"a"}, {"c"})});
  CHECK(refusal(model({node("Lacks", {"x"}, {"y"}, "own")}, {lacks}, "y")).find("does not define 'b'") !=
        std::string::npos);
  auto const bad = function("Bad", {"a"}, {"b"}, {node("NoSuchOp", {"a"}, {"b"})});
  CHECK(refusal(model({node("Bad", {"x"}, {"y"}, "own")}, {bad}, "y")).find("NoSuchOp") != std::string::npos);
}

// Encodes a field of a protobuf message.
std::string field(unsigned tag, std::string const& content) {
  std::string made;
  auto const varint = [&](std::size_t value) {
    for (; value >= 128; value >>= 7) made += static_cast<char>(value % 128 + 128);
    made += static_cast<char>(value);
  };
  varint(tag << 3 | 2);
  varint(content.size());
  return made + content;
}

TEST_CASE("ONNX functions: FunctionProto is parsed") {
  std::string const alpha = field(1, "alpha") + field(21, "slope");
  std::string const inner = field(1, "a") + field(2, "t") + field(4, "LeakyRelu") + field(5, alpha) + field(8, "v");
  std::string const given = field(1, "s") + std::string("\x15\x00\x00\x00\x3f", 5);
  std::string const version = field(1, "ai.onnx") + std::string("\x10\x12");
  std::string const body = field(1, "Leaky") + field(4, "a") + field(5, "t") + field(6, "slope") + field(7, inner) +
                           field(9, version) + field(10, "own") + field(11, given) + field(13, "v");
  std::string const document = field(7, field(2, "g")) + field(25, body);
  plait::onnx_model const m = plait::parse_onnx(document);
  REQUIRE(m.functions.size() == 1);
  plait::onnx_function const& f = m.functions[0];
  CHECK(f.name == "Leaky");
  CHECK(f.domain == "own");
  CHECK(f.overload == "v");
  CHECK(f.inputs == texts{"a"});
  CHECK(f.outputs == texts{"t"});
  REQUIRE(f.opsets.size() == 1);
  CHECK(f.opsets[0].domain.empty());
  CHECK(f.opsets[0].version == 18);
  REQUIRE(f.defaults.size() == 1);
  CHECK(f.defaults[0].f == 0.5f);
  REQUIRE(f.body.nodes.size() == 1);
  CHECK(f.body.nodes[0].overload == "v");
  CHECK(f.body.nodes[0].attributes[0].reference == "slope");
}

}  // namespace
