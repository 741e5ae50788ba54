// Finds cases, runs them and counts.
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
  decided,      ///< the recorded system is wrong here, plait does something else
  unsupported,  ///< this runner does not know the kind, or the function
};

/// A case that passed has notes where the recorded answer is wrong without being marked: then plait's answer is the
/// recorded one only because the case asks for it, and its own differs.
struct outcome {
  std::string kind;
  std::string name;
  std::string what;
  verdict is = verdict::passed;
  std::vector<std::string> notes;  ///< differences, what was thrown, why unsupported
};

/// A case file and the folder its net_file is relative to.
struct case_file {
  std::filesystem::path file;
  std::filesystem::path root;
};

/// The case files below a folder, sorted: <folder>/**/cases/<kind>/*.json, else <folder>/<kind>/*.json, else
/// <folder>/*.json. Throws std::filesystem::filesystem_error.
std::vector<case_file> find_cases(std::filesystem::path const& folder);

/// Runs one case; never throws for what a case file or the function under test does.
outcome run_case(case_file const& at);

struct report_options {
  bool verbose = false;  ///< all differences, decided and unsupported cases by name
};

/// The table by kind, after what is to be said of single cases.
void print_report(std::ostream& out, std::vector<outcome> const& outcomes, report_options const& options);

}  // namespace conformance
