#include "onnx_net.hpp"

#include <filesystem>
#include <utility>

#include <plait/interop/onnx/read.hpp>

#include "onnx_graph.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

std::string message(plait::onnx_problem const& problem) {
  std::string text = problem.type + " '" + problem.node + "': " + problem.reason;
  char const* before = ", needed by ";
  for (std::string const& reader : problem.needed_by) {
    text += before + reader;
    before = ", ";
  }
  return text;
}

}  // namespace

std::optional<onnx_source> load_onnx(std::string const& path) {
  std::string const document = read_file(path);
  if (!is_onnx_model(document)) return std::nullopt;
  onnx_source made;
  made.in.label = visible(path);
  try {
    plait::onnx_net model = plait::read_onnx(std::filesystem::path(path));
    made.in.net = std::move(model.net);
    made.parameters = std::move(model.parameters);
    return made;
  } catch (plait::onnx_error const& problem) {
    std::string text = made.in.label + ": plait does not run this model:";
    for (plait::onnx_problem const& each : problem.problems) text += "\n  " + visible(message(each));
    throw failure(text);
  } catch (plait::error const& problem) {
    throw about(std::string_view(made.in.label), problem);
  }
}

std::optional<std::vector<std::string>> onnx_problems(std::string const& path) {
  std::string const document = read_file(path);
  if (!is_onnx_model(document)) return std::nullopt;
  std::vector<std::string> found;
  try {
    static_cast<void>(path == "-" ? plait::read_onnx_bytes(document) : plait::read_onnx(std::filesystem::path(path)));
  } catch (plait::onnx_error const& problem) {
    for (plait::onnx_problem const& each : problem.problems) found.push_back(message(each));
  } catch (plait::error const& problem) {
    found.push_back(about(std::string_view(path == "-" ? "<stdin>" : path), problem).what());
  }
  return found;
}

}  // namespace cli
