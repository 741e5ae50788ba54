// plait_cfg_conformance: compares plait's analyses of flow graphs with LLVM's printed results. Exit status 0: all
// equal; 1: some function differs; 2: wrong usage, a malformed file, or nothing to compare.
#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/version.hpp>

#include "compare.hpp"
#include "modules.hpp"
#include "report.hpp"

namespace cfg_conformance {
namespace {

constexpr std::string_view usage =
    R"(usage: plait_cfg_conformance [--analyses a,b] [--verbose] DIR...

Compares plait's analyses with LLVM's results for every module M in the folders, and prints per module and analysis how
many functions there are, how many are equal and how many different. The graphs are those of M.cfg.txt or, without it,
of M.ll. Files that are missing leave out what needs them, which is printed.

  --analyses a,b  only these
  --verbose       all differences, not the first of each function
  --list          the analyses, and the file each needs
  --help, --version
)";

struct analysis {
  std::string_view name;
  std::string_view file;
  std::string_view second_file;  // empty: none
  comparison (*compare)(std::vector<function_graph> const&, module_files const&);
};

constexpr std::array analyses = {
    analysis{"dominators", ".domtree.txt", "",
             [](std::vector<function_graph> const& graphs, module_files const& files) {
               return compare_dominators(graphs, read_trees(files.read(".domtree.txt"), tree_kind::dominators));
             }},
    analysis{"post-dominators", ".postdomtree.txt", "",
             [](std::vector<function_graph> const& graphs, module_files const& files) {
               return compare_post_dominators(graphs,
                                              read_trees(files.read(".postdomtree.txt"), tree_kind::post_dominators));
             }},
    analysis{"frontiers", ".domfrontier.txt", "",
             [](std::vector<function_graph> const& graphs, module_files const& files) {
               return compare_frontiers(graphs, read_frontiers(files.read(".domfrontier.txt")));
             }},
    analysis{"loops", ".loops.txt", "",
             [](std::vector<function_graph> const& graphs, module_files const& files) {
               return compare_loops(graphs, read_loops(files.read(".loops.txt")));
             }},
    analysis{"phis", ".mem2reg.ll", ".ll",
             [](std::vector<function_graph> const&, module_files const& files) {
               return compare_phis(files.read(".ll"), files.read(".mem2reg.ll"));
             }},
};

struct arguments {
  std::vector<std::string> folders;
  std::string only;
  bool verbose = false;

  bool wants(std::string_view analysis) const {
    return only.empty() || (',' + only + ',').find(',' + std::string(analysis) + ',') != std::string::npos;
  }
};

int wrong_usage(std::string const& message) {
  std::cerr << "plait_cfg_conformance: " << message << '\n' << usage;
  return 2;
}

// A file that cannot be read ends its analysis, not the whole run.
class comparisons {
 public:
  explicit comparisons(arguments const& given) : given_(given) {}

  int operator()() {
    for (std::string const& folder : given_.folders) {
      auto const modules = find_modules(folder);
      if (modules.empty()) problem(folder + ": no modules");
      for (std::string const& name : modules) compare(module_files(folder, name));
    }
    if (done_.empty() && !broken_) problem("nothing to compare");
    if (!done_.empty()) print_report(std::cout, done_, given_.verbose);
    if (broken_) return 2;
    for (comparison const& c : done_)
      if (!c.different.empty()) return 1;
    return 0;
  }

 private:
  void problem(std::string const& message) {
    std::cerr << "plait_cfg_conformance: " << message << '\n';
    broken_ = true;
  }

  void compare(module_files const& files) {
    std::optional<std::vector<function_graph>> graphs;
    try {
      graphs = files.graphs();
    } catch (plait::error const& error) {
      return problem(error.what());
    }
    if (!graphs) return missing(files, "all analyses", ".cfg.txt");
    for (analysis const& a : analyses) {
      if (!given_.wants(a.name)) continue;
      if (!files.has(std::string(a.file))) {
        missing(files, a.name, a.file);
        continue;
      }
      if (!a.second_file.empty() && !files.has(std::string(a.second_file))) {
        missing(files, a.name, a.second_file);
        continue;
      }
      try {
        comparison made = a.compare(*graphs, files);
        made.module = files.name();
        made.analysis = a.name;
        done_.push_back(std::move(made));
      } catch (plait::error const& error) {
        problem(error.what());
      }
    }
  }

  static void missing(module_files const& files, std::string_view what, std::string_view suffix) {
    std::cout << files.name() << ' ' << what << ": no " << files.name() << suffix << '\n';
  }

  arguments const& given_;
  std::vector<comparison> done_;
  bool broken_ = false;
};

int run(int argc, char** argv) {
  arguments given;
  for (int i = 1; i < argc; ++i) {
    std::string_view const arg = argv[i];
    if (arg == "--help" || arg == "-h") {
      std::cout << usage;
      return 0;
    }
    if (arg == "--version") {
      std::cout << "plait_cfg_conformance " << PLAIT_VERSION_MAJOR << '.' << PLAIT_VERSION_MINOR << '.'
                << PLAIT_VERSION_PATCH << '\n';
      return 0;
    }
    if (arg == "--list") {
      for (analysis const& a : analyses) std::cout << a.name << " M" << a.file << '\n';
      return 0;
    }
    if (arg == "--verbose" || arg == "-v") {
      given.verbose = true;
    } else if (arg.starts_with("--analyses=")) {
      given.only = arg.substr(11);
    } else if (arg == "--analyses") {
      if (++i == argc) return wrong_usage("--analyses needs a list");
      given.only = argv[i];
    } else if (arg.starts_with("-")) {
      return wrong_usage("unknown option " + std::string(arg));
    } else {
      given.folders.emplace_back(arg);
    }
  }
  if (given.folders.empty()) return wrong_usage("no folder");
  try {
    return comparisons(given)();
  } catch (std::exception const& problem) {
    std::cerr << "plait_cfg_conformance: " << problem.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace cfg_conformance

int main(int argc, char** argv) { return cfg_conformance::run(argc, argv); }
