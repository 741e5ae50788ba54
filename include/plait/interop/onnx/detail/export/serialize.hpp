// Serializer of ONNX models: writes the plain structs of a model in protobuf's binary wire format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include <plait/interop/onnx/detail/model.hpp>

namespace plait {
namespace detail::onnx_out {

// Encodes by the field numbers of onnx.proto. It recurses over the nesting of graphs, as destructors of models do.
class onnx_serializer {
 public:
  explicit onnx_serializer(std::string& to) : to_(to) {}

  void model(onnx_model const& m, std::string_view producer) {
    protozero::pbf_writer w(to_);
    w.add_int64(1, m.ir_version);
    if (!producer.empty()) w.add_string(2, producer.data(), producer.size());
    {
      protozero::pbf_writer g(w, 7);
      graph(g, m.graph);
    }
    for (onnx_opset const& each : m.opsets) {
      protozero::pbf_writer o(w, 8);
      o.add_string(1, each.domain);
      o.add_int64(2, each.version);
    }
  }

  static void tensor(protozero::pbf_writer& w, onnx_tensor const& t) {
    w.add_packed_int64(1, t.dims.begin(), t.dims.end());
    w.add_int32(2, static_cast<std::int32_t>(t.type));
    w.add_packed_float(4, t.floats.begin(), t.floats.end());
    w.add_packed_int32(5, t.int32s.begin(), t.int32s.end());
    for (std::string const& each : t.strings) w.add_bytes(6, each);
    w.add_packed_int64(7, t.int64s.begin(), t.int64s.end());
    if (!t.name.empty()) w.add_string(8, t.name);
    if (!t.raw.empty()) w.add_bytes(9, t.raw.data(), t.raw.size());
    w.add_packed_double(10, t.doubles.begin(), t.doubles.end());
    w.add_packed_uint64(11, t.uint64s.begin(), t.uint64s.end());
  }

 private:
  void graph(protozero::pbf_writer& w, onnx_graph_def const& g) {
    for (onnx_node const& each : g.nodes) {
      protozero::pbf_writer n(w, 1);
      node(n, each);
    }
    w.add_string(2, g.name);
    for (onnx_tensor const& each : g.initializers) {
      protozero::pbf_writer t(w, 5);
      tensor(t, each);
    }
    infos(w, 11, g.inputs);
    infos(w, 12, g.outputs);
    infos(w, 13, g.values);
  }

  void node(protozero::pbf_writer& w, onnx_node const& n) {
    for (std::string const& each : n.inputs) w.add_string(1, each);
    for (std::string const& each : n.outputs) w.add_string(2, each);
    if (!n.name.empty()) w.add_string(3, n.name);
    w.add_string(4, n.type);
    for (onnx_attribute const& each : n.attributes) {
      protozero::pbf_writer a(w, 5);
      attribute(a, each);
    }
    if (!n.domain.empty()) w.add_string(7, n.domain);
  }

  // Field 20 is AttributeProto.AttributeType. An attribute without a value is an empty list of integers.
  void attribute(protozero::pbf_writer& w, onnx_attribute const& a) {
    w.add_string(1, a.name);
    std::int32_t type = 7;
    if (a.f) {
      w.add_float(2, *a.f);
      type = 1;
    } else if (a.i) {
      w.add_int64(3, *a.i);
      type = 2;
    } else if (a.s) {
      w.add_bytes(4, *a.s);
      type = 3;
    } else if (a.t) {
      protozero::pbf_writer t(w, 5);
      tensor(t, *a.t);
      type = 4;
    } else if (a.g) {
      protozero::pbf_writer g(w, 6);
      graph(g, *a.g);
      type = 5;
    } else if (!a.floats.empty()) {
      for (float const each : a.floats) w.add_float(7, each);
      type = 6;
    } else if (!a.strings.empty()) {
      for (std::string const& each : a.strings) w.add_bytes(9, each);
      type = 8;
    } else {
      for (std::int64_t const each : a.ints) w.add_int64(8, each);
    }
    w.add_int32(20, type);
  }

  static void infos(protozero::pbf_writer& w, protozero::pbf_tag_type tag, std::vector<onnx_value_info> const& list) {
    for (onnx_value_info const& each : list) {
      protozero::pbf_writer v(w, tag);
      v.add_string(1, each.name);
      if (each.kind != onnx_value_info::kinds::tensor) continue;
      protozero::pbf_writer type(v, 2);
      protozero::pbf_writer tensor_type(type, 1);
      tensor_type.add_int32(1, static_cast<std::int32_t>(each.type));
      if (!each.dims) continue;
      // A writer of a message drops one without fields, but a scalar's shape and an unknown extent are such.
      std::string shape;
      protozero::pbf_writer dims(shape);
      for (std::int64_t const extent : *each.dims) {
        std::string text;
        if (extent >= 0) protozero::pbf_writer(text).add_int64(1, extent);
        dims.add_message(1, text);
      }
      tensor_type.add_message(2, shape);
    }
  }

  std::string& to_;
};

}  // namespace detail::onnx_out

/// Writes a model in ONNX's binary format. parse_onnx() of the result is the model. O(result).
[[nodiscard]] inline std::string serialize_onnx(onnx_model const& model, std::string_view producer = {}) {
  std::string made;
  detail::onnx_out::onnx_serializer(made).model(model, producer);
  return made;
}

}  // namespace plait
