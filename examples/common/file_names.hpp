// Check that the files a program reads and writes are distinct.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace example {

/// Returns the first name of a file that an earlier name refers to as well, perhaps by another path.
inline std::optional<std::string> named_twice(std::span<std::string const> names) {
  std::vector<std::filesystem::path> paths;
  for (std::string const& name : names) {
    std::error_code ignored;
    std::filesystem::path full = std::filesystem::weakly_canonical(std::filesystem::absolute(name, ignored), ignored);
    if (full.empty()) full = name;
    if (std::ranges::find(paths, full) != paths.end()) return name;
    paths.push_back(std::move(full));
  }
  return std::nullopt;
}

}  // namespace example
