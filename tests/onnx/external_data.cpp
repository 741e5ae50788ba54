// Tensors of a model that are stored in other files.
#include <plait/interop/onnx/detail/external_data.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

namespace {

namespace fs = std::filesystem;

std::string field(int number, std::string_view content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + std::string(content);
}
std::string entry(std::string_view key, std::string_view value) { return field(13, field(1, key) + field(2, value)); }

/// Returns a float tensor of two elements, 8 bytes of external data.
plait::onnx_tensor stored(std::string const& file, std::string_view offset = "", std::string_view length = "") {
  std::string text = std::string("\x08\x02\x10\x01", 4) + field(8, "w") + entry("location", file);
  if (!offset.empty()) text += entry("offset", offset);
  if (!length.empty()) text += entry("length", length);
  text += std::string("\x70\x01", 2);  // data_location EXTERNAL
  plait::onnx_tensor made = plait::parse_onnx_tensor(text);
  made.raw = {};
  return made;
}

plait::tensor_value value_in(fs::path const& folder, plait::onnx_tensor tensor) {
  plait::onnx_model model;
  model.graph.initializers.push_back(std::move(tensor));
  plait::detail::onnx_external_data external;
  external.read(model, folder);
  return plait::value_of(model.graph.initializers.front());
}

TEST_CASE("onnx_external_data: reads the bytes of each tensor from files in the folder of the model") {
  fs::path const folder = fs::temp_directory_path() / "plait_external_data";
  fs::create_directories(folder / "sub");
  float const elements[] = {-1, 1, 2, 4};
  std::ofstream(folder / "sub" / "w.bin", std::ios::binary)
      .write(reinterpret_cast<char const*>(elements), sizeof elements);

  plait::tensor_value const last{{2}, std::vector<float>{2, 4}};
  CHECK(value_in(folder, stored("sub/w.bin", "8")) == last);
  CHECK(value_in(folder, stored("sub/w.bin", "8", "8")) == last);
  CHECK(value_in(folder, stored("sub/w.bin", "", "8")).data == plait::tensor_value::storage(std::vector<float>{-1, 1}));

  CHECK_THROWS_AS(value_in(folder, stored("none.bin")), plait::io_error);
  CHECK_THROWS_AS(value_in(folder, stored("sub/w.bin", "12", "8")), plait::io_error);
  CHECK_THROWS_AS(value_in(folder, stored("sub/w.bin", "100")), plait::io_error);
  CHECK_THROWS_AS(value_in(folder, stored("../w.bin")), plait::net_error);
  CHECK_THROWS_AS(value_in(folder, stored("sub/../../w.bin")), plait::net_error);
  CHECK_THROWS_AS(value_in(folder, stored((folder / "sub" / "w.bin").string())), plait::net_error);
  CHECK_THROWS_AS(value_in(folder, stored("")), plait::net_error);
  CHECK_THROWS_AS(stored("w.bin", "far"), plait::parse_error);
  fs::remove_all(folder);
}

TEST_CASE("onnx_external_data: tensors in subgraphs are read, too") {
  fs::path const folder = fs::temp_directory_path() / "plait_external_subgraph";
  fs::create_directories(folder);
  float const elements[] = {3, 5};
  std::ofstream(folder / "w", std::ios::binary).write(reinterpret_cast<char const*>(elements), sizeof elements);
  plait::onnx_model model;
  plait::onnx_attribute& body = model.graph.nodes.emplace_back().attributes.emplace_back();
  body.g.emplace();
  plait::onnx_attribute& value = body.g->nodes.emplace_back().attributes.emplace_back();
  value.t.emplace() = stored("w");
  plait::detail::onnx_external_data external;
  external.read(model, folder);
  CHECK(plait::value_of(*body.g->nodes[0].attributes[0].t) == plait::tensor_value{{2}, std::vector<float>{3, 5}});
  fs::remove_all(folder);
}

}  // namespace
