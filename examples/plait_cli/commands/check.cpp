// plait check: reports problems of a net.
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
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
#include "onnx_net.hpp"
#include "report.hpp"
#include "runnable.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;

struct check_options {
  std::string file;
  bool json = false;
  bool strict = false;
  bool runnable = false;
  bool quiet = false;
};

// Finding of any check.
struct finding {
  std::string_view level;  // note, warning or error
  std::string_view kind;
  std::string message;
  std::optional<std::size_t> op;                      // of the outermost net
  std::optional<plait::text_position> position = {};  // of what is no op
  bool refused_by_caffe2 = false;
  ordered_json facts = ordered_json::object();  // further members of its JSON object
};

void add(std::vector<finding>& found, std::vector<op_problem>&& problems, std::string_view level) {
  for (op_problem& p : problems) {
    ordered_json facts = {{"op", p.op}, {"type", p.type}};
    if (!p.inside.empty()) facts["inside"] = p.inside;
    if (!p.argument.empty()) facts["argument"] = p.argument;
    found.push_back({.level = level,
                     .kind = p.kind,
                     .message = std::move(p.message),
                     .op = p.inside.empty() ? p.op : p.inside.front(),
                     .facts = std::move(facts)});
  }
}

std::vector<finding> find_all(source const& in, check_options const& given) {
  std::vector<finding> found;
  for (plait::diagnostic const& d : in.diagnostics) {
    ordered_json facts;
    if (d.position.line != 0)
      facts = {{"line", d.position.line}, {"column", d.position.column}};
    else
      facts = {{"byte", d.position.offset}};
    found.push_back({.level = "warning",
                     .kind = "unknown field",
                     .message = d.message,
                     .op = std::nullopt,
                     .position = d.position,
                     .facts = std::move(facts)});
  }
  for (plait::net_problem& p : plait::validate(in.net, {.notes = !given.quiet})) {
    // Everything that could be read is a warning at most: Caffe2 refuses some of these nets, other systems run them.
    bool const note = p.severity == plait::net_problem_severity::note;
    bool const refused = p.severity == plait::net_problem_severity::error;
    ordered_json facts = ordered_json::object();
    if (!p.inside.empty()) facts["inside"] = p.inside;
    if (p.op) {
      facts["op"] = *p.op;
      facts["type"] = p.type;
    }
    if (p.slot) facts["slot"] = *p.slot;
    if (!p.blob.empty()) facts["blob"] = p.blob;
    facts["refused_by_caffe2"] = refused;
    std::optional<std::size_t> op;
    if (!p.inside.empty())
      op = p.inside.front();
    else if (p.op)
      op = *p.op;
    found.push_back({.level = note ? "note" : "warning",
                     .kind = plait::problem_name(p.kind),
                     .message = std::move(p.message),
                     .op = op,
                     .refused_by_caffe2 = refused,
                     .facts = std::move(facts)});
  }
  if (in.is_onnx) {
    if (!given.runnable) return found;
    for (std::string& message : onnx_problems(given.file).value_or(std::vector<std::string>()))
      found.push_back({.level = "error", .kind = "onnx", .message = std::move(message), .op = std::nullopt});
    return found;
  }
  add(found, unknown_arguments(in.net), "warning");
  if (given.runnable) add(found, runnable_problems(in.net), "error");
  return found;
}

struct level_counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};

void print_json_report(source const& in, std::vector<finding>& found, level_counts const& counts, bool runnable) {
  ordered_json list = ordered_json::array();
  for (finding& f : found) {
    ordered_json entry = {{"level", f.level}, {"kind", f.kind}};
    entry.update(f.facts);
    entry["message"] = f.message;
    list.push_back(std::move(entry));
  }
  ordered_json report = {{"file", in.label}, {"warnings", counts.warnings}, {"notes", counts.notes}};
  if (runnable) {
    report["errors"] = counts.errors;
    report["runnable"] = counts.errors == 0;
  }
  report["problems"] = std::move(list);
  print_json(report);
}

void print(source const& in, std::vector<finding> const& found, level_counts const& counts,
           check_options const& given) {
  bool const in_colour = shows_colour(1);
  file_report report(in.label);
  for (finding const& f : found) {
    colour const as = f.level == "error" ? colour::red : f.level == "warning" ? colour::yellow : colour::dim;
    std::string text = coloured(std::string(f.level) + ':', as, in_colour) + ' ' + visible(f.message) + " [" +
                       std::string(f.kind) + ']';
    if (f.refused_by_caffe2) text += " (Caffe2 refuses such a net)";
    if (f.position)
      report.add(*f.position,
                 f.position->line == 0 ? "byte " + std::to_string(f.position->offset) + ": " + text : text);
    else if (f.op)
      report.add(in, *f.op, std::move(text));
    else
      report.add(std::move(text));
  }
  if (!given.quiet) {
    std::string text;
    if (given.runnable) text = counted(counts.errors, "error") + ", ";
    text += counted(counts.warnings, "warning") + ", " + counted(counts.notes, "note");
    if (found.empty()) text = "no problems";
    if (given.runnable) text += counts.errors == 0 ? "; plait compiles the net" : "; plait does not run the net";
    report.add(std::move(text));
  }
  std::cout << report.text();
}

int run(check_options const& given) {
  source const in = load_any(given.file);
  std::vector<finding> found = find_all(in, given);
  level_counts counts;
  for (finding const& f : found)
    ++(f.level == "error" ? counts.errors : f.level == "warning" ? counts.warnings : counts.notes);
  if (given.json)
    print_json_report(in, found, counts, given.runnable);
  else
    print(in, found, counts, given);
  return counts.errors != 0 || (given.strict && counts.warnings != 0) ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<check_options>();
  CLI::App* const command = app.add_subcommand("check", "report problems of a net, with op and blob");
  command->footer(
      "Warnings: blobs read without being declared or written, outputs never written, repeated externals and outputs,\n"
      "blobs without a name, unknown fields, step nets that cannot be read, arguments that no op type of plait\n"
      "has (for op types that plait runs); in nested nets, too.\n"
      "Notes: unused or overwritten inputs, dead ops.\n"
      "Errors, with --runnable: op types that plait lacks, wrong numbers of inputs or outputs, arguments that are "
      "missing,\n"
      "of a wrong type or refused; all of them, in nested nets, too. Shapes are known only when the net runs.\n"
      "Fails for a file that is not a net, for any error, and with --strict for any warning.");
  add_file(*command, given->file);
  add_json(*command, given->json);
  command->add_flag("--strict", given->strict, "fail (exit status 1) if there is a warning");
  command->add_flag("--runnable", given->runnable, "also check that plait runs the net, and fail if it does not");
  add_quiet(*command, given->quiet);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
