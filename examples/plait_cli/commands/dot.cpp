// plait dot: writes a net as a Graphviz graph.
#include <memory>
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/dot.hpp>

#include "commands.hpp"
#include "common_options.hpp"

namespace cli {

namespace {

struct dot_options {
  std::string file;
  std::string output;
  bool ssa = false;
  bool flat = false;
};

int run(dot_options const& given) {
  source const in = load(given.file);
  std::ostringstream out;
  try {
    plait::write_dot(out, in.net, {.ssa = given.ssa, .subnets = !given.flat});
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  save_text(given.output, std::move(out).str());
  return 0;
}

}  // namespace

void add_dot(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<dot_options>();
  CLI::App* const command = app.add_subcommand("dot", "write a net as a Graphviz graph; nested nets are clusters");
  add_file(*command, given->file);
  add_output(*command, given->output);
  command->add_flag("--ssa", given->ssa, "one node for each version of a blob");
  command->add_flag("--flat", given->flat, "leave nested nets out");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
