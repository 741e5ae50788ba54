// Finds cases, runs them and counts the outcomes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "case.hpp"

namespace conformance {

enum class verdict {
  passed,
  failed,
  decided,      ///< the recorded system is wrong, and plait differs
  unsupported,  ///< unknown to this runner: the kind, or the function
};

/// Outcome of a case. A case that passed has notes if the recorded result is an unmarked defect: plait reproduces it
/// only because the case asks for it, and differs by default.
struct outcome {
  std::string kind;
  std::string name;
  std::string what;
  verdict is = verdict::passed;
  std::vector<std::string> notes;  ///< differences, the exception, or why it is unsupported
};

/// Case file, and the folder that its net_file is relative to.
struct case_file {
  std::filesystem::path file;
  std::filesystem::path root;
};

/// Returns the case files below a folder, sorted: <folder>/**/cases/<kind>/*.json, else <folder>/<kind>/*.json, else
/// <folder>/*.json. Throws std::filesystem::filesystem_error.
std::vector<case_file> find_cases(std::filesystem::path const& folder);

/// Runs one case; never throws because of a case file or the function under test.
outcome run_case(case_file const& at);

struct report_options {
  bool verbose = false;  ///< all differences, decided and unsupported cases by name
};

/// Prints notes on single cases, and then the table by kind.
void print_report(std::ostream& out, std::vector<outcome> const& outcomes, report_options const& options);

}  // namespace conformance
