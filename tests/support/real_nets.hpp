// Real nets of the shared folder, if it exists.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/skip.hpp>

namespace plait_test {

inline std::filesystem::path real_nets_folder() {
#ifdef PLAIT_SHARED_DIR
  std::filesystem::path const folder = std::filesystem::path(PLAIT_SHARED_DIR) / "nets";
  if (!std::string(PLAIT_SHARED_DIR).empty() && std::filesystem::is_directory(folder)) return folder;
#endif
  return {};
}

/// Returns true if there are real nets; else skips the rest of the test case, which the caller must leave.
inline bool has_real_nets() {
  bool const there = !real_nets_folder().empty();
  if (!there) test::skip("there are no real nets, as PLAIT_SHARED_DIR has no folder 'nets'");
  return there;
}

/// Returns the files of the real nets in a fixed order; none, and a skip, if the folder does not exist.
inline std::vector<std::filesystem::path> real_nets() {
  std::vector<std::filesystem::path> files;
  if (!has_real_nets()) return files;
  std::filesystem::path const folder = real_nets_folder();
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path());
  REQUIRE_MESSAGE(!files.empty(), "no nets in " << folder);
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string file_content(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plait_test
