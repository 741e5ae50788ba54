// plait rename: renames one value.
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/rename.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct rename_options {
  std::string file;
  std::string name;
  destination to;
  std::uint32_t op = 0;
  std::optional<std::uint32_t> input;
  std::optional<std::uint32_t> output;
  bool from_producer = false;
  std::string init;
  destination init_to;
  bool json = false;
  bool quiet = false;
};

std::string_view name_of(plait::renamed_mention::kind what) {
  using kind = plait::renamed_mention::kind;
  switch (what) {
    case kind::input:
      return "input";
    case kind::control_input:
      return "control input";
    case kind::output:
      return "output";
    case kind::external_input:
      return "external input";
    case kind::external_output:
      return "external output";
    case kind::nested:
      return "nested nets";
  }
  return "";
}

void print_report(source const& in, std::optional<source> const& init, plait::value_rename const& done) {
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (plait::renamed_mention const& place : done.changed) {
    nlohmann::ordered_json entry = {{"file", place.init_net ? init->label : in.label}, {"what", name_of(place.what)}};
    if (place.op != plait::npos) entry["op"] = place.op;
    if (place.what != plait::renamed_mention::kind::nested) entry["slot"] = place.slot;
    places.push_back(std::move(entry));
  }
  print_json({{"file", in.label},
              {"from", done.from},
              {"version", done.version},
              {"to", done.to},
              {"changed", std::move(places)}});
}

plait::value_rename rename(rename_options const& given, plait::netdef& net, plait::netdef* init) {
  plait::rename_options const how{.from_producer = given.from_producer};
  if (given.input) {
    plait::op_input const at{given.op, *given.input};
    return init != nullptr ? plait::rename_input(net, *init, at, given.name, how)
                           : plait::rename_input(net, at, given.name, how);
  }
  plait::op_output const at{given.op, *given.output};
  return init != nullptr ? plait::rename_output(net, *init, at, given.name, how)
                         : plait::rename_output(net, at, given.name, how);
}

int run(rename_options const& given) {
  source in = load(given.file);
  std::optional<source> init;
  if (!given.init.empty()) init = load(given.init);

  plait::value_rename done;
  try {
    done = rename(given, in.net, init ? &init->net : nullptr);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  std::size_t in_init = 0;
  for (plait::renamed_mention const& place : done.changed) in_init += place.init_net;
  if (in_init != 0 && given.init_to.path.empty())
    throw failure(init->label + ": this net defines the value, and changes, too; name a file with --init-output");

  if (init && !given.init_to.path.empty()) save({given.init_to.path, given.to.format}, init->net);
  save(given.to, in.net);
  if (given.json) {
    print_report(in, init, done);
    return 0;
  }
  if (given.quiet) return 0;
  std::cerr << in.label << ": '" << visible(done.from) << "' (version " << done.version << ") is now '"
            << visible(done.to) << "' in " << done.changed.size() - in_init << " places";
  if (in_init != 0) std::cerr << ", and in " << in_init << " of " << init->label;
  std::cerr << '\n';
  return 0;
}

}  // namespace

void add_rename(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<rename_options>();
  CLI::App* const command = app.add_subcommand("rename", "rename one value, wherever it occurs");
  command->footer(
      "A value is one version of a blob; other versions keep the name. A name in use is refused.\n"
      "Examples:\n  plait rename net.pb features --op 12 --output 0 -o renamed.pb\n"
      "  plait rename predict.pb weight --op 0 --input 1 --init init.pb --init-output new_init.pb -o new.pb");
  add_file(*command, given->file);
  command->add_option("NAME", given->name, "the new name")->required();
  command->add_option("--op", given->op, "the op, counted from 0")->required();
  auto* const place = command->add_option_group("place", "the operand of the op that is the value");
  place->add_option("--output", given->output, "the output, counted from 0");
  auto* const input = place->add_option("--input", given->input, "the input, counted from 0");
  place->require_option(1);
  command->add_flag("--from-producer", given->from_producer, "with --input: also where other ops read the value")
      ->needs(input);
  auto* const init =
      command->add_option("--init", given->init, "the init net of the parameters; versions continue from it")
          ->type_name(file_type);
  command->add_option("--init-output", given->init_to.path, "write the init net to this file")
      ->needs(init)
      ->type_name(file_type);
  add_destination(*command, given->to);
  add_json(*command, given->json);
  add_quiet(*command, given->quiet);
  command->callback([given, &chosen] {
    keep_apart(given->json, given->to.to_stdout() || given->init_to.path == "-");
    if (given->init_to.path == "-" && given->to.to_stdout())
      throw CLI::ValidationError("--init-output", "only one net can go to standard output");
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
