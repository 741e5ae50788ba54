// Conformance modules of a folder: files M.cfg.txt, M.domtree.txt, M.postdomtree.txt, M.domfrontier.txt, M.loops.txt,
// M.ll and M.mem2reg.ll, any of which may be missing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "readers/flow_graphs.hpp"
#include "readers/ll.hpp"
#include "readers/text.hpp"

namespace cfg_conformance {

/// Returns the names M that occur in a folder, sorted. Throws std::filesystem::filesystem_error.
[[nodiscard]] std::vector<std::string> find_modules(std::filesystem::path const& folder);

/// The files of one module, read on demand.
class module_files {
 public:
  module_files(std::filesystem::path folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] bool has(std::string const& suffix) const { return std::filesystem::is_regular_file(path(suffix)); }
  /// Reads a file. Throws plait::io_error.
  [[nodiscard]] document read(std::string const& suffix) const { return load(path(suffix)); }
  /// Returns the flow graphs of M.cfg.txt, or of M.ll if that is missing; none if both are. Throws file_error.
  [[nodiscard]] std::optional<std::vector<function_graph>> graphs() const;

 private:
  [[nodiscard]] std::filesystem::path path(std::string const& suffix) const { return folder_ / (name_ + suffix); }

  std::filesystem::path folder_;
  std::string name_;
};

}  // namespace cfg_conformance
