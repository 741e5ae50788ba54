// ONNX import: converts a model to a net of plait's operators and its parameters.
//
//   plait::onnx_net model = plait::read_onnx("model.onnx");
//   plait::workspace<plait::serial> blobs;
//   plait::feed(blobs, model.parameters);
//   blobs.feed("X", elements, {5, 1, 3});
//   plait::compile(model.net, plait::standard_operators<plait::serial>(), blobs).run();
//   blobs.fetch<float>("Y");
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/external_data.hpp>
#include <plait/interop/onnx/detail/options.hpp>
#include <plait/interop/onnx/detail/parse.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/standard_rules.hpp>

namespace plait {

/// Converts a model to a net. Values keep their names; a blob that the conversion adds is called <node>/<op>. Operators
/// have the semantics of the opset that the model imports. Throws onnx_error, which lists all nodes that cannot be run,
/// and net_error where the model is not in SSA form or a tensor contradicts its description. O(document), besides the
/// ops that operators decompose into.
[[nodiscard]] inline onnx_net read_onnx(onnx_model const& model, onnx_options const& options = {},
                                        onnx_rules const& rules = onnx_rules::standard()) {
  return detail::onnx_converter(model, options, rules).run();
}

/// Converts a document in ONNX's binary format, such as a message's SerializeAsString(). Throws parse_error, too.
[[nodiscard]] inline onnx_net read_onnx_bytes(std::string_view document, onnx_options const& options = {},
                                              onnx_rules const& rules = onnx_rules::standard()) {
  return read_onnx(parse_onnx(document), options, rules);
}

/// Converts a file, and reads tensors that are stored in other files of its folder. Throws io_error, too.
[[nodiscard]] inline onnx_net read_onnx(std::filesystem::path const& path, onnx_options const& options = {},
                                        onnx_rules const& rules = onnx_rules::standard()) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    throw io_error("is a folder", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) throw io_error("cannot open", path.string());
  std::string document;
  if (auto const size = std::filesystem::file_size(path, problem); !problem) document.reserve(size);
  for (char part[4096]; in.read(part, sizeof(part)), in.gcount() != 0;)
    document.append(part, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw io_error("cannot read", path.string());
  onnx_model model = parse_onnx(document);
  detail::onnx_external_data external;
  external.read(model, path.parent_path());
  return read_onnx(model, options, rules);
}

}  // namespace plait
