// plait prune: dead code elimination.
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/dead_code_elimination.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct prune_options {
  std::string file;
  destination to;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  bool inputs = false;
  bool sinks = false;
  bool force = false;
};

struct removed_op {
  std::size_t index;
  std::string type;
  std::vector<std::string> outputs;
};

std::string changes_text(std::string const& label, std::vector<removed_op> const& ops,
                         std::vector<std::string> const& inputs, std::size_t before) {
  file_report report(label);
  for (removed_op const& op : ops) {
    std::string text = "removed op " + std::to_string(op.index) + " (" + visible(op.type) + ')';
    for (char const* separator = ", which writes "; std::string const& blob : op.outputs) {
      text += separator + ('\'' + visible(blob) + '\'');
      separator = ", ";
    }
    report.add(std::move(text));
  }
  for (std::string const& blob : inputs) report.add("removed external input '" + visible(blob) + '\'');
  report.add(std::to_string(ops.size()) + " of " + counted(before, "op") + " removed");
  return report.text();
}

int run(prune_options const& given) {
  source in = load(given.file);
  std::size_t const before = in.net.op.size();
  // Without external outputs every op is dead by definition, which is hardly intended.
  bool const undeclared = in.net.external_output.empty() && before != 0 && !given.force;

  std::vector<removed_op> ops;
  plait::dead_ops_report found;
  try {
    plait::dead_op_options const how{.keep_ops_without_outputs = !given.sinks, .prune_external_inputs = given.inputs};
    if (!undeclared) found = plait::find_dead_ops(std::as_const(in.net), how);
    for (plait::op_index op : found.ops) {
      plait::op_def const& dead = in.net.op[op];
      removed_op& entry = ops.emplace_back(removed_op{op, std::string(in.net.text(dead.type)), {}});
      for (plait::symbol blob : dead.output) entry.outputs.emplace_back(in.net.text(blob));
    }
    if (!undeclared) plait::remove_dead_ops(in.net, how);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  if (undeclared)
    std::cerr
        << in.label
        << ": warning: the net declares no external outputs, so nothing is removed (--force removes all dead ops)\n";

  if (!given.dry_run) save(given.to, in.net);
  if (given.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (removed_op const& op : ops) list.push_back({{"op", op.index}, {"type", op.type}, {"outputs", op.outputs}});
    print_json({{"file", in.label},
                {"ops_before", before},
                {"removed_ops", std::move(list)},
                {"removed_external_inputs", found.external_input_names}});
  } else if (given.dry_run || !given.quiet) {  // the list is the result of a dry run
    bool const net_on_stdout = given.to.to_stdout() && !given.dry_run;
    (net_on_stdout ? std::cerr : std::cout) << changes_text(in.label, ops, found.external_input_names, before);
  }
  return 0;
}

}  // namespace

void add_prune(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<prune_options>();
  CLI::App* const command = app.add_subcommand("prune", "remove the ops that no external output depends on");
  command->footer("Removed ops are listed; on standard error if the net goes to standard output.");
  add_file(*command, given->file);
  add_destination(*command, given->to);
  add_json(*command, given->json);
  add_quiet(*command, given->quiet);
  command->add_flag("-n,--dry-run", given->dry_run, "list what would be removed, write no net");
  command->add_flag("--inputs", given->inputs, "remove external inputs that nothing reads, too");
  command->add_flag("--sinks", given->sinks, "remove ops without outputs, too (Print and the like)");
  command->add_flag("--force", given->force, "also if no external outputs are declared, where every op is dead");
  command->callback([given, &chosen] {
    keep_apart(given->json, given->to.to_stdout() && !given->dry_run, "-o FILE for the net, or --dry-run");
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
