// plait dot: writes a net as a Graphviz graph.
#include <cstddef>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/dot.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "op_text.hpp"

namespace cli {

namespace {

struct dot_options {
  std::string file;
  std::string output;
  std::string init;
  bool ssa = false;
  bool flat = false;
  bool no_legend = false;
  std::string parameters = "auto";
  std::string repeats = "auto";
};

// Number of ops above which a picture with all of its nodes is too large to read, and slow to lay out.
constexpr std::size_t large = 100;

std::string op_note(plait::netdef const& net, plait::op_def const& op) {
  std::string lines;
  for (plait::arg_def const& argument : op.arg) {
    if (!lines.empty()) lines += '\n';
    lines += std::string(net.text(argument.name)) + " = " + cut(visible(argument_text(argument)), 160);
  }
  return lines;
}

// Returns the shapes of the blobs that an init net writes, as far as its ops have an argument `shape`.
std::map<std::string, std::string, std::less<>> initial_blobs(plait::netdef const& init) {
  std::map<std::string, std::string, std::less<>> found;
  for (plait::op_def const& op : init.op) {
    std::string shape;
    for (plait::arg_def const& argument : op.arg)
      if (init.text(argument.name) == "shape") shape = "shape " + argument_text(argument);
    for (plait::symbol blob : op.output) found.insert_or_assign(std::string(init.text(blob)), shape);
  }
  return found;
}

int run(dot_options const& given) {
  source const in = load_any(given.file);
  std::map<std::string, std::string, std::less<>> initial;
  if (!given.init.empty()) initial = initial_blobs(load(given.init).net);

  bool const is_large = in.net.op.size() > large;
  plait::dot_options how;
  how.ssa = given.ssa;
  how.subnets = !given.flat;
  how.legend = !given.no_legend;
  how.hide_parameters = given.parameters == "hide" || (given.parameters == "auto" && is_large);
  for (auto const& [blob, shape] : initial) how.parameters.push_back(blob);
  how.fold_repeats = given.repeats == "fold" || (given.repeats == "auto" && is_large);
  how.op_note = [&](std::size_t op) { return op_note(in.net, in.net.op[op]); };
  how.blob_note = [&](std::string_view blob) {
    auto const found = initial.find(blob);
    return found == initial.end() ? std::string() : found->second;
  };
  std::ostringstream out;
  try {
    plait::write_dot(out, in.net, how);
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
  command->footer(
      R"(Dead ops are grey and dashed; ops that overwrite their input in place share a colour with its values. In a net of
more than 100 ops, parameters are hidden and repeated blocks drawn once by default; a comment in the graph says how many.
Parameters are the blobs that the init net writes or, without one, inputs that no op reads as its first input.
Examples:
  plait dot --ssa net.pb | dot -Tsvg -o net.svg
  plait dot net.pb --init init.pb --parameters hide | dot -Tsvg -o net.svg)");
  add_file(*command, given->file);
  add_output(*command, given->output);
  command->add_flag("--ssa", given->ssa, "one node for each version of a blob");
  command->add_flag("--flat", given->flat, "leave nested nets out");
  command->add_option("--init", given->init, "init net, whose outputs are the parameters; tooltips have their shapes");
  command
      ->add_option("--parameters", given->parameters, "show or hide parameters; default: auto, by the size of the net")
      ->check(CLI::IsMember({"auto", "show", "hide"}));
  command
      ->add_option("--repeats", given->repeats,
                   "draw all repeated blocks, or fold them into the first one; default: auto, by the size of the net")
      ->check(CLI::IsMember({"auto", "draw", "fold"}));
  command->add_flag("--no-legend", given->no_legend, "leave the legend out");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
