// Output files whose errors are reported.
#pragma once

#include <filesystem>
#include <fstream>

#include <plait/core/errors.hpp>

namespace example {

/// Opens a file for writing; returns a closed stream for an empty name. Throws plait::io_error.
inline std::ofstream opened(std::filesystem::path const& name) {
  std::ofstream file;
  if (name.empty()) return file;
  file.open(name);
  if (!file) throw plait::io_error("cannot open for writing", name.string());
  return file;
}

/// Throws plait::io_error if not all could be written.
inline void close(std::ofstream& file, std::filesystem::path const& name) {
  file.close();
  if (!file) throw plait::io_error("cannot write", name.string());
}

}  // namespace example
