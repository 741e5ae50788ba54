// External data: reads tensors of an ONNX model that are stored in other files.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail {

/// Reader of external data. The elements of the tensors refer to it: it must outlive the model.
class onnx_external_data {
 public:
  /// Reads all tensors of a model, those in subgraphs and functions included, from files in its folder. Throws io_error
  /// for a file that cannot be read or is too short, and net_error for one outside of the folder.
  void read(onnx_model& model, std::filesystem::path const& folder) {
    std::vector<onnx_graph_def*> graphs = {&model.graph};
    for (onnx_function& each : model.functions) graphs.push_back(&each.body);
    while (!graphs.empty()) {
      onnx_graph_def& graph = *graphs.back();
      graphs.pop_back();
      for (onnx_tensor& each : graph.initializers) read(each, folder);
      for (onnx_node& node : graph.nodes)
        for (onnx_attribute& a : node.attributes) {
          if (a.t) read(*a.t, folder);
          if (a.g) graphs.push_back(&*a.g);
        }
    }
  }

 private:
  void read(onnx_tensor& tensor, std::filesystem::path const& folder) {
    if (!tensor.external) return;
    std::filesystem::path const file(tensor.file);
    bool const inside = !tensor.file.empty() && file.is_relative() && *file.lexically_normal().begin() != "..";
    if (!inside)
      throw net_error("plait: tensor '" + tensor.name + "' is stored in '" + tensor.file +
                          "', which should be a file in the folder of the model",
                      {}, tensor.name);
    std::filesystem::path const path = folder / file;
    std::error_code problem;
    std::uintmax_t const size = std::filesystem::file_size(path, problem);
    if (problem) throw io_error("cannot open", path.string());
    std::uintmax_t const length = tensor.length.value_or(tensor.offset <= size ? size - tensor.offset : 0);
    if (tensor.offset > size || length > size - tensor.offset)
      throw io_error("is too short for tensor '" + tensor.name + '\'', path.string());
    std::ifstream in(path, std::ios::binary);
    std::string& bytes = bytes_.emplace_back(static_cast<std::size_t>(length), '\0');
    in.seekg(static_cast<std::streamoff>(tensor.offset));
    in.read(bytes.data(), static_cast<std::streamsize>(length));
    if (!in) throw io_error("cannot read", path.string());
    tensor.raw = bytes;
    tensor.external = false;
  }

  std::deque<std::string> bytes_;
};

}  // namespace plait::detail
