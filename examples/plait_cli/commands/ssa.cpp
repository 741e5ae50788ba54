// plait ssa: prints the SSA form of a net.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using form = plait::ssa_form<plait::netdef>;

struct ssa_options {
  std::string file;
  bool json = false;
  bool subnets = false;
};

void print(plait::netdef const& net, form const& ssa) {
  auto const listed = [&](auto const& values) {
    std::string text;
    for (plait::value v : values) {
      if (!text.empty()) text += ' ';
      text += std::string(ssa.name(v)) + ':' + std::to_string(v.version);
    }
    return text;
  };
  table rows({{"op", true, false}, {"type", false, true}, {"reads", false, true}, {"writes", false, true}});
  for (auto const& op : ssa.ops())
    rows.add({std::to_string(op.index), std::string(net.text(net.op[op.index].type)), listed(op.reads()),
              listed(op.writes())});
  rows.print(std::cout, output_width(), shows_colour(1));
}

nlohmann::ordered_json to_json(source const& in, form const& ssa) {
  using nlohmann::ordered_json;
  auto const listed = [&](auto const& values) {
    ordered_json list = ordered_json::array();
    for (plait::value v : values) list.push_back({{"blob", ssa.name(v)}, {"version", v.version}});
    return list;
  };
  ordered_json ops = ordered_json::array();
  for (auto const& op : ssa.ops())
    ops.push_back({{"op", op.index},
                   {"type", in.net.text(in.net.op[op.index].type)},
                   {"reads", listed(op.reads())},
                   {"writes", listed(op.writes())}});
  ordered_json undefined = ordered_json::array();
  for (plait::blob_index b : ssa.undefined()) undefined.push_back(ssa.name(b));
  return {{"file", in.label},
          {"ops", std::move(ops)},
          {"external_inputs", listed(ssa.external_inputs())},
          {"external_outputs", listed(ssa.external_outputs())},
          {"undefined", std::move(undefined)}};
}

int run(ssa_options const& given) {
  source const in = load_any(given.file);
  try {
    form const ssa = plait::get_ssa(in.net, {.subnets = given.subnets, .control_inputs = given.subnets});
    if (given.json)
      print_json(to_json(in, ssa));
    else
      print(in.net, ssa);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  return 0;
}

}  // namespace

void add_ssa(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<ssa_options>();
  CLI::App* const command = app.add_subcommand("ssa", "print which version of which blob every op reads and writes");
  command->footer("blob:0 is an input of the net; each write defines the next version.");
  add_file(*command, given->file);
  add_json(*command, given->json);
  command->add_flag("--subnets", given->subnets, "include what nested nets read and write, and control inputs");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
