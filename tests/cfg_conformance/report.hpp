// Result of a comparison, and its printed report.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace cfg_conformance {

/// A function for which plait's result differs from LLVM's.
struct different_function {
  std::string name;
  std::vector<std::string> differences;  ///< at least one
};

/// One analysis of one module.
struct comparison {
  std::string module;
  std::string analysis;
  std::size_t functions = 0;
  std::vector<different_function> different;

  /// Counts a function, as equal if there are no differences.
  void add(std::string const& function, std::vector<std::string> differences) {
    ++functions;
    if (!differences.empty()) different.push_back({function, std::move(differences)});
  }
};

/// Prints the differences, per function the first or all of them, then the table.
void print_report(std::ostream& out, std::vector<comparison> const& all, bool verbose);

}  // namespace cfg_conformance
