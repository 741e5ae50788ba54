// plait diff: semantic difference of two nets.
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "nested_ops.hpp"
#include "net_diff.hpp"
#include "op_text.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;

struct diff_options {
  std::string before;
  std::string after;
  bool json = false;
};

ordered_json op_json(plait::netdef const& net, std::size_t index) {
  plait::op_def const& op = net.op[index];
  ordered_json arguments = ordered_json::object();
  for (plait::arg_def const& a : op.arg) arguments[std::string(net.text(a.name))] = argument_json(a);
  return {{"op", index},
          {"type", net.text(op.type)},
          {"inputs", texts(net, op.input)},
          {"outputs", texts(net, op.output)},
          {"arguments", std::move(arguments)}};
}

ordered_json externals_json(externals_change const& change) {
  return {{"removed", change.removed}, {"added", change.added}, {"reordered", change.reordered}};
}

ordered_json to_json(source const& before, source const& after, net_diff const& found) {
  ordered_json removed = ordered_json::array();
  for (std::size_t op : found.removed) removed.push_back(op_json(before.net, op));
  ordered_json added = ordered_json::array();
  for (std::size_t op : found.added) added.push_back(op_json(after.net, op));
  ordered_json changed = ordered_json::array();
  for (changed_op const& c : found.changed) {
    ordered_json changes = ordered_json::array();
    for (op_change const& change : c.changes) {
      ordered_json entry = {{"what", change.what}};
      if (!change.argument.empty()) entry["argument"] = change.argument;
      entry["before"] = change.before ? ordered_json(*change.before) : ordered_json();
      entry["after"] = change.after ? ordered_json(*change.after) : ordered_json();
      changes.push_back(std::move(entry));
    }
    changed.push_back({{"before", c.before},
                       {"after", c.after},
                       {"type", after.net.text(after.net.op[c.after].type)},
                       {"changes", std::move(changes)}});
  }
  return {{"before", before.label},
          {"after", after.label},
          {"equal", found.is_empty()},
          {"removed_ops", std::move(removed)},
          {"added_ops", std::move(added)},
          {"changed_ops", std::move(changed)},
          {"external_inputs", externals_json(found.inputs)},
          {"external_outputs", externals_json(found.outputs)}};
}

std::string op_line(plait::netdef const& net, std::size_t index) {
  plait::op_def const& op = net.op[index];
  std::string text =
      op_title(net, index) + ": " + joined(texts(net, op.input)) + " -> " + joined(texts(net, op.output));
  std::vector<std::string> arguments;
  for (plait::arg_def const& a : op.arg) arguments.push_back(std::string(net.text(a.name)) + '=' + argument_text(a));
  if (!arguments.empty()) text += "; " + joined(arguments);
  return visible(text);
}

void print(source const& before, source const& after, net_diff const& found) {
  bool const in_colour = shows_colour(1);
  std::cout << "--- " << before.label << "\n+++ " << after.label << '\n';
  auto const remove = [&](std::string const& text) {
    std::cout << coloured("- " + text, colour::red, in_colour) << '\n';
  };
  auto const insert = [&](std::string const& text) {
    std::cout << coloured("+ " + text, colour::green, in_colour) << '\n';
  };
  auto const externals = [&](char const* what, externals_change const& change) {
    for (std::string const& name : change.removed) remove(what + (" '" + visible(name) + '\''));
    for (std::string const& name : change.added) insert(what + (" '" + visible(name) + '\''));
    if (change.reordered) std::cout << "! " << what << "s in another order\n";
  };
  externals("external input", found.inputs);
  externals("external output", found.outputs);
  // In the order of the nets: all removed and added ops before the next aligned pair that differs.
  std::size_t r = 0;
  std::size_t a = 0;
  auto const until = [&](std::size_t before_end, std::size_t after_end) {
    for (; r != found.removed.size() && found.removed[r] < before_end; ++r)
      remove(op_line(before.net, found.removed[r]));
    for (; a != found.added.size() && found.added[a] < after_end; ++a) insert(op_line(after.net, found.added[a]));
  };
  for (changed_op const& c : found.changed) {
    until(c.before, c.after);
    std::cout << "! " << visible(op_title(before.net, c.before));
    if (c.before != c.after) std::cout << ", now op " << c.after;
    std::cout << '\n';
    for (op_change const& change : c.changes) {
      std::string const what = change.argument.empty() ? change.what : "argument '" + change.argument + '\'';
      if (change.before) remove("  " + visible(what + ": " + *change.before));
      if (change.after) insert("  " + visible(what + ": " + *change.after));
    }
  }
  until(before.net.op.size(), after.net.op.size());
}

int run(diff_options const& given) {
  try {
    source const before = load_any(given.before);
    source const after = load_any(given.after);
    net_diff const found = diff_nets(before.net, after.net);
    if (given.json)
      print_json(to_json(before, after, found));
    else if (!found.is_empty())
      print(before, after, found);
    return found.is_empty() ? 0 : 1;
  } catch (failure const& problem) {
    throw wrong_usage(problem.what());  // exit status 2, since 1 means a difference
  }
}

}  // namespace

void add_diff(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<diff_options>();
  CLI::App* const command = app.add_subcommand("diff", "compare two nets: ops added, removed and changed, externals");
  command->footer(
      "The formats may differ. Names of nets and ops, engines, versions and the order of arguments do not count.\n"
      "Exit status: 0 no difference, 1 a difference, 2 trouble.\n"
      "Example:\n  plait diff before.pb after.pbtxt");
  command->add_option("A", given->before, "the first net; - for standard input")->required()->type_name(file_type);
  command->add_option("B", given->after, "the second net")->required()->type_name(file_type);
  add_json(*command, given->json);
  command->callback([given, &chosen] {
    if (given->before == "-" && given->after == "-")
      throw CLI::ValidationError("A, B", "only one net can come from standard input");
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
