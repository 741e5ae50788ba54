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
using onnx_runs::bytes_of;
using onnx_runs::read;
using onnx_runs::run;
using onnx_runs::values;

std::vector<std::string> lines_of(fs::path const& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

enum class verdicts { passed, unsupported, refused, wrong };

struct verdict {
  verdicts is;
  std::vector<std::string> reasons = {};
};

std::vector<plait::tensor_value> recorded(fs::path const& folder, char const* what) {
  std::vector<plait::tensor_value> found;
  for (std::size_t i = 0;; ++i) {
    fs::path const file = folder / (what + std::to_string(i) + ".pb");
    if (!fs::exists(file)) return found;
    std::string const document = bytes_of(file);
    found.push_back(plait::value_of(plait::parse_onnx_tensor(document)));
  }
}

verdict test_model(fs::path const& folder) {
  try {
    std::string const document = bytes_of(folder / "model.onnx");
    plait::onnx_model const model = plait::parse_onnx(document);
    for (auto const* list : {&model.graph.inputs, &model.graph.outputs})
      for (plait::onnx_value_info const& info : *list)
        if (info.kind == plait::onnx_value_info::kinds::other) {
          static_cast<void>(plait::read_onnx(model));
          return {verdicts::unsupported, {"a sequence or optional"}};
        }
    for (std::size_t set = 0;; ++set) {
      fs::path const data = folder / ("test_data_set_" + std::to_string(set));
      if (!fs::exists(data)) return {verdicts::passed};
      auto const given = recorded(data, "input_");
      values inputs;
      for (std::size_t i = 0; i != given.size(); ++i) inputs.emplace(model.graph.inputs.at(i).name, given[i]);
      std::string const off = run(read(model, inputs), inputs, recorded(data, "output_"));
      if (!off.empty()) return {verdicts::wrong, {off}};
    }
  } catch (plait::onnx_error const& e) {
    verdict found{verdicts::unsupported};
    for (plait::onnx_problem const& each : e.problems)
      found.reasons.push_back(each.reason == "there is no rule for it" ? each.type : each.type + ": " + each.reason);
    return found;
  } catch (plait::exec_error const& e) {
    return {verdicts::refused, {e.what()}};
  } catch (plait::error const& e) {  // tensors of types that plait does not have
    return {verdicts::unsupported, {e.what()}};
  }
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
