// Conformance tests with recorded inputs and outputs: ONNX's own, if they are installed, and tests/data/onnx.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>

#include <support/onnx_runs.hpp>
#include <support/skip.hpp>

namespace {

namespace fs = std::filesystem;
using onnx_runs::test_model;
using onnx_runs::verdict;
using onnx_runs::verdicts;

std::vector<std::string> lines_of(fs::path const& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

std::map<std::string, verdict> test_all(fs::path const& root) {
  std::map<std::string, verdict> found;
  for (auto const& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "model.onnx") continue;
    fs::path const folder = entry.path().parent_path();
    std::string const name = fs::relative(folder, root).generic_string();
    verdict const is = test_model(folder);
    if (is.is == verdicts::wrong) FAIL_CHECK(name << ": " << is.reasons.front());
    found.emplace(name, is);
  }
  return found;
}

/// Returns the reasons in one line, without the list of operands in those of a refused run.
std::string text_of(verdict const& is) {
  std::string made;
  for (std::string const& reason : is.reasons)
    made += (made.empty() ? "" : "; ") + (is.is == verdicts::refused ? reason.substr(0, reason.find(',')) : reason);
  return made;
}

TEST_CASE("ONNX models: the recorded ones compute their recorded outputs") {
  std::size_t models = 0;
  for (auto const& entry : fs::directory_iterator(fs::path(PLAIT_TEST_DATA_DIR) / "onnx" / "recorded")) {
    verdict const found = test_model(entry.path());
    CAPTURE(entry.path().filename().string());
    CAPTURE((found.reasons.empty() ? std::string() : found.reasons.front()));
    CHECK(found.is == verdicts::passed);
    ++models;
  }
  CHECK(models > 50);
}

// passed.txt and missing.txt list which models pass, and why others do not. An unlisted model may do either, but must
// not compute wrong outputs.
TEST_CASE("ONNX models: ONNX's own tests pass or are refused as listed") {
  if (std::string(PLAIT_ONNX_TEST_DATA).empty()) return test::skip("PLAIT_ONNX_TEST_DATA is not set");
  std::map<std::string, std::string> listed;  // with the reason; empty for those that pass
  fs::path const lists = fs::path(PLAIT_TEST_DATA_DIR) / "onnx";
  for (std::string const& name : lines_of(lists / "passed.txt")) listed.emplace(name, "");
  for (std::string const& line : lines_of(lists / "missing.txt")) {
    std::size_t const tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    CHECK(listed.emplace(line.substr(0, tab), line.substr(tab + 1)).second);
  }
  std::map<std::string, std::set<std::string>> missing;  // by reason
  std::map<verdicts, std::size_t> count;
  std::size_t unlisted = 0;
  for (auto const& [name, found] : test_all(PLAIT_ONNX_TEST_DATA)) {
    ++count[found.is];
    for (std::string const& reason : found.reasons) missing[reason].insert(name);
    if (!listed.contains(name)) {  // a test of another version of ONNX
      ++unlisted;
      continue;
    }
    CAPTURE(name);
    CHECK(text_of(found) == listed.at(name));
  }
  std::string table = "passed " + std::to_string(count[verdicts::passed]) + ", unsupported " +
                      std::to_string(count[verdicts::unsupported]) + ", refused when run " +
                      std::to_string(count[verdicts::refused]) + ", wrong " + std::to_string(count[verdicts::wrong]) +
                      "; not listed " + std::to_string(unlisted);
  for (auto const& [reason, models] : missing)
    table += "\n" + std::to_string(models.size()) + '\t' + reason + " (" + *models.begin() + ')';
  MESSAGE(table);
}

}  // namespace
