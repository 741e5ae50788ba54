// Graphviz as an oracle for DOT output: its parser and its layout accept the text without warnings.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <support/scratch_folder.hpp>

namespace test {

/// Returns true if the program `dot` can be run.
[[nodiscard]] inline bool has_graphviz() {
  static bool const found = std::system("dot -V > /dev/null 2>&1") == 0;
  return found;
}

/// Runs `dot -T<format>` on one or more graphs. Returns its errors and warnings; empty if there are none.
[[nodiscard]] inline std::string graphviz_complaints(std::string_view graphs, std::string const& format) {
  scratch_folder const folder;
  std::string const path = folder.path().string();
  std::ofstream(path + "/graphs.dot") << graphs;
  std::string const command = "cd '" + path + "' && dot -T" + format +
                              " graphs.dot > drawn 2> complaints || echo 'dot has failed' >> complaints";
  if (std::system(command.c_str()) != 0) return "dot cannot be run";
  std::ifstream complaints(path + "/complaints");
  return {std::istreambuf_iterator<char>(complaints), {}};
}

}  // namespace test
