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

#include <plait/core/errors.hpp>
#include <plait/net/op_stats.hpp>
#include <plait/netdef/nested_nets.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/devices.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct info_options {
  std::string file;
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
  struct level {
    std::shared_ptr<plait::netdef const> net;
    std::shared_ptr<plait::netdef const> owner;  // the net that holds it, if that was parsed from text
    std::size_t depth;
  };
  std::vector<level> pending;
  pending.push_back({std::shared_ptr<plait::netdef const>(std::shared_ptr<void>(), &net), nullptr, 0});
  while (!pending.empty()) {
    level const here = std::move(pending.back());
    pending.pop_back();
    found.depth = std::max(found.depth, here.depth);
    if (here.depth != 0) {
      ++found.nets;
      found.ops += here.net->op.size();
    }
    for (plait::op_def const& op : here.net->op) {
      try {
        for (plait::nested_net& inner : plait::nested_nets(*here.net, op)) {
          // A nested message lives in the enclosing net, which may itself have been parsed for this walk.
          auto const keep = here.net.use_count() != 0 ? here.net : here.owner;
          pending.push_back({std::move(inner.net), keep, here.depth + 1});
        }
      } catch (plait::net_error const&) {
        ++found.unreadable;  // reported by plait check
      }
    }
  }
  return found;
}

summary summarise(plait::netdef const& net) {
  summary found;
  found.types = plait::op_stats(net);
  for (plait::op_def const& op : net.op) {
    if (auto const device = plait::net_traits<plait::netdef>::device(net, op)) {
      std::string name(plait::device_name(device->kind));
      if (device->id) name += ':' + std::to_string(*device->id);
      ++found.devices[name];
    }
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

std::vector<std::string> texts(plait::netdef const& net, std::vector<plait::symbol> const& names) {
  std::vector<std::string> all;
  all.reserve(names.size());
  for (plait::symbol name : names) all.emplace_back(net.text(name));
  return all;
}

std::string listed(std::vector<std::string> const& names) {
  std::string text = std::to_string(names.size());
  for (char const* separator = ": "; std::string const& name : names) {
    text += separator + name;
    separator = ", ";
  }
  return text;
}

void print(source const& in, summary const& found) {
  plait::netdef const& net = in.net;
  std::size_t const width = output_width();
  table facts({{"", false, false}, {"", false, true}});
  auto const plural = [](std::size_t count, std::string const& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
  };
  facts.add({"file", in.label});
  facts.add({"format", std::string(plait::to_string(in.format))});
  if (net.name) facts.add({"name", std::string(net.text(net.name))});
  if (net.type) facts.add({"type", std::string(net.text(net.type))});
  facts.add({"ops",
             std::to_string(net.op.size()) + (found.types.empty() ? "" : " of " + plural(found.types.size(), "type"))});
  facts.add({"external inputs", listed(texts(net, net.external_input))});
  facts.add({"external outputs", listed(texts(net, net.external_output))});
  facts.add({"blobs", std::to_string(found.blobs) + ", " + std::to_string(found.rewritten) + " in several versions"});
  facts.add({"values", std::to_string(found.values)});
  facts.add({"in place", plural(found.in_place, "op")});
  if (found.nested.nets != 0)
    facts.add({"nested nets", std::to_string(found.nested.nets) + " with " + plural(found.nested.ops, "op") + ", " +
                                  std::to_string(found.nested.depth) + " deep"});
  if (found.nested.unreadable != 0) facts.add({"unreadable nets", "in " + plural(found.nested.unreadable, "op")});
  for (auto const& [device, count] : found.devices) facts.add({"on " + device, plural(count, "op")});
  if (!in.diagnostics.empty()) facts.add({"unknown fields", std::to_string(in.diagnostics.size())});
  facts.print(std::cout, width, false);
  if (found.types.empty()) return;

  std::cout << '\n';
  table types({{"op type", false, true}, {"count", true, false}, {"share", true, false}});
  for (auto const& [type, count] : found.types)
    types.add({type, std::to_string(count), std::to_string((100 * count + net.op.size() / 2) / net.op.size()) + " %"});
  types.print(std::cout, width, shows_colour(1));
}

nlohmann::ordered_json to_json(source const& in, summary const& found) {
  plait::netdef const& net = in.net;
  nlohmann::ordered_json types = nlohmann::ordered_json::object();
  for (auto const& [type, count] : found.types) types[type] = count;
  nlohmann::ordered_json devices = nlohmann::ordered_json::object();
  for (auto const& [device, count] : found.devices) devices[device] = count;
  return {{"file", in.label},
          {"format", plait::to_string(in.format)},
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

int run(info_options const& given) {
  source const in = load(given.file);
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
  add_json(*command, given->json);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
