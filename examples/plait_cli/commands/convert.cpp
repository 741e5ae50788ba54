// plait convert: writes a net in another format or as an ONNX model, and an ONNX model as a net.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/init_net.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "onnx_net.hpp"
#include "onnx_out.hpp"

namespace cli {

namespace {

struct convert_options {
  std::string file;
  onnx_out_options onnx;
  destination to;
};

// Writes the net that plait runs for a model, and the init net of its parameters.
int from_onnx(onnx_source const& model, convert_options const& given) {
  if (given.onnx.init.empty() && !model.parameters.empty())
    throw wrong_usage(model.in.label + " has " + std::to_string(model.parameters.size()) +
                      " parameters; name a file for their net with --init");
  try {
    if (!given.onnx.init.empty())
      save({given.onnx.init, {}}, plait::init_net_from_parameters<plait::netdef>(model.parameters).net);
  } catch (plait::error const& problem) {
    throw about(model.in, problem);
  }
  save(given.to, model.in.net);
  return 0;
}

int run(convert_options const& given) {
  bool const to_onnx = std::filesystem::path(given.to.path).extension() == ".onnx";
  if (given.file != "-")  // standard input can be read only once
    if (!to_onnx)
      if (auto const model = load_onnx(given.file)) return from_onnx(*model, given);
  if (!to_onnx && (!given.onnx.init.empty() || !given.onnx.shapes.empty()))
    throw wrong_usage("plait: --init and --shape are for ONNX models");
  source const in = load(given.file);
  if (to_onnx)
    save_text(given.to.path, onnx_document(in, given.onnx));
  else
    save(given.to, in.net);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<convert_options>();
  CLI::App* const command =
      app.add_subcommand("convert", "write a net in another format or as an ONNX model, or an ONNX model as a net");
  command->footer(
      "Examples:\n  plait convert net.pb                       as text, to standard output\n"
      "  plait convert net.pbtxt -o net.json\n  plait convert --format binary - < net.pbtxt > net.pb\n"
      "  plait convert predict.pb --init init.pb --shape data=1x3x224x224 -o model.onnx\n"
      "  plait convert model.onnx -o predict.pb --init init.pb");
  add_file(*command, given->file);
  command
      ->add_option("--init", given->onnx.init,
                   "the net that sets the parameters: read for an ONNX model, written of one")
      ->type_name(file_type);
  command->add_option("--shape", given->onnx.shapes, "for an ONNX model: shape of an input; may be repeated")
      ->type_name("NAME=2x?x3")
      ->allow_extra_args(false);
  command->add_option("--opset", given->onnx.opset, "for an ONNX model: version of the operators, 13 to 21")
      ->capture_default_str();
  add_destination(*command, given->to);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
