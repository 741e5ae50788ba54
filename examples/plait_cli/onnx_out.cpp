#include "onnx_out.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <plait/interop/onnx/write.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/init_net.hpp>

#include "terminal.hpp"

namespace cli {

namespace {

// Returns an input of "NAME=2x?x3" or "NAME=scalar".
plait::onnx_export_input input_of(std::string const& text) {
  auto const fail = [&] {
    throw wrong_usage("plait: --shape " + visible(text) + " is not NAME=SHAPE, such as data=1x3x?x?");
  };
  std::size_t const equals = text.rfind('=');
  if (equals == text.npos || equals == 0) fail();
  plait::onnx_export_input made;
  made.name = text.substr(0, equals);
  made.dims.emplace();
  std::string_view rest = std::string_view(text).substr(equals + 1);
  if (rest == "scalar") return made;
  while (true) {
    std::string_view const number = rest.substr(0, rest.find('x'));
    std::int64_t extent = -1;
    if (number != "?") {
      auto const [end, problem] = std::from_chars(number.data(), number.data() + number.size(), extent);
      if (problem != std::errc() || end != number.data() + number.size() || extent < 0) fail();
    }
    made.dims->push_back(extent);
    if (number.size() == rest.size()) return made;
    rest.remove_prefix(number.size() + 1);
  }
}

}  // namespace

std::string onnx_document(source const& in, onnx_out_options const& options) {
  plait::onnx_export_options given{.opset = options.opset};
  for (std::string const& each : options.shapes) given.inputs.push_back(input_of(each));
  std::vector<plait::parameter> parameters;
  if (!options.init.empty()) {
    source const init = load(options.init);
    try {
      parameters = plait::parameters_from_init_net(init.net);
    } catch (plait::error const& problem) {
      throw about(init, problem);
    }
  }
  try {
    return plait::write_onnx(in.net, parameters, given);
  } catch (plait::onnx_export_error const& problem) {
    std::string text = in.label + ": the net cannot be written as an ONNX model:";
    for (plait::onnx_export_problem const& each : problem.problems) {
      text += "\n  ";
      if (each.op) text += "op " + std::to_string(*each.op) + " (" + visible(each.type) + ") ";
      text += '\'' + visible(each.output) + "': " + visible(each.reason);
      if (!each.alternative.empty()) text += " (" + visible(each.alternative) + ')';
    }
    throw failure(text);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
}

}  // namespace cli
