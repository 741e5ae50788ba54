// Runs ONNX models on given inputs, and compares the outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>

namespace onnx_runs {

inline std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Returns true if two floating-point numbers are equal by ONNX's rule: within a thousandth.
inline bool is_close(double got, double wanted) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  if (std::isinf(got) || std::isinf(wanted)) return got == wanted;
  return std::abs(got - wanted) <= 1e-7 + 1e-3 * std::abs(wanted);
}

inline std::string difference(plait::tensor_value const& got, plait::tensor_value const& wanted) {
  if (got.type() != wanted.type())
    return "is " + std::string(to_string(got.type())) + ", not " + std::string(to_string(wanted.type()));
  if (got.shape != wanted.shape)
    return "is " + to_string(plait::shape(got.shape)) + ", not " + to_string(plait::shape(wanted.shape));
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> std::string {
        auto const& expected = std::get<std::vector<T>>(wanted.data);
        for (std::size_t i = 0; i != elements.size(); ++i) {
          bool same = false;
          if constexpr (std::is_floating_point_v<T>)
            same = is_close(elements[i], expected[i]);
          else
            same = elements[i] == expected[i];
          if (!same) return "differs in element " + std::to_string(i);
        }
        return {};
      },
      got.data);
}

using values = std::map<std::string, plait::tensor_value>;

inline std::string run(plait::onnx_net const& net, values const& inputs,
                       std::vector<plait::tensor_value> const& wanted) {
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::string const& name : net.inputs)
    if (auto const found = inputs.find(name); found != inputs.end())
      blobs.feed(name, plait::to_tensor<plait::serial>(found->second));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  for (std::size_t o = 0; o != wanted.size(); ++o) {
    std::string const off = difference(plait::to_value(blobs.view(net.outputs.at(o))), wanted[o]);
    if (!off.empty()) return "output '" + net.outputs[o] + "' " + off;
  }
  return {};
}

/// Reads a model. If it requires inputs to be constants, passes the scalars and lists among `inputs` as constants.
inline plait::onnx_net read(plait::onnx_model const& model, values const& inputs) {
  try {
    return plait::read_onnx(model);
  } catch (plait::onnx_error const& e) {
    bool const settles = std::ranges::any_of(
        e.problems, [](auto const& each) { return each.reason.ends_with("must be known before the model is run"); });
    if (!settles) throw;
  }
  plait::onnx_options options;
  for (std::size_t i = 1; i < model.graph.inputs.size(); ++i)
    if (auto const found = inputs.find(model.graph.inputs[i].name);
        found != inputs.end() && found->second.shape.size() < 2)
      options.constants.emplace(*found);
  return plait::read_onnx(model, options);
}

}  // namespace onnx_runs
