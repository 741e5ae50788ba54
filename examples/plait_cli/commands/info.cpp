// plait info: summarises a net.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/net/op_stats.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "nested_ops.hpp"
#include "op_text.hpp"
#include "report.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;

struct info_options {
  std::string file;
  std::string type;
  bool json = false;
};

struct nested_summary {
  std::size_t nets = 0;
  std::size_t ops = 0;
  std::size_t depth = 0;
  std::size_t unreadable = 0;  // ops with an unreadable net
};

struct summary {
  std::vector<plait::op_count> types;
  std::size_t blobs = 0;
  std::size_t values = 0;
  std::size_t in_place = 0;
  std::size_t rewritten = 0;  // blobs in several versions
  nested_summary nested;
  std::map<std::string, std::size_t> devices;
};

nested_summary count_nested(plait::netdef const& net) {
  nested_summary found;
  auto const count = [&](net_place const& at) {
    if (at.inside.empty()) return;
    ++found.nets;
    found.ops += at.net.op.size();
    found.depth = std::max(found.depth, at.inside.size());
  };
  for_each_net(net, count, [&] { ++found.unreadable; });  // plait check reports these
  return found;
}

summary summarise(plait::netdef const& net) {
  summary found;
  found.types = plait::op_stats(net);
  for (plait::op_def const& op : net.op) {
    if (std::string const device = device_text(net, op); !device.empty()) ++found.devices[device];
    found.in_place += std::ranges::any_of(
        op.output, [&](plait::symbol blob) { return std::ranges::find(op.input, blob) != op.input.end(); });
  }

  auto const ssa = plait::get_ssa(net);
  for (plait::blob_index b : ssa.blobs()) {
    ++found.blobs;
    // A blob that is neither an input nor read before it is written has no version 0.
    plait::value const first{b, 0};
    bool const is_given =
        !ssa.consumers(first).empty() || std::ranges::find(ssa.external_inputs(), first) != ssa.external_inputs().end();
    found.values += ssa.version(b) + (is_given ? 1U : 0U);
    found.rewritten += ssa.version(b) > (ssa.consumers(first).empty() ? 1U : 0U);
  }
  found.nested = count_nested(net);
  return found;
}

std::string format_text(source const& in) { return in.is_onnx ? "onnx" : std::string(plait::to_string(in.format)); }

std::string listed(std::vector<std::string> const& names) {
  return std::to_string(names.size()) + (names.empty() ? "" : ": " + joined(names));
}

void print(source const& in, summary const& found) {
  plait::netdef const& net = in.net;
  std::size_t const width = output_width();
  table facts({{"", false, false}, {"", false, true}});
  facts.add({"file", in.label});
  facts.add({"format", format_text(in)});
  if (net.name) facts.add({"name", std::string(net.text(net.name))});
  if (net.type) facts.add({"type", std::string(net.text(net.type))});
  facts.add({"ops", std::to_string(net.op.size()) +
                        (found.types.empty() ? "" : " of " + counted(found.types.size(), "type"))});
  facts.add({"external inputs", listed(texts(net, net.external_input))});
  facts.add({"external outputs", listed(texts(net, net.external_output))});
  facts.add({"blobs", std::to_string(found.blobs) + ", " + std::to_string(found.rewritten) + " in several versions"});
  facts.add({"values", std::to_string(found.values)});
  facts.add({"in place", counted(found.in_place, "op")});
  if (found.nested.nets != 0)
    facts.add({"nested nets", std::to_string(found.nested.nets) + " with " + counted(found.nested.ops, "op") + ", " +
                                  std::to_string(found.nested.depth) + " deep"});
  if (found.nested.unreadable != 0) facts.add({"unreadable nets", "in " + counted(found.nested.unreadable, "op")});
  for (auto const& [device, count] : found.devices) facts.add({"on " + device, counted(count, "op")});
  if (!in.diagnostics.empty()) facts.add({"unknown fields", std::to_string(in.diagnostics.size())});
  facts.print(std::cout, width, false);
  if (found.types.empty()) return;

  std::cout << '\n';
  table types({{"op type", false, true}, {"count", true, false}, {"share", true, false}});
  for (auto const& [type, count] : found.types)
    types.add({type, std::to_string(count), std::to_string((100 * count + net.op.size() / 2) / net.op.size()) + " %"});
  types.print(std::cout, width, shows_colour(1));
}

ordered_json to_json(source const& in, summary const& found) {
  plait::netdef const& net = in.net;
  ordered_json types = ordered_json::object();
  for (auto const& [type, count] : found.types) types[type] = count;
  ordered_json devices = ordered_json::object();
  for (auto const& [device, count] : found.devices) devices[device] = count;
  return {{"file", in.label},
          {"format", format_text(in)},
          {"name", net.text(net.name)},
          {"type", net.text(net.type)},
          {"ops", net.op.size()},
          {"op_types", std::move(types)},
          {"external_inputs", texts(net, net.external_input)},
          {"external_outputs", texts(net, net.external_output)},
          {"blobs", found.blobs},
          {"blobs_in_several_versions", found.rewritten},
          {"values", found.values},
          {"in_place_ops", found.in_place},
          {"nested_nets",
           {{"nets", found.nested.nets},
            {"ops", found.nested.ops},
            {"depth", found.nested.depth},
            {"unreadable", found.nested.unreadable}}},
          {"devices", std::move(devices)},
          {"unknown_fields", in.diagnostics.size()}};
}

ordered_json to_json(op_place const& at) {
  ordered_json arguments = ordered_json::object();
  for (plait::arg_def const& a : at.op().arg) arguments[std::string(at.net().text(a.name))] = argument_json(a);
  ordered_json entry = {{"op", at.index}};
  if (!at.of.inside.empty()) entry["inside"] = at.of.inside;
  entry["name"] = at.net().text(at.op().name);
  entry["inputs"] = texts(at.net(), at.op().input);
  entry["outputs"] = texts(at.net(), at.op().output);
  entry["arguments"] = std::move(arguments);
  if (std::string const device = device_text(at.net(), at.op()); !device.empty()) entry["device"] = device;
  return entry;
}

// Prints the ops of one type, those of nested nets with the path to them.
int run_type(source const& in, info_options const& given) {
  std::vector<std::string> types;
  ordered_json list = ordered_json::array();
  table rows({{"op", true, false},
              {"name", false, true},
              {"inputs", false, true},
              {"outputs", false, true},
              {"arguments", false, true},
              {"", false, true}});
  for_each_op(in.net, [&](op_place const& at) {
    if (std::ranges::find(types, at.type()) == types.end()) types.emplace_back(at.type());
    if (at.type() != given.type) return;
    if (given.json) return list.push_back(to_json(at));
    std::vector<std::string> arguments;
    for (plait::arg_def const& a : at.op().arg)
      arguments.push_back(std::string(at.net().text(a.name)) + '=' + argument_text(a));
    std::string path = at.of.path;
    if (path.ends_with(": ")) path.resize(path.size() - 2);
    rows.add({std::to_string(at.index), std::string(at.net().text(at.op().name)),
              joined(texts(at.net(), at.op().input)), joined(texts(at.net(), at.op().output)), joined(arguments),
              path});
  });
  if (std::ranges::find(types, given.type) == types.end())
    throw failure(in.label + ": --type: the net has no op of type '" + visible(given.type) + '\'' +
                  suggest_names(given.type, types));
  if (given.json)
    print_json({{"file", in.label}, {"type", given.type}, {"ops", std::move(list)}});
  else
    rows.print(std::cout, output_width(), shows_colour(1));
  return 0;
}

int run(info_options const& given) {
  source const in = load_any(given.file);
  if (!given.type.empty()) return run_type(in, given);
  summary const found = summarise(in.net);
  if (given.json)
    print_json(to_json(in, found));
  else
    print(in, found);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<info_options>();
  CLI::App* const command = app.add_subcommand("info", "summarise a net: ops by type, externals, values, nested nets");
  add_file(*command, given->file);
  command->add_option("--type", given->type, "list the ops of this type instead, with operands and arguments");
  add_json(*command, given->json);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
