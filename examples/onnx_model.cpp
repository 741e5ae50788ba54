// ONNX import: reads and runs a model without ONNX's libraries: Y = Relu(X + B).
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx_graph.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>

namespace {

// Analyses and transforms of ONNX's generated classes; Model is onnx::ModelProto.
template <class Model>
void analyse(Model& model) {
  auto ssa = plait::get_ssa(model.graph());        // and dependency graphs, liveness, dominators, …
  plait::remove_dead_ops(*model.mutable_graph());  // and every other transform, in place
}

// Subset of the protobuf wire format needed to write a model: varint fields below 128, and length-delimited fields.
std::string number(int field, int value) { return {static_cast<char>(field << 3), static_cast<char>(value)}; }
std::string bytes(int field, std::string_view content) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(content.size())} + std::string(content);
}

std::string node(std::string_view type, std::vector<std::string> const& inputs, std::string_view output) {
  std::string made;
  for (std::string const& input : inputs) made += bytes(1, input);
  return bytes(1, made + bytes(2, output) + bytes(4, type));
}
std::string value(int field, std::string_view name) {
  return bytes(field, bytes(1, name) + bytes(2, bytes(1, number(1, 1))));
}

std::string document() {
  std::string const b("\0\0\x80\x3f\0\0\0\xc0", 8);  // 1, -2
  std::string const graph = node("Add", {"X", "B"}, "S") + node("Relu", {"S"}, "Y") + bytes(2, "example") +
                            bytes(5, number(1, 2) + number(2, 1) + bytes(8, "B") + bytes(9, b)) + value(11, "X") +
                            value(12, "Y");
  return number(1, 8) + bytes(7, graph) + bytes(8, number(2, 13));
}

std::vector<float> run(std::filesystem::path const& path, std::vector<float> const& elements) {
  plait::onnx_net model = plait::read_onnx(path);
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, model.parameters);
  blobs.feed("X", elements, {1, 2});
  plait::compile(model.net, plait::standard_operators<plait::serial>(), blobs).run();
  auto y = blobs.fetch<float>("Y");
  return y;
}

}  // namespace

int main() {
  auto const path = std::filesystem::temp_directory_path() / "plait_example_model.onnx";
  std::ofstream(path, std::ios::binary) << document();
  std::vector<float> const y = run(path, {2, 1});
  std::filesystem::remove(path);
  std::cout << "Y = " << y[0] << ' ' << y[1] << '\n';
  return y == std::vector<float>{3, 0} ? 0 : 1;
}
