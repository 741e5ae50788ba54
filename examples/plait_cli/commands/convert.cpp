// plait convert: writes a net in another format, or an ONNX model as a net.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/parameter_fill.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "onnx_net.hpp"

namespace cli {

namespace {

struct convert_options {
  std::string file;
  std::string init;
  destination to;
};

int run(convert_options const& given) {
  if (given.file != "-") {  // standard input can be read only once
    if (auto const model = load_onnx(given.file)) {
      if (given.init.empty() && !model->parameters.empty())
        throw wrong_usage(model->in.label + " has " + std::to_string(model->parameters.size()) +
                          " parameters; name a file for their net with --init");
      try {
        if (!given.init.empty())
          save({given.init, {}}, plait::init_net_from_parameters<plait::netdef>(model->parameters).net);
      } catch (plait::error const& problem) {
        throw about(model->in, problem);
      }
      save(given.to, model->in.net);
      return 0;
    }
  }
  if (!given.init.empty()) throw wrong_usage("plait: --init is for ONNX models");
  source const in = load(given.file);
  save(given.to, in.net);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<convert_options>();
  CLI::App* const command = app.add_subcommand("convert", "write a net in another format, or an ONNX model as a net");
  command->footer(
      "Examples:\n  plait convert net.pb                       as text, to standard output\n"
      "  plait convert net.pbtxt -o net.json\n  plait convert --format binary - < net.pbtxt > net.pb\n"
      "  plait convert model.onnx -o predict.pb --init init.pb");
  add_file(*command, given->file);
  command->add_option("--init", given->init, "of an ONNX model: write the net that sets the parameters to this file")
      ->type_name(file_type);
  add_destination(*command, given->to);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
