// ONNX model as plain structs: the fields of ModelProto that execution needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/box.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

/// ONNX's TensorProto.DataType. The numbers differ from Caffe2's; unlisted numbers of newer models are kept.
enum class onnx_type : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
};

/// Returns the name of an element type, such as "float32", or "type <number>" for an unlisted one.
[[nodiscard]] inline std::string to_string(onnx_type type) {
  constexpr std::string_view names[] = {"undefined", "float32", "uint8",     "int8",       "uint16",  "int16",
                                        "int32",     "int64",   "string",    "bool",       "float16", "float64",
                                        "uint32",    "uint64",  "complex64", "complex128", "bfloat16"};
  auto const number = static_cast<std::size_t>(type);
  return number < std::size(names) ? std::string(names[number]) : "type " + std::to_string(number);
}

/// ValueInfoProto: name, element type and shape of a value, as far as the model declares them.
struct onnx_value_info {
  enum class kinds : std::uint8_t { unknown, tensor, other };  ///< other: a sequence, an optional, a map, …

  std::string name;
  kinds kind = kinds::unknown;
  onnx_type type = onnx_type::undefined;
  std::optional<std::vector<std::int64_t>> dims;  ///< -1: an unknown or symbolic extent
};

/// TensorProto: a tensor as stored. `raw` refers to the document, which must outlive the model.
struct onnx_tensor {
  std::string name;
  std::vector<std::int64_t> dims;
  onnx_type type = onnx_type::undefined;
  std::string_view raw;              ///< elements as little-endian bytes (raw_data); empty: in one of the lists below
  std::vector<float> floats;         ///< which list holds the elements depends on the type
  std::vector<std::int32_t> int32s;  ///< also smaller integers, bool, and the bits of float16
  std::vector<std::int64_t> int64s;
  std::vector<double> doubles;
  std::vector<std::uint64_t> uint64s;
  std::vector<std::string> strings;
  bool external = false;  ///< external data: elements are in another file
  std::string file = {};  ///< file of external data, relative to the folder of the model
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length = {};  ///< in bytes; absent: up to the end of the file
};

struct onnx_graph_def;

/// AttributeProto. The operator's schema decides by the name which member holds the value.
struct onnx_attribute {
  std::string name;
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<std::string> s;
  box<onnx_tensor> t;
  box<onnx_graph_def> g;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::string reference = {};  ///< in a function: the attribute of the calling node that it stands for
};

struct onnx_node {
  std::string type;
  std::string domain;  ///< empty: ONNX's own operators
  std::string name;
  std::vector<std::string> inputs;  ///< an empty name is an omitted optional operand
  std::vector<std::string> outputs;
  std::vector<onnx_attribute> attributes;
  std::string overload = {};  ///< distinguishes functions of one name
};

struct onnx_graph_def {
  std::string name;
  std::vector<onnx_node> nodes;
  std::vector<onnx_tensor> initializers;
  std::vector<onnx_value_info> inputs;
  std::vector<onnx_value_info> outputs;
  std::vector<onnx_value_info> values;  ///< intermediate values
  bool sparse_initializers = false;
};

/// OperatorSetIdProto: the operator-set version of a domain that a model imports.
struct onnx_opset {
  std::string domain;
  std::int64_t version = 0;
};

/// FunctionProto: an operator that the model defines by a graph. The graph's inputs and outputs are empty.
struct onnx_function {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<onnx_attribute> defaults;  ///< attributes with the value that they have if a node lacks them
  std::vector<onnx_opset> opsets;
  onnx_graph_def body;
};

struct onnx_model {
  std::int64_t ir_version = 0;
  std::vector<onnx_opset> opsets;
  onnx_graph_def graph;
  std::vector<onnx_function> functions = {};
};

}  // namespace plait
