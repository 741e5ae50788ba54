// plait export: writes a net and its parameters as the two nets that a predictor loads.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/export.hpp>
#include <plait/transform/init_net.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct export_options {
  std::string file;
  std::string init;
  destination init_to;
  destination predict_to;
  std::string format;
  bool compatible = false;
  bool fill_inputs = false;
  bool json = false;
  bool quiet = false;
};

std::vector<plait::parameter> read_parameters(std::string const& path) {
  source const init = load(path);
  try {
    return plait::parameters_from_init_net(init.net);
  } catch (plait::error const& problem) {
    throw about(init, problem);
  }
}

int run(export_options const& given) {
  source in = load(given.file);
  std::vector<plait::parameter> const parameters = read_parameters(given.init);
  plait::exported_nets<plait::netdef> made;
  try {
    made = plait::export_nets(std::move(in.net), parameters,
                              {.compatible = given.compatible, .fill_inputs = given.fill_inputs});
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  save({given.init_to.path, given.format}, made.init_net);
  save({given.predict_to.path, given.format}, made.predict_net);

  if (given.json) {
    print_json({{"file", in.label},
                {"inputs", made.inputs},
                {"outputs", made.outputs},
                {"unused_parameters", made.unused_parameters}});
    return 0;
  }
  if (given.quiet) return 0;
  std::ostream& out = given.init_to.to_stdout() || given.predict_to.to_stdout() ? std::cerr : std::cout;
  auto const list = [&out](char const* what, std::vector<std::string> const& names) {
    out << what;
    for (std::string const& name : names) out << ' ' << visible(name);
    out << '\n';
  };
  list("inputs: ", made.inputs);
  list("outputs:", made.outputs);
  if (!made.unused_parameters.empty()) list("unused parameters, left out:", made.unused_parameters);
  return 0;
}

}  // namespace

void add_export(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<export_options>();
  CLI::App* const command =
      app.add_subcommand("export", "write a net and its parameters as the init and predict nets of a predictor");
  command->footer(
      "The parameters are those of the given init net, which is read, not run.\n"
      "Example:\n  plait export net.pbtxt --init params.pb --init-output init_net.pb --predict-output predict_net.pb");
  add_file(*command, given->file);
  command->add_option("--init", given->init, "the init net of the parameters (GivenTensorFill, ConstantFill, …)")
      ->required()
      ->type_name(file_type);
  command->add_option("--init-output", given->init_to.path, "the init net to write")->required()->type_name(file_type);
  command->add_option("--predict-output", given->predict_to.path, "the predict net to write")
      ->required()
      ->type_name(file_type);
  add_format(*command, given->format, "--format");
  command->add_flag("--compatible", given->compatible, "exactly the output of Caffe2's mobile exporter of 2018");
  command->add_flag("--fill-inputs", given->fill_inputs,
                    "let the init net fill each input that must be fed with a zero");
  add_json(*command, given->json);
  add_quiet(*command, given->quiet);
  command->callback([given, &chosen] {
    keep_apart(given->json, given->init_to.to_stdout() || given->predict_to.to_stdout(), "files for both nets");
    if (given->init_to.to_stdout() && given->predict_to.to_stdout())
      throw CLI::ValidationError("--init-output, --predict-output", "only one net can go to standard output");
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
