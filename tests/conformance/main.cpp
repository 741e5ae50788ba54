// plait_conformance: runs recorded cases against plait. Exit status 0: all passed or decided; 1: some failed, or were
// unsupported without --allow-unsupported; 2: wrong usage, or nothing to run.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <plait/version.hpp>

#include "blobs.hpp"
#include "kinds.hpp"
#include "runner.hpp"
#include "step_executor.hpp"

namespace {

constexpr std::string_view usage =
    R"(usage: plait_conformance [--kinds a,b] [--executor on|off] [--allow-unsupported] [--verbose] DIR...

Runs every case found below the folders and prints, by kind, how many passed, failed, were decided (marked as a
defect of the recorded system) or are unsupported. Lists cases that pass although the recorded result is an unmarked
defect: plait reproduces it when asked to, and differs by default.

  --kinds a,b          only cases of these kinds
  --executor on|off    overlap time steps of recurrences where the backend can, or do not; default: as nets say
  --allow-unsupported  unknown kinds and functions are not failures
  --verbose            all differences, and decided and unsupported cases by name
  --list-kinds         the known kinds
  --help, --version
)";

struct arguments {
  std::vector<std::string> folders;
  std::vector<std::string> kinds;
  bool all_kinds = true;
  bool allow_unsupported = false;
  conformance::report_options report;
};

int wrong_usage(std::string const& message) {
  std::cerr << "plait_conformance: " << message << '\n' << usage;
  return 2;
}

void add_kinds(arguments& given, std::string_view list) {
  given.all_kinds = false;
  std::istringstream in{std::string(list)};
  for (std::string kind; std::getline(in, kind, ',');)
    if (!kind.empty()) given.kinds.push_back(kind);
}

bool set_executor(std::string_view how) {
  using conformance::step_executor;
  if (how != "on" && how != "off") return false;
  conformance::executor = how == "on" ? step_executor::on : step_executor::off;
  return true;
}

int run(arguments const& given) {
  std::vector<conformance::outcome> outcomes;
  for (std::string const& folder : given.folders) {
    auto const cases = conformance::find_cases(folder);
    if (cases.empty()) {
      std::cerr << "plait_conformance: " << folder << ": no cases\n";
      return 2;
    }
    for (conformance::case_file const& at : cases) {
      // Cases are in folders by kind; elsewhere the kind is read from the file.
      auto const wanted = [&](std::string const& kind) {
        return given.all_kinds || std::ranges::find(given.kinds, kind) != given.kinds.end();
      };
      bool const filed = at.file.parent_path().parent_path().filename() == "cases";
      if (filed && !wanted(at.file.parent_path().filename().string())) continue;
      conformance::outcome o = conformance::run_case(at);
      if (filed || wanted(o.kind)) outcomes.push_back(std::move(o));
    }
  }
  if (outcomes.empty()) {
    std::cerr << "plait_conformance: no cases of these kinds\n";
    return 2;
  }
  conformance::print_report(std::cout, outcomes, given.report);
  auto const any = [&](conformance::verdict is) {
    return std::ranges::any_of(outcomes, [&](conformance::outcome const& o) { return o.is == is; });
  };
  using conformance::verdict;
  return any(verdict::failed) || (any(verdict::unsupported) && !given.allow_unsupported) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments given;
  for (int i = 1; i < argc; ++i) {
    std::string_view const arg = argv[i];
    if (arg == "--help" || arg == "-h") {
      std::cout << usage;
      return 0;
    }
    if (arg == "--version") {
      std::cout << "plait_conformance " << PLAIT_VERSION_MAJOR << '.' << PLAIT_VERSION_MINOR << '.'
                << PLAIT_VERSION_PATCH << " (" << conformance::backend_name() << ")\n";
      return 0;
    }
    if (arg == "--list-kinds") {
      for (conformance::kind const& k : conformance::kinds) std::cout << k.name << '\n';
      return 0;
    }
    if (arg == "--allow-unsupported") {
      given.allow_unsupported = true;
    } else if (arg == "--verbose" || arg == "-v") {
      given.report.verbose = true;
    } else if (arg.starts_with("--kinds=")) {
      add_kinds(given, arg.substr(8));
    } else if (arg == "--kinds") {
      if (++i == argc) return wrong_usage("--kinds needs a list");
      add_kinds(given, argv[i]);
    } else if (arg == "--executor") {
      if (++i == argc || !set_executor(argv[i])) return wrong_usage("--executor is on or off");
    } else if (arg.starts_with("-")) {
      return wrong_usage("unknown option " + std::string(arg));
    } else {
      given.folders.emplace_back(arg);
    }
  }
  if (given.folders.empty()) return wrong_usage("no folder");
  try {
    return run(given);
  } catch (std::exception const& problem) {
    std::cerr << "plait_conformance: " << problem.what() << '\n';
    return 2;
  }
}
