// Reader of ONNX models for sessions. Compiled in one file of the library plait::runtime.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/read.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait::detail {

// Returns the rules of ONNX operators, with those of the program.
inline onnx_rules rules_with(std::vector<user_operator> const& operators) {
  onnx_rules rules = onnx_rules::standard();
  for (user_operator const& added : operators)
    rules.set(added.onnx_domain, added.type, [&added](onnx_context const& c) {
      std::vector<net_argument> arguments;
      for (auto const& [name, fallback] : added.arguments)
        arguments.push_back({name, c.real(name, static_cast<float>(fallback))});
      c.add(added.type, c.inputs(), c.outputs(), arguments);
    });
  return rules;
}

session_model read_onnx_model(std::string const& path, std::vector<user_operator> const& operators) {
  onnx_net model = read_onnx(std::filesystem::path(path), {}, rules_with(operators));
  return {std::move(model.net), {}, std::move(model.parameters)};
}

}  // namespace plait::detail
