// plait_onnx_conformance: runs ONNX models on recorded inputs, in the layout of ONNX's own tests, and counts.
//
//   plait_onnx_conformance [--tolerance T] [--quiet] FOLDER...
//
// Each folder below a FOLDER that has a model.onnx is a case: test_data_set_<n>/input_<i>.pb and output_<i>.pb beside
// it are its inputs and outputs. Prints "passed", "refused" with every reason, or "wrong" for each case; --quiet leaves
// out those that passed. Floats may differ by T (default 1e-4) times the largest element of an output, or by ONNX's own
// tolerance. The status is 1 if a case is wrong, 2 for wrong arguments.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <support/onnx_runs.hpp>

namespace {

namespace fs = std::filesystem;
using onnx_runs::verdict;
using onnx_runs::verdicts;

constexpr char usage[] = "usage: plait_onnx_conformance [--tolerance T] [--quiet] FOLDER...\n";

/// Returns the folders with a model, in alphabetical order.
std::vector<fs::path> cases_below(fs::path const& root) {
  std::vector<fs::path> found;
  for (auto const& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "model.onnx") found.push_back(entry.path().parent_path());
  std::ranges::sort(found);
  return found;
}

char const* name_of(verdicts is) {
  switch (is) {
    case verdicts::passed:
      return "passed";
    case verdicts::unsupported:
      return "refused";
    case verdicts::refused:
      return "refused when run";
    default:
      return "wrong";
  }
}

}  // namespace

int main(int argc, char** argv) {
  double tolerance = 1e-4;
  bool quiet = false;
  std::vector<fs::path> roots;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument == "--quiet") {
      quiet = true;
    } else if (argument == "--tolerance" && i + 1 < argc) {
      std::string_view const number = argv[++i];
      auto const read = std::from_chars(number.data(), number.data() + number.size(), tolerance);
      if (read.ec != std::errc() || read.ptr != number.data() + number.size() || !(tolerance >= 0)) {
        std::fprintf(stderr, "plait_onnx_conformance: '%s' is no tolerance\n%s", argv[i], usage);
        return 2;
      }
    } else if (argument.starts_with("--")) {
      std::fputs(usage, stderr);
      return 2;
    } else if (std::error_code problem; fs::is_directory(argument, problem)) {
      roots.emplace_back(argument);
    } else {
      std::fprintf(stderr, "plait_onnx_conformance: '%s' is no folder\n", argv[i]);
      return 2;
    }
  }
  if (roots.empty()) {
    std::fputs(usage, stderr);
    return 2;
  }
  std::array<std::size_t, 4> count{};
  for (fs::path const& root : roots)
    for (fs::path const& folder : cases_below(root)) {
      verdict const found = onnx_runs::test_model(folder, tolerance);
      ++count[static_cast<std::size_t>(found.is)];
      if (quiet && found.is == verdicts::passed) continue;
      std::string const name = folder == root ? folder.string() : fs::relative(folder, root).generic_string();
      std::printf("%-16s %s\n", name_of(found.is), name.c_str());
      for (std::string const& reason : found.reasons) std::printf("    %s\n", reason.c_str());
      std::fflush(stdout);
    }
  std::printf("%zu passed, %zu refused when read, %zu refused when run, %zu wrong\n", count[0], count[1], count[2],
              count[3]);
  return count[3] == 0 ? 0 : 1;
}
