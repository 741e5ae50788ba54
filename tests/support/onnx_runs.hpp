// Runs ONNX models on given inputs, and compares the outputs. A case is a folder in the layout of ONNX's own tests:
// model.onnx, and test_data_set_<n>/input_<i>.pb and output_<i>.pb.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
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

/// Relative tolerance of ONNX's own tests.
inline constexpr double onnx_tolerance = 1e-3;

/// Returns true if two floating-point numbers differ by at most `relative` times the one wanted, or by `slack`.
inline bool is_close(double got, double wanted, double slack, double relative) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  if (std::isinf(got) || std::isinf(wanted)) return got == wanted;
  return std::abs(got - wanted) <= std::max(slack, 1e-7 + relative * std::abs(wanted));
}

/// Returns how a tensor differs from the one wanted, empty if it does not. Floating-point numbers may differ by
/// `tolerance` times the largest one wanted.
inline std::string difference(plait::tensor_value const& got, plait::tensor_value const& wanted, double tolerance = 0,
                              double relative = onnx_tolerance) {
  if (got.type() != wanted.type())
    return "is " + std::string(to_string(got.type())) + ", not " + std::string(to_string(wanted.type()));
  if (got.shape != wanted.shape)
    return "is " + to_string(plait::shape(got.shape)) + ", not " + to_string(plait::shape(wanted.shape));
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> std::string {
        auto const& expected = std::get<std::vector<T>>(wanted.data);
        double slack = 0;
        if constexpr (std::is_floating_point_v<T>)
          for (T const each : expected)
            if (std::isfinite(each)) slack = std::max(slack, tolerance * std::abs(static_cast<double>(each)));
        for (std::size_t i = 0; i != elements.size(); ++i) {
          bool same = false;
          if constexpr (std::is_floating_point_v<T>)
            same = is_close(elements[i], expected[i], slack, relative);
          else
            same = elements[i] == expected[i];
          if (same) continue;
          if constexpr (std::is_arithmetic_v<T>)
            return "differs in element " + std::to_string(i) + ": " + std::to_string(elements[i]) + ", not " +
                   std::to_string(expected[i]);
          else
            return "differs in element " + std::to_string(i);
        }
        return {};
      },
      got.data);
}

using values = std::map<std::string, plait::tensor_value>;
/// Names of tensors, and types of those that hold floats of 16 bits: tensor_value has them as float32.
using half_types = std::map<std::string, plait::onnx_type>;

/// Returns a tensor of float32 as one of floats of 16 bits.
template <class T>
plait::tensor<plait::serial> rounded(plait::tensor_value const& value) {
  std::vector<T> made;
  for (float const each : std::get<std::vector<float>>(value.data)) made.push_back(plait::convert<T>(each));
  return plait::tensor<plait::serial>::from(made, plait::shape(value.shape));
}
inline plait::tensor<plait::serial> to_tensor(plait::tensor_value const& value, plait::onnx_type half) {
  if (half == plait::onnx_type::float16) return rounded<plait::float16>(value);
  if (half == plait::onnx_type::bfloat16) return rounded<plait::bfloat16>(value);
  return plait::to_tensor<plait::serial>(value);
}
/// Returns the value of a tensor that should have the type `half`, or, if that is undefined, none of 16-bit floats.
inline plait::tensor_value to_value(plait::tensor<plait::serial> const& t, plait::onnx_type half) {
  if (half == plait::onnx_type::undefined || plait::onnx_type_of(t.type()) != half) return plait::to_value(t);
  std::vector<float> made;
  plait::visit_type<plait::float16, plait::bfloat16>(t.type(), [&]<class T>(T) {
    for (T const each : t.template values<T>()) made.push_back(plait::convert<float>(each));
  });
  return {{t.dims().begin(), t.dims().end()}, std::move(made)};
}

/// Runs a net and returns how an output differs from the one wanted, empty if none does.
inline std::string run(plait::onnx_net const& net, values const& inputs, std::vector<plait::tensor_value> const& wanted,
                       double tolerance = 0, half_types const& halves = {}) {
  auto const half = [&](std::string const& name) {
    auto const found = halves.find(name);
    return found == halves.end() ? plait::onnx_type::undefined : found->second;
  };
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::string const& name : net.inputs)
    if (auto const found = inputs.find(name); found != inputs.end())
      blobs.feed(name, to_tensor(found->second, half(name)));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  for (std::size_t o = 0; o != wanted.size(); ++o) {
    std::string const& name = net.outputs.at(o);
    plait::tensor<plait::serial> const& got = blobs.view(name);
    bool const is_half = got.type() == plait::element_type::float16 || got.type() == plait::element_type::bfloat16;
    if (is_half != (half(name) != plait::onnx_type::undefined))
      return "output '" + name + "' is " + std::string(to_string(got.type()));
    // Recorded values of 16 bits are rounded step by step: two units of the last place.
    double const relative = got.type() == plait::element_type::float16    ? 0x1p-9
                            : got.type() == plait::element_type::bfloat16 ? 0x1p-6
                                                                          : onnx_tolerance;
    std::string const off = difference(to_value(got, half(name)), wanted[o], tolerance, relative);
    if (!off.empty()) return "output '" + name + "' " + off;
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

/// unsupported: refused when read; refused: when run.
enum class verdicts { passed, unsupported, refused, wrong };

struct verdict {
  verdicts is;
  std::vector<std::string> reasons = {};
};

struct recorded_tensors {
  std::vector<plait::tensor_value> values;
  std::vector<plait::onnx_type> types;
};
inline recorded_tensors recorded(std::filesystem::path const& folder, char const* what) {
  recorded_tensors found;
  for (std::size_t i = 0;; ++i) {
    std::filesystem::path const file = folder / (what + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(file)) return found;
    std::string const document = bytes_of(file);
    plait::onnx_tensor const tensor = plait::parse_onnx_tensor(document);
    found.values.push_back(plait::value_of(tensor));
    found.types.push_back(tensor.type);
  }
}

/// Makes floats of a bfloat16 tensor that is recorded as its bits, of uint16, as ONNX's tests were before version 1.13.
inline void restore_bfloat16(plait::tensor_value& value, plait::onnx_type& type, plait::onnx_type declared) {
  auto const* const bits = std::get_if<std::vector<std::uint16_t>>(&value.data);
  if (declared != plait::onnx_type::bfloat16 || type != plait::onnx_type::uint16 || bits == nullptr) return;
  std::vector<float> made;
  for (std::uint16_t const each : *bits) made.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(each) << 16));
  value.data = std::move(made);
  type = plait::onnx_type::bfloat16;
}

/// Runs a case. Inputs are those of the graph in order, without its initializers unless there are as many with them.
inline verdict test_model(std::filesystem::path const& folder, double tolerance = 0) {
  try {
    std::string const document = bytes_of(folder / "model.onnx");
    plait::onnx_model model = plait::parse_onnx(document);
    plait::detail::onnx_external_data external;
    external.read(model, folder);
    for (auto const* list : {&model.graph.inputs, &model.graph.outputs})
      for (plait::onnx_value_info const& info : *list)
        if (info.kind == plait::onnx_value_info::kinds::other) {
          static_cast<void>(plait::read_onnx(model));
          return {verdicts::unsupported, {"a sequence or optional"}};
        }
    for (std::size_t set = 0;; ++set) {
      std::filesystem::path const data = folder / ("test_data_set_" + std::to_string(set));
      if (!std::filesystem::exists(data)) return {verdicts::passed};
      auto given = recorded(data, "input_");
      std::vector<std::string> names;
      for (plait::onnx_value_info const& info : model.graph.inputs) names.push_back(info.name);
      if (given.values.size() != names.size())
        std::erase_if(names, [&](std::string const& name) {
          return std::ranges::any_of(model.graph.initializers, [&](auto const& each) { return each.name == name; });
        });
      auto wanted = recorded(data, "output_");
      values inputs;
      half_types halves;
      auto const note = [&](std::string const& name, plait::onnx_type type) {
        if (type == plait::onnx_type::float16 || type == plait::onnx_type::bfloat16) halves.emplace(name, type);
      };
      for (std::size_t i = 0; i != given.values.size(); ++i) {
        auto const info = std::ranges::find(model.graph.inputs, names.at(i), &plait::onnx_value_info::name);
        if (info != model.graph.inputs.end()) restore_bfloat16(given.values[i], given.types[i], info->type);
        inputs.emplace(names[i], given.values[i]);
        note(names[i], given.types[i]);
      }
      for (std::size_t o = 0; o != wanted.values.size(); ++o)
        restore_bfloat16(wanted.values[o], wanted.types[o], model.graph.outputs.at(o).type);
      plait::onnx_net const net = read(model, inputs);
      for (std::size_t o = 0; o != wanted.types.size(); ++o) note(net.outputs.at(o), wanted.types[o]);
      std::string const off = run(net, inputs, wanted.values, tolerance, halves);
      if (!off.empty()) return {verdicts::wrong, {off}};
    }
  } catch (plait::onnx_error const& e) {
    verdict found{verdicts::unsupported};
    for (plait::onnx_problem const& each : e.problems)
      found.reasons.push_back(each.reason == "there is no rule for it" ? each.type : each.type + ": " + each.reason);
    return found;
  } catch (plait::exec_error const& e) {
    return {verdicts::refused, {e.what()}};
  } catch (plait::error const& e) {  // tensors of types that plait does not have
    return {verdicts::unsupported, {e.what()}};
  }
}

}  // namespace onnx_runs
