// plait check: reports problems of a net.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/exec/operators.hpp>
#include <plait/exec/serial.hpp>
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

// Argument that no op type of plait has, most often one whose name is misspelt.
struct unknown_argument {
  std::size_t op;  // among those of the net that has it
  std::string type;
  std::string argument;

  std::string message() const {
    return "op " + std::to_string(op) + " (" + type + ") has an argument '" + argument +
           "', which no op type of plait has";
  }
};

// Returns the arguments of all op types of plait, since nets set `order` of Relu, too, and those by which Caffe2
// selects kernels.
std::set<std::string, std::less<>> known_arguments() {
  std::set<std::string, std::less<>> known = {"cudnn_exhaustive_search", "deterministic", "exhaustive_search",
                                              "shared_buffer",           "use_cudnn",     "ws_nbytes_limit"};
  for (plait::op_schema const* schema : plait::standard_operators<plait::serial>().schemas()) {
    for (auto const& a : schema->arguments()) known.insert(a.name);
    for (auto const& a : schema->net_arguments()) known.insert(a.name);
    for (auto const& a : schema->refused_arguments()) known.insert(a.name);
  }
  return known;
}

// Returns the unknown arguments of op types that plait runs, in nested nets, too.
std::vector<unknown_argument> unknown_arguments(plait::netdef const& net) {
  auto const& operators = plait::standard_operators<plait::serial>();
  auto const known = known_arguments();
  std::vector<unknown_argument> found;
  std::vector<plait::netdef const*> left{&net};
  while (!left.empty()) {
    plait::netdef const& n = *left.back();
    left.pop_back();
    for (std::size_t i = 0; i != n.op.size(); ++i) {
      std::string_view const type = n.text(n.op[i].type);
      bool const runs = operators.find(type) != nullptr;
      for (plait::arg_def const& a : n.op[i].arg) {
        if (a.n) left.push_back(&*a.n);
        for (plait::netdef const& inner : a.nets) left.push_back(&inner);
        std::string_view const name = n.text(a.name);
        if (runs && !known.contains(name) && !name.ends_with(".rename"))
          found.push_back({i, std::string(type), std::string(name)});
      }
    }
  }
  return found;
}

int print_json_report(source const& in, std::vector<plait::net_problem> const& problems,
                      std::vector<unknown_argument> const& unknown, std::size_t warnings) {
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
  for (unknown_argument const& u : unknown)
    list.push_back({{"level", "warning"},
                    {"kind", "unknown argument"},
                    {"op", u.op},
                    {"type", u.type},
                    {"argument", u.argument},
                    {"message", u.message()}});
  std::size_t const notes = list.size() - warnings;
  print_json({{"file", in.label}, {"warnings", warnings}, {"notes", notes}, {"problems", std::move(list)}});
  return 0;
}

void print(source const& in, std::vector<plait::net_problem> const& problems,
           std::vector<unknown_argument> const& unknown, std::size_t warnings) {
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
  for (unknown_argument const& u : unknown)
    std::cout << in.label << ": " << marked("warning") << ' ' << visible(u.message()) << " [unknown argument]\n";
  std::size_t const total = problems.size() + in.diagnostics.size() + unknown.size();
  if (total == 0) {
    std::cout << in.label << ": no problems\n";
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
  std::vector<unknown_argument> const unknown = unknown_arguments(in.net);
  auto const is_warning = [](auto const& p) { return level(p) == "warning"; };
  auto const warnings =
      in.diagnostics.size() + unknown.size() + static_cast<std::size_t>(std::ranges::count_if(problems, is_warning));
  if (given.json)
    print_json_report(in, problems, unknown, warnings);
  else
    print(in, problems, unknown, warnings);
  return given.strict && warnings != 0 ? 1 : 0;
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
      "Fails for a file that is not a net, and with --strict for any warning.");
  add_file(*command, given->file);
  add_json(*command, given->json);
  command->add_flag("--strict", given->strict, "fail (exit status 1) if there is a warning");
  command->add_flag("-q,--quiet", given->quiet, "warnings only, no notes");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
