// ONNX export and import: writes, reads and runs a model without ONNX's libraries: Y = Relu(X + B).
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx/write.hpp>
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

std::string document() {
  plait::netdef net;
  net.add_op("Add", {"X", "B"}, {"S"});
  net.add_op("Relu", {"S"}, {"Y"});
  plait::parameter const b{"B", {{2}, std::vector<float>{1, -2}}};
  return plait::write_onnx(net, {b}, {.inputs = {{"X", {{-1, 2}}}}});
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
