#include "modules.hpp"

#include <array>
#include <set>
#include <string_view>

namespace cfg_conformance {

namespace fs = std::filesystem;

std::vector<std::string> find_modules(fs::path const& folder) {
  constexpr std::array<std::string_view, 7> suffixes = {
      ".cfg.txt", ".domtree.txt", ".postdomtree.txt", ".domfrontier.txt", ".loops.txt", ".mem2reg.ll", ".ll"};
  std::set<std::string> names;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
    std::string const file = entry.path().filename().string();
    for (std::string_view const suffix : suffixes) {
      if (!file.ends_with(suffix) || file.size() == suffix.size() || !entry.is_regular_file()) continue;
      names.insert(file.substr(0, file.size() - suffix.size()));
      break;  // M.mem2reg.ll is no module M.mem2reg
    }
  }
  return {names.begin(), names.end()};
}

std::optional<std::vector<function_graph>> module_files::graphs() const {
  if (has(".cfg.txt")) return read_flow_graphs(read(".cfg.txt"));
  if (!has(".ll")) return std::nullopt;
  document const from = read(".ll");
  std::vector<function_graph> made;
  for (ll_function const& f : read_ll(from)) made.push_back(f.graph(from));
  return made;
}

}  // namespace cfg_conformance
