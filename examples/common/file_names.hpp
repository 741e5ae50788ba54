// Whether files that a program is to read and write are different ones.
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

/// The first name of a file that one before is, too, perhaps by another way.
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
