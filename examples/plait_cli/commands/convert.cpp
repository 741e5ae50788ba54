// plait convert: writes a net in another format.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "common_options.hpp"

namespace cli {

namespace {

struct convert_options {
  std::string file;
  destination to;
};

int run(convert_options const& given) {
  source const in = load(given.file);
  save(given.to, in.net);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<convert_options>();
  CLI::App* const command =
      app.add_subcommand("convert", "write a net in another format: protobuf text, JSON or binary");
  command->footer(
      "Examples:\n  plait convert net.pb                       as text, to standard output\n"
      "  plait convert net.pbtxt -o net.json\n  plait convert --format binary - < net.pbtxt > net.pb");
  add_file(*command, given->file);
  add_destination(*command, given->to);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
