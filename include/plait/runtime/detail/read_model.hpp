// Reader of a session's model. Compiled in one file of the library plait::runtime.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/read.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait::detail {

// Returns true for a model of ONNX, by its file name: its bytes may also be those of a NetDef.
inline bool is_onnx(std::string_view path) { return path.ends_with(".onnx"); }

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

session_model read_model(std::string const& path, session_options const& options) {
  session_model made;
  if (is_onnx(path)) {
    onnx_net model = read_onnx(std::filesystem::path(path), {}, rules_with(options.operators));
    made.net = std::move(model.net);
    made.parameters = std::move(model.parameters);
  } else {
    made.net = read_netdef(std::filesystem::path(path));
  }
  if (!options.init.empty()) made.init = read_netdef(std::filesystem::path(options.init));
  return made;
}

}  // namespace plait::detail
