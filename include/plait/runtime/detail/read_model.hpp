// Reader of a session's model. Compiled in one file of the library plait::runtime.
#pragma once

#include <filesystem>
#include <string>

#include <plait/netdef/read.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait::detail {

session_model read_model(std::string const& path, session_options const& options) {
  session_model made;
  // By the name of the file, since the bytes of an ONNX model may also be those of a NetDef.
  if (path.ends_with(".onnx")) {
    made = read_onnx_model(path, options.operators);
  } else {
    made.net = read_netdef(std::filesystem::path(path));
  }
  if (!options.init.empty()) made.init = read_netdef(std::filesystem::path(options.init));
  return made;
}

}  // namespace plait::detail
