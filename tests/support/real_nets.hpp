// The real nets of the shared folder, where there is one.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace plait_test {

inline std::filesystem::path real_nets_folder() {
#ifdef PLAIT_SHARED_DIR
  std::filesystem::path const folder = std::filesystem::path(PLAIT_SHARED_DIR) / "nets";
  if (!std::string(PLAIT_SHARED_DIR).empty() && std::filesystem::is_directory(folder)) return folder;
#endif
  return {};
}

/// Their files in a fixed order. Says so when there are none.
inline std::vector<std::filesystem::path> real_nets() {
  std::vector<std::filesystem::path> files;
  std::filesystem::path const folder = real_nets_folder();
  if (folder.empty()) {
    MESSAGE("there is no folder of real nets: skipped");
    return files;
  }
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string file_content(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plait_test
