// Parser of ONNX's protobuf wire format (".onnx" models, ".pb" tensors), without ONNX's generated classes.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait {
namespace detail {

// Decodes by the field numbers of onnx.proto and skips fields that execution does not need.
class onnx_parser {
 public:
  explicit onnx_parser(std::string_view source) : source_(source) {}

  onnx_model model() {
    onnx_model made;
    guarded([&] {
      protozero::pbf_reader m = start();
      bool found = false;
      std::vector<protozero::pbf_reader> functions;
      while (next(m)) switch (m.tag()) {
          case 1:
            made.ir_version = integer(m);
            break;
          case 7:
            graphs_.push_back({&made.graph, message(m), 0});
            found = true;
            break;
          case 8:
            made.opsets.push_back(opset(message(m)));
            break;
          case 25:
            functions.push_back(message(m));
            break;
          default:
            m.skip();
        }
      made.functions.resize(functions.size());
      for (std::size_t f = 0; f != functions.size(); ++f) function(made.functions[f], functions[f]);
      if (!found) fail("the model has no graph");
      while (!graphs_.empty()) {
        open_graph const next_graph = graphs_.back();
        graphs_.pop_back();
        graph(next_graph);
      }
    });
    return made;
  }

  onnx_tensor lone_tensor() {
    onnx_tensor made;
    guarded([&] { made = tensor(start()); });
    return made;
  }

 private:
  // A subgraph whose enclosing graph has been parsed: a work list in place of recursion.
  struct open_graph {
    onnx_graph_def* made;
    protozero::pbf_reader reader;
    std::size_t depth;
  };
  static constexpr std::size_t max_depth = 100;  // destructors and the converter recurse over the depth

  template <class Read>
  void guarded(Read&& read) {
    try {
      read();
    } catch (protozero::end_of_buffer_exception const&) {
      fail("a field exceeds its enclosing message");
    } catch (protozero::exception const&) {
      fail("malformed field");
    }
  }
  [[noreturn]] void fail(std::string_view message) const { throw parse_error({at_, 0, 0}, message); }
  // Scans the top level first, so that a truncated document is distinguished from a malformed message inside it.
  protozero::pbf_reader start() {
    if (source_.empty()) fail("the document is empty");
    protozero::pbf_reader const whole{source_.data(), source_.size()};
    try {
      for (protozero::pbf_reader m = whole; next(m);) m.skip();
    } catch (protozero::end_of_buffer_exception const&) {
      fail("the document ends within the field that begins here: it is truncated, or not in ONNX's binary format");
    }
    return whole;
  }
  bool next(protozero::pbf_reader& m) {
    at_ = static_cast<std::size_t>(m.data().data() - source_.data());
    return m.next();
  }

  // ---- fields; protozero assumes the requested wire type, so it is checked here
  using wire = protozero::pbf_wire_type;
  void expect(protozero::pbf_reader const& m, wire type) const {
    if (m.wire_type() != type) fail("a field has the wrong wire type");
  }
  std::int64_t integer(protozero::pbf_reader& m) const {
    expect(m, wire::varint);
    return static_cast<std::int64_t>(m.get_uint64());
  }
  std::string_view text(protozero::pbf_reader& m) const {
    expect(m, wire::length_delimited);
    auto const view = m.get_view();
    return {view.data(), view.size()};
  }
  protozero::pbf_reader message(protozero::pbf_reader& m) const {
    expect(m, wire::length_delimited);
    return m.get_message();
  }

  template <class T>
  T number(protozero::pbf_reader& m) const {
    if constexpr (std::same_as<T, float>) {
      expect(m, wire::fixed32);
      return m.get_float();
    } else if constexpr (std::same_as<T, double>) {
      expect(m, wire::fixed64);
      return m.get_double();
    } else {
      return static_cast<T>(integer(m));
    }
  }
  // Appends one element, or all elements of a packed field.
  template <class T>
  void numbers(protozero::pbf_reader& m, std::vector<T>& to) const {
    if (m.wire_type() != wire::length_delimited) return to.push_back(number<T>(m));
    auto const add = [&](auto range) {
      for (auto const each : range) to.push_back(static_cast<T>(each));
    };
    if constexpr (std::same_as<T, float>)
      add(m.get_packed_float());
    else if constexpr (std::same_as<T, double>)
      add(m.get_packed_double());
    else
      add(m.get_packed_uint64());
  }

  onnx_opset opset(protozero::pbf_reader m) {
    onnx_opset made;
    while (next(m)) switch (m.tag()) {
        case 1:
          made.domain = text(m);
          break;
        case 2:
          made.version = integer(m);
          break;
        default:
          m.skip();
      }
    if (made.domain == "ai.onnx") made.domain.clear();
    return made;
  }

  void graph(open_graph const& open) {
    onnx_graph_def& made = *open.made;
    protozero::pbf_reader m = open.reader;
    while (next(m)) switch (m.tag()) {
        case 1:
          node_ = made.nodes.size();
          made.nodes.push_back(node(message(m)));
          break;
        case 2:
          made.name = text(m);
          break;
        case 5:
          made.initializers.push_back(tensor(message(m)));
          break;
        case 11:
          made.inputs.push_back(value_info(message(m)));
          break;
        case 12:
          made.outputs.push_back(value_info(message(m)));
          break;
        case 13:
          made.values.push_back(value_info(message(m)));
          break;
        case 15:
          made.sparse_initializers = true;
          m.skip();
          break;
        default:
          m.skip();
      }
    open_subgraphs(made, open.depth);
  }
  // Queues the subgraphs of a graph's nodes. Pointers into made.nodes are stable only when the vector no longer grows.
  void open_subgraphs(onnx_graph_def& made, std::size_t depth) {
    for (waiting const& each : waiting_)
      graphs_.push_back({&made.nodes[each.node].attributes[each.attribute].g.emplace(), each.reader, depth + 1});
    if (!waiting_.empty() && depth == max_depth) fail("graphs are nested too deeply");
    waiting_.clear();
  }

  void function(onnx_function& made, protozero::pbf_reader m) {
    while (next(m)) switch (m.tag()) {
        case 1:
          made.name = text(m);
          break;
        case 4:
          made.inputs.emplace_back(text(m));
          break;
        case 5:
          made.outputs.emplace_back(text(m));
          break;
        case 7:
          node_ = made.body.nodes.size();
          made.body.nodes.push_back(node(message(m)));
          break;
        case 9:
          made.opsets.push_back(opset(message(m)));
          break;
        case 10:
          made.domain = text(m);
          break;
        case 11: {
          std::size_t const before = waiting_.size();
          made.defaults.push_back(attribute(message(m), 0));
          if (waiting_.size() != before) fail("a graph is the default of an attribute");
          break;
        }
        case 12:
          made.body.values.push_back(value_info(message(m)));
          break;
        case 13:
          made.overload = text(m);
          break;
        default:
          m.skip();
      }
    if (made.domain == "ai.onnx") made.domain.clear();
    open_subgraphs(made.body, 0);
  }

  onnx_node node(protozero::pbf_reader m) {
    onnx_node made;
    while (next(m)) switch (m.tag()) {
        case 1:
          made.inputs.emplace_back(text(m));
          break;
        case 2:
          made.outputs.emplace_back(text(m));
          break;
        case 3:
          made.name = text(m);
          break;
        case 4:
          made.type = text(m);
          break;
        case 5:
          made.attributes.push_back(attribute(message(m), made.attributes.size()));
          break;
        case 7:
          made.domain = text(m);
          break;
        case 8:
          made.overload = text(m);
          break;
        default:
          m.skip();
      }
    if (made.domain == "ai.onnx") made.domain.clear();
    return made;
  }

  onnx_attribute attribute(protozero::pbf_reader m, std::size_t index) {
    onnx_attribute made;
    while (next(m)) switch (m.tag()) {
        case 1:
          made.name = text(m);
          break;
        case 2:
          made.f = number<float>(m);
          break;
        case 3:
          made.i = integer(m);
          break;
        case 4:
          made.s = text(m);
          break;
        case 5:
          made.t = tensor(message(m));
          break;
        case 6:
          wait(index, message(m));
          break;
        case 7:
          numbers(m, made.floats);
          break;
        case 8:
          numbers(m, made.ints);
          break;
        case 9:
          made.strings.emplace_back(text(m));
          break;
        case 21:
          made.reference = text(m);
          break;
        default:
          m.skip();
      }
    return made;
  }

  // Queues a subgraph; of several graphs in one attribute the last one wins, as in protobuf.
  void wait(std::size_t attribute, protozero::pbf_reader reader) {
    if (waiting_.empty() || waiting_.back().node != node_ || waiting_.back().attribute != attribute)
      waiting_.push_back({node_, attribute, reader});
    else
      waiting_.back().reader = reader;
  }

  onnx_tensor tensor(protozero::pbf_reader m) {
    onnx_tensor made;
    while (next(m)) switch (m.tag()) {
        case 1:
          numbers(m, made.dims);
          break;
        case 2:
          made.type = static_cast<onnx_type>(integer(m));
          break;
        case 4:
          numbers(m, made.floats);
          break;
        case 5:
          numbers(m, made.int32s);
          break;
        case 6:
          made.strings.emplace_back(text(m));
          break;
        case 7:
          numbers(m, made.int64s);
          break;
        case 8:
          made.name = text(m);
          break;
        case 9:
          made.raw = text(m);
          break;
        case 10:
          numbers(m, made.doubles);
          break;
        case 11:
          numbers(m, made.uint64s);
          break;
        case 13:
          external_entry(message(m), made);
          break;
        case 14:
          made.external = integer(m) == 1;
          break;
        default:
          m.skip();
      }
    return made;
  }
  // A key and a value of external data, both text.
  void external_entry(protozero::pbf_reader m, onnx_tensor& made) {
    std::string_view key;
    std::string_view value;
    while (next(m)) switch (m.tag()) {
        case 1:
          key = text(m);
          break;
        case 2:
          value = text(m);
          break;
        default:
          m.skip();
      }
    auto const bytes = [&] {
      std::uint64_t number = 0;
      auto const [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (problem != std::errc() || end != value.data() + value.size()) fail("malformed place of external data");
      return number;
    };
    if (key == "location") made.file = value;
    if (key == "offset") made.offset = bytes();
    if (key == "length") made.length = bytes();
  }

  onnx_value_info value_info(protozero::pbf_reader m) {
    onnx_value_info made;
    while (next(m)) switch (m.tag()) {
        case 1:
          made.name = text(m);
          break;
        case 2:
          type(message(m), made);
          break;
        default:
          m.skip();
      }
    return made;
  }

  // TypeProto: field 1 is a tensor, 6 the denotation, all others are other kinds of values.
  void type(protozero::pbf_reader m, onnx_value_info& made) {
    while (next(m)) {
      if (m.tag() == 1) {
        made.kind = onnx_value_info::kinds::tensor;
        tensor_type(message(m), made);
        continue;
      }
      if (m.tag() != 6) made.kind = onnx_value_info::kinds::other;
      m.skip();
    }
  }
  void tensor_type(protozero::pbf_reader m, onnx_value_info& made) {
    while (next(m)) switch (m.tag()) {
        case 1:
          made.type = static_cast<onnx_type>(integer(m));
          break;
        case 2: {
          made.dims.emplace();
          protozero::pbf_reader dims = message(m);
          while (next(dims))
            if (dims.tag() == 1)
              made.dims->push_back(extent(message(dims)));
            else
              dims.skip();
          break;
        }
        default:
          m.skip();
      }
  }
  std::int64_t extent(protozero::pbf_reader m) {
    std::int64_t found = -1;
    while (next(m))
      if (m.tag() == 1)
        found = integer(m);
      else
        m.skip();
    constexpr std::int64_t most = std::int64_t{1} << 40;  // a few summed or multiplied do not overflow
    return found < 0 || found > most ? -1 : found;
  }

  struct waiting {
    std::size_t node;
    std::size_t attribute;
    protozero::pbf_reader reader;
  };

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t node_ = 0;  // index of the current node
  std::vector<waiting> waiting_;
  std::vector<open_graph> graphs_;
};

}  // namespace detail

/// Parses a model in ONNX's binary format; tensors refer to the document. Throws parse_error, also for subgraphs nested
/// more than 100 deep. O(document).
[[nodiscard]] inline onnx_model parse_onnx(std::string_view document) { return detail::onnx_parser(document).model(); }

/// Parses a document that is one TensorProto, such as the inputs and outputs of ONNX's own tests.
[[nodiscard]] inline onnx_tensor parse_onnx_tensor(std::string_view document) {
  return detail::onnx_parser(document).lone_tensor();
}

}  // namespace plait
