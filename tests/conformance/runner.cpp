#include "runner.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iomanip>
#include <map>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <plait/core/errors.hpp>

#include "case_result.hpp"
#include "kinds.hpp"

namespace conformance {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> entries(fs::path const& folder) {
  std::vector<fs::path> found;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

void add_json_files(fs::path const& folder, fs::path const& root, std::vector<case_file>& found) {
  for (fs::path const& file : entries(folder))
    if (file.extension() == ".json" && fs::is_regular_file(file)) found.push_back({file, root});
}

// Adds the files in the folders of kinds below `cases`.
void add_kinds(fs::path const& cases, std::vector<case_file>& found) {
  for (fs::path const& kind : entries(cases))
    if (fs::is_directory(kind)) add_json_files(kind, cases.parent_path(), found);
}

// Returns the folders called "cases", `folder` itself included.
std::vector<fs::path> cases_folders(fs::path const& folder) {
  if (folder.filename() == "cases") return {folder};
  std::vector<fs::path> found;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    if (!it->is_directory() || it->path().filename() != "cases") continue;
    found.push_back(it->path());
    it.disable_recursion_pending();
  }
  std::ranges::sort(found);
  return found;
}

struct run_result {
  std::optional<case_result> got;
  std::string refusal;                ///< message of the plait::error
  std::vector<std::string> problems;  ///< errors in it, if it was expected
};

// Runs the function under test; only errors of plait are refusals.
run_result run(kind const& k, case_inputs& in) {
  try {
    return {k.run(in), {}, {}};
  } catch (plait::error const& refused) {
    run_result made{std::nullopt, refused.what(), {}};
    if (k.refusal_problems != nullptr) made.problems = k.refusal_problems(in, refused);
    return made;
  }
}

void add_lines(outcome& result, std::string const& prefix, std::vector<std::string> const& lines) {
  for (std::string const& line : lines) result.notes.push_back(prefix + line);
}

// Judges the result without options for the quirks of the recorded system.
void judge_by_default(kind const& k, test_case const& c, case_result const& recorded, outcome& result) {
  case_inputs in(c, case_inputs::mode::by_default);
  run_result const own = run(k, in);
  std::vector<std::string> problems;
  std::vector<std::string> unmarked;
  if (!own.got) {
    problems = {"refused: " + own.refusal};
  } else if (problems = k.problems(in, *own.got); problems.empty()) {
    unmarked = k.problems(in, recorded);
    if (unmarked.empty()) problems = differences(c.data["expect"], *own.got, c);
  }
  if (!problems.empty()) result.is = verdict::failed;
  add_lines(result, "by default: ", problems);
  add_lines(result, "unmarked defect of the recording: ", unmarked);
}

void judge(kind const& k, test_case const& c, outcome& result) {
  case_inputs in(c);
  run_result const ran = run(k, in);
  if (!ran.got)
    if (auto const changed = in.changed()) {
      result.is = verdict::failed;
      result.notes = {"refused, but '" + *changed + "' was changed", "refused: " + ran.refusal};
      return;
    }

  // `decided`, only in plait's own cases, is what plait does where the recorded system is wrong; null: it refuses.
  auto const decided = c.data.find("decided");
  if (c.defect) {
    result.notes = {"recorded system: " + *c.defect};
    std::vector<std::string> problems;
    if (decided != c.data.end() && decided->is_null() != !ran.got)
      problems.push_back(ran.got ? "should have been refused" : "refused: " + ran.refusal);
    else if (decided != c.data.end() && ran.got)
      problems = differences(*decided, *ran.got, c);
    if (ran.got && k.problems != nullptr)
      for (std::string& problem : k.problems(in, *ran.got)) problems.push_back(std::move(problem));
    result.is = problems.empty() ? verdict::decided : verdict::failed;
    result.notes.insert(result.notes.end(), problems.begin(), problems.end());
    return;
  }
  if (c.refused) {
    result.is = ran.got ? verdict::failed : verdict::passed;
    if (ran.got) result.notes = {"should have been refused: " + member<std::string>(c.data, "message", "")};
    if (ran.problems.empty()) return;
    result.is = verdict::failed;
    result.notes = ran.problems;
    result.notes.push_back("refused: " + ran.refusal);
    return;
  }
  if (!ran.got) {
    result.is = verdict::failed;
    result.notes = {"refused: " + ran.refusal};
    return;
  }
  if (c.data["expect"].empty()) throw malformed_case("'expect' has no members");  // any result would pass
  result.notes = k.differences != nullptr ? k.differences(in, *ran.got) : differences(c.data["expect"], *ran.got, c);
  result.is = result.notes.empty() ? verdict::passed : verdict::failed;
  if (result.is == verdict::passed && k.also_by_default) judge_by_default(k, c, *ran.got, result);
}

}  // namespace

std::vector<case_file> find_cases(fs::path const& folder) {
  // An absolute path without a trailing slash, so that parent_path() is the enclosing folder.
  fs::path at = fs::absolute(folder).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();
  std::vector<case_file> found;
  for (fs::path const& cases : cases_folders(at)) add_kinds(cases, found);
  if (found.empty()) add_kinds(at, found);
  if (found.empty()) add_json_files(at, at.parent_path().parent_path(), found);
  return found;
}

outcome run_case(case_file const& at) {
  outcome result{at.file.parent_path().filename().string(), at.file.stem().string(), {}, verdict::failed, {}};
  try {
    test_case const c = load_case(at.file, at.root);
    result.kind = c.kind;
    result.what = c.what;
    auto const k = std::ranges::find(kinds, std::string_view(c.kind), &kind::name);
    if (k == kinds.end()) throw unsupported_case("kind " + c.kind);
    judge(*k, c, result);
  } catch (unsupported_case const& missing) {
    result.is = verdict::unsupported;
    result.notes = {missing.what()};
  } catch (malformed_case const& problem) {
    result.notes = {at.file.string() + ": " + problem.what()};
  } catch (json::exception const& problem) {
    result.notes = {at.file.string() + ": " + problem.what()};
  } catch (std::exception const& problem) {
    result.notes = {std::string("threw an exception that is not a plait::error: ") + problem.what()};
  }
  return result;
}

void print_report(std::ostream& out, std::vector<outcome> const& outcomes, report_options const& options) {
  constexpr std::array names = {"passed", "failed", "decided", "unsupported"};
  constexpr std::size_t shown = 3;
  std::map<std::string, std::array<std::size_t, names.size()>> counts;
  std::map<std::string, std::size_t> missing;
  for (outcome const& o : outcomes) {
    ++counts[o.kind][static_cast<std::size_t>(o.is)];
    if (o.is == verdict::unsupported) ++missing[o.notes.front()];
    bool const always = o.is == verdict::failed || (o.is == verdict::passed && !o.notes.empty());
    if (!always && (!options.verbose || o.is == verdict::passed)) continue;
    out << names[static_cast<std::size_t>(o.is)] << ' ' << o.kind << '/' << o.name;
    if (!o.what.empty()) out << ": " << o.what;
    out << '\n';
    std::size_t const end = options.verbose ? o.notes.size() : std::min(shown, o.notes.size());
    for (std::size_t i = 0; i != end; ++i) out << "    " << o.notes[i] << '\n';
    if (end != o.notes.size()) out << "    and " << o.notes.size() - end << " more (--verbose)\n";
  }
  if (!missing.empty() && !options.verbose) {
    out << "unsupported:";
    for (char const* separator = " "; auto const& [what, count] : missing) {
      out << separator << what << " (" << count << ')';
      separator = ", ";
    }
    out << '\n';
  }

  std::size_t width = 5;
  for (auto const& [kind, count] : counts) width = std::max(width, kind.size());
  auto const row = [&](std::string const& kind, auto const& cells) {
    out << std::left << std::setw(static_cast<int>(width)) << kind << std::right;
    for (std::size_t i = 0; i != names.size(); ++i) out << std::setw(i == 3 ? 13 : 9) << cells[i];
    out << '\n';
  };
  std::array<std::size_t, names.size()> total = {};
  row("kind", names);
  for (auto const& [kind, count] : counts) {
    row(kind, count);
    for (std::size_t i = 0; i != names.size(); ++i) total[i] += count[i];
  }
  if (counts.size() > 1) row("all", total);
}

}  // namespace conformance
