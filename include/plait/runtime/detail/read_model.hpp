// Reader of a session's model. Compiled in one file of the library plait::runtime.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <plait/netdef/read.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait::detail {

// Returns true for a model of ONNX, by its file name: its bytes may also be those of a NetDef.
inline bool is_onnx(std::string_view path) { return path.ends_with(".onnx"); }

session_model read_model(std::string const& path, session_options const& options) {
  session_model made;
  if (is_onnx(path)) {
    made = read_onnx_model(path, options.operators);
  } else {
    made.net = read_netdef(std::filesystem::path(path));
  }
  if (!options.init.empty()) made.init = read_netdef(std::filesystem::path(options.init));
  return made;
}

}  // namespace plait::detail
