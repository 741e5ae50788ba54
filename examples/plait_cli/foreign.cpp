#include "foreign.hpp"
#include "onnx_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <protozero/pbf_reader.hpp>

namespace cli {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

std::string_view text_of(pbf_reader& reader) {
  protozero::data_view const view = reader.get_view();
  return {view.data(), view.size()};
}

// Returns true if a document is a sequence of fields with these numbers, those of `integers` as varints and all others
// length-delimited.
bool has_fields(std::string_view document, std::initializer_list<std::uint32_t> integers,
                std::initializer_list<std::uint32_t> others) {
  try {
    pbf_reader reader(document.data(), document.size());
    while (reader.next()) {
      bool const integer = std::ranges::find(integers, reader.tag()) != integers.end();
      if (!integer && std::ranges::find(others, reader.tag()) == others.end()) return false;
      if (reader.wire_type() != (integer ? pbf_wire_type::varint : pbf_wire_type::length_delimited)) return false;
      reader.skip();
    }
    return true;
  } catch (protozero::exception const&) {
    return false;
  }
}

// ModelProto begins with the field ir_version, a varint; field 1 of a NetDef is its name.
std::optional<std::string> onnx_model(std::string_view document) {
  if (!has_fields(document, {1, 5}, {2, 3, 4, 6, 7, 8, 14, 20, 25, 26})) return std::nullopt;
  std::optional<std::int64_t> ir_version;
  std::string producer;
  std::string opsets;
  bool has_graph = false;
  pbf_reader reader(document.data(), document.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case 1:
        ir_version = reader.get_int64();
        break;
      case 2:
        producer = text_of(reader);
        break;
      case 3:
        if (std::string_view const version = text_of(reader); !version.empty()) producer += ' ' + std::string(version);
        break;
      case 7: {
        std::string_view const graph = text_of(reader);
        has_graph = has_fields(graph, {}, {1, 2, 5, 10, 11, 12, 13, 14, 15, 16});
        if (!has_graph) return std::nullopt;
        break;
      }
      case 8: {
        std::string_view const opset = text_of(reader);
        if (!has_fields(opset, {2}, {1})) return std::nullopt;
        std::string domain;
        std::string version;
        pbf_reader entry(opset.data(), opset.size());
        while (entry.next()) {
          if (entry.tag() == 1)
            domain = text_of(entry);
          else
            version = std::to_string(entry.get_int64());
        }
        opsets += ", opset " + version + (domain.empty() ? "" : " of " + domain);
        break;
      }
      default:
        reader.skip();
    }
  }
  if (!ir_version || !has_graph) return std::nullopt;
  return "an ONNX model (ir_version " + std::to_string(*ir_version) + opsets +
         (producer.empty() ? "" : ", producer " + producer) + "), not a NetDef; plait convert makes one of it";
}

// MetaNetDef has maps in fields 1 to 6: 1 blobs, 2 nets by names such as PREDICT_NET_TYPE. In a NetDef such an entry
// would be an op without a type.
std::optional<std::string> meta_net(std::string_view document) {
  if (!has_fields(document, {}, {1, 2, 3, 4, 5, 6})) return std::nullopt;
  std::vector<std::string> nets;
  pbf_reader reader(document.data(), document.size());
  while (reader.next()) {
    std::uint32_t const field = reader.tag();
    std::string_view const entry = text_of(reader);
    if (field != 2) continue;
    if (!has_fields(entry, {}, {1, 2})) return std::nullopt;
    pbf_reader pair(entry.data(), entry.size());
    while (pair.next()) {
      if (pair.tag() == 1)
        nets.emplace_back(text_of(pair));
      else
        pair.skip();
    }
  }
  bool const known = std::ranges::any_of(nets, [](std::string const& name) { return name.ends_with("_NET_TYPE"); });
  if (!known) return std::nullopt;
  std::string text = "a MetaNetDef of a Caffe2 predictor with";
  for (std::size_t i = 0; i != nets.size(); ++i) text += (i == 0 ? " " : ", ") + nets[i];
  return text + ", not a NetDef; save each of its nets as a file of its own";
}

// Caffe2's minidb: records of the lengths of key and value, 4 bytes each, and both.
bool is_predictor_database(std::string_view document) {
  for (std::string_view const key : {"!!META_NET_DEF", "!!PREDICTOR_DBREADER"})
    if (document.size() > 8 + key.size() && document.substr(8, key.size()) == key &&
        static_cast<unsigned char>(document[0]) == key.size() && document.substr(1, 3) == std::string_view("\0\0\0", 3))
      return true;
  return false;
}

}  // namespace

bool is_onnx_model(std::string_view document) { return onnx_model(document).has_value(); }

std::optional<std::string> foreign_format(std::string_view document) {
  using namespace std::string_view_literals;
  if (document.starts_with("\x93NUMPY"sv))
    return "a NumPy array, not a NetDef; plait run --feed NAME=FILE feeds it to a net";
  if (document.starts_with("PK\3\4"sv)) {
    bool const torch = document.find("/data.pkl"sv) != document.npos;
    return std::string(torch ? "a PyTorch archive" : "a zip archive") + ", not a NetDef; " +
           (torch ? "export the model to a NetDef or to ONNX" : "unpack it");
  }
  if (is_predictor_database(document))
    return "a Caffe2 predictor in a minidb, not a NetDef; save each of its nets as a file of its own";
  if (auto onnx = onnx_model(document)) return onnx;
  return meta_net(document);
}

}  // namespace cli
