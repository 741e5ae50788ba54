// plait check: everything about a net that looks wrong.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/validate.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct check_options {
  std::string file;
  bool json = false;
  bool strict = false;
  bool quiet = false;
};

// Everything that could be read is a warning at most: Caffe2 refuses some of these nets, other systems run them.
std::string_view level(plait::net_problem const& problem) {
  return problem.severity == plait::net_problem_severity::note ? "note" : "warning";
}

int print_json_report(source const& in, std::vector<plait::net_problem> const& problems, std::size_t warnings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (plait::diagnostic const& d : in.diagnostics) {
    nlohmann::ordered_json entry = {{"level", "warning"}, {"kind", "unknown field"}};
    if (d.position.line != 0) {
      entry["line"] = d.position.line;
      entry["column"] = d.position.column;
    } else {
      entry["byte"] = d.position.offset;
    }
    entry["message"] = d.message;
    list.push_back(std::move(entry));
  }
  for (plait::net_problem const& p : problems) {
    nlohmann::ordered_json entry = {{"level", level(p)}, {"kind", plait::problem_name(p.kind)}};
    if (!p.inside.empty()) entry["inside"] = p.inside;
    if (p.op) {
      entry["op"] = *p.op;
      entry["type"] = p.type;
    }
    if (p.slot) entry["slot"] = *p.slot;
    if (!p.blob.empty()) entry["blob"] = p.blob;
    entry["refused_by_caffe2"] = p.severity == plait::net_problem_severity::error;
    entry["message"] = p.message;
    list.push_back(std::move(entry));
  }
  std::size_t const notes = list.size() - warnings;
  print_json({{"file", in.label}, {"warnings", warnings}, {"notes", notes}, {"problems", std::move(list)}});
  return 0;
}

void print(source const& in, std::vector<plait::net_problem> const& problems, std::size_t warnings) {
  bool const colour = shows_colour(1);
  auto const marked = [&](std::string_view what) {
    return coloured(std::string(what) + ':', what == "warning" ? colour::yellow : colour::dim, colour);
  };
  for (plait::diagnostic const& d : in.diagnostics)
    std::cout << placed(in.label, d.position, marked("warning") + ' ' + visible(d.message)) << " [unknown field]\n";
  for (plait::net_problem const& p : problems) {
    std::cout << in.label << ": " << marked(level(p)) << ' ' << visible(p.message) << " ["
              << plait::problem_name(p.kind) << ']';
    if (p.severity == plait::net_problem_severity::error) std::cout << " (Caffe2 refuses such a net)";
    std::cout << '\n';
  }
  std::size_t const total = problems.size() + in.diagnostics.size();
  if (total == 0) {
    std::cout << in.label << ": nothing to remark\n";
    return;
  }
  auto const plural = [](std::size_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
  };
  std::cout << in.label << ": " << plural(warnings, "warning") << ", " << plural(total - warnings, "note") << '\n';
}

int run(check_options const& given) {
  source const in = load(given.file);
  std::vector<plait::net_problem> const problems = plait::validate(in.net, {.notes = !given.quiet});
  auto const warnings = in.diagnostics.size() + static_cast<std::size_t>(std::ranges::count_if(
                                                    problems, [](auto const& p) { return level(p) == "warning"; }));
  if (given.json)
    print_json_report(in, problems, warnings);
  else
    print(in, problems, warnings);
  return given.strict && warnings != 0 ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<check_options>();
  CLI::App* const command = app.add_subcommand("check", "what looks wrong in a net, with op and blob");
  command->footer(
      "Warnings: blobs read without being declared or written, outputs never written, repeated externals and outputs,\n"
      "blobs without a name, unknown fields, step nets that cannot be read; in nets inside ops, too.\n"
      "Notes: unused or overwritten inputs, ops no output depends on.\n"
      "Fails for a file that is no net, and with --strict for any warning.");
  add_file(*command, given->file);
  add_json(*command, given->json);
  command->add_flag("--strict", given->strict, "fail (exit status 1) if there is a warning");
  command->add_flag("-q,--quiet", given->quiet, "warnings only, no notes");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
