// ONNX export of recurrences: layers become LSTM, GRU or RNN, other step nets Scan.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx/write.hpp>
#include <plait/netdef.hpp>
#include <plait/rnn.hpp>

#include <support/onnx_runs.hpp>

namespace {

using numbers = std::vector<std::int64_t>;
using plait::tensor_value;

tensor_value random_floats(numbers dims, std::mt19937& random) {
  std::vector<float> made(*plait::element_count(dims));
  for (float& each : made) each = static_cast<float>(random() % 2000) / 1000 - 1;
  return {std::move(dims), std::move(made)};
}

struct layer_case {
  bool lengths = false;
  bool drops = false;
  bool reverse = false;
  bool all_cells = false;  ///< the net has all cell states as an output, too
};

struct written_layer {
  plait::netdef net;
  std::vector<plait::parameter> parameters;
  onnx_runs::values inputs;
  plait::onnx_export_options options;
  std::vector<std::string> outputs;
};

template <class Cell>
written_layer layer_of(Cell const& cell, layer_case const& how) {
  plait::trained_model model("net");
  model.net.external_input("x");
  plait::recurrent_layer_options options{.sequence = "x"};
  options.forward_only = true;
  if (how.lengths) {
    model.net.external_input("l");
    options.lengths = "l";
  }
  options.drop_states = how.drops;
  options.reverse = how.reverse;
  auto const made = plait::add_recurrent_layer(model, "rnn", cell, options);
  std::mt19937 random(2);
  written_layer written;
  written.net = model.net.net();
  for (auto const& name : model.net.net().external_input) {
    std::string const blob(model.net.net().text(name));
    if (!model.has_parameter(blob)) continue;
    written.parameters.push_back({blob, random_floats(model.parameter_shape(blob), random)});
  }
  written.inputs.emplace("x", random_floats({4, 3, cell.inputs}, random));
  if (how.lengths) written.inputs.emplace("l", tensor_value{{3}, std::vector<std::int32_t>{4, 2, 0}});
  for (auto const& [name, value] : written.inputs)
    written.options.inputs.push_back({name, value.shape, plait::onnx_type_of(value.type())});
  written.outputs = {made.output.name()};
  for (auto const& last : made.last) written.outputs.push_back(last.name());
  if (how.all_cells) written.outputs.push_back(made.all.back().name());
  written.net.external_output.clear();
  for (std::string const& name : written.outputs) written.net.external_output.push_back(written.net.intern(name));
  return written;
}

std::string difference_of(written_layer const& layer, plait::onnx_model const& model) {
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, layer.parameters);
  for (auto const& [name, value] : layer.inputs) blobs.feed(name, plait::to_tensor<plait::serial>(value));
  auto plan = plait::compile(layer.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = layer.outputs});
  plan.run();
  std::vector<tensor_value> wanted;
  for (std::string const& name : layer.outputs) wanted.push_back(plait::to_value(blobs.view(name)));
  std::string const bytes = plait::serialize_onnx(model);
  return onnx_runs::run(plait::read_onnx_bytes(bytes), layer.inputs, wanted, 1e-5);
}

template <class Cell>
void check(Cell const& cell, char const* type) {
  for (layer_case const how :
       {layer_case{}, {.lengths = true}, {.lengths = true, .drops = true}, {.all_cells = true}}) {
    CAPTURE(how.lengths);
    CAPTURE(how.drops);
    CAPTURE(how.all_cells);
    written_layer const layer = layer_of(cell, how);
    plait::onnx_model const model =
        plait::to_onnx(layer.net, std::span<plait::parameter const>(layer.parameters), layer.options);
    auto const has = [&](std::string const& wanted) {
      return std::ranges::any_of(model.graph.nodes, [&](auto const& node) { return node.type == wanted; });
    };
    bool const scans = how.all_cells && std::string(type) == "LSTM";
    CHECK(has(scans ? "Scan" : type));
    // The layer multiplies the input itself.
    auto const layer_node = std::ranges::find(model.graph.nodes, std::string(type), &plait::onnx_node::type);
    if (!scans) CHECK(layer_node->inputs[0] == "x");
    CHECK(difference_of(layer, model) == "");
  }
}

TEST_CASE("write_onnx: layers of basic cells become LSTM, GRU and RNN") {
  check(plait::lstm_cell{3, 4}, "LSTM");
  check(plait::lstm_cell{3, 4, 0.5f}, "LSTM");
  check(plait::gru_cell{3, 4}, "GRU");
  check(plait::gru_cell{3, 4, true}, "GRU");
  check(plait::basic_rnn_cell{3, 4}, "RNN");
  check(plait::basic_rnn_cell{3, 4, plait::rnn_activation::relu}, "RNN");
}

TEST_CASE("write_onnx: other cells become Scan") {
  written_layer const layer = layer_of(plait::peephole_lstm_cell{3, 4}, {});
  plait::onnx_model const model =
      plait::to_onnx(layer.net, std::span<plait::parameter const>(layer.parameters), layer.options);
  CHECK(std::ranges::any_of(model.graph.nodes, [&](auto const& node) { return node.type == "Scan"; }));
  CHECK(difference_of(layer, model) == "");
}

TEST_CASE("write_onnx: windows over several places of a state are read behind the op that writes the next one") {
  constexpr std::string_view text = R"(
    op { type: "RecurrentNetwork" input: "x" input: "before" input: "h0" input: "w" input: "b"
      output: "all" output: "last" output: "scopes"
      arg { name: "alias_src" strings: "h" strings: "h" }
      arg { name: "alias_dst" strings: "all" strings: "last" }
      arg { name: "alias_offset" ints: 1 ints: -1 }
      arg { name: "recurrent_states" strings: "xs" strings: "h" }
      arg { name: "initial_recurrent_state_ids" ints: 1 ints: 2 }
      arg { name: "link_internal" strings: "x_t" strings: "copy" strings: "window" strings: "h_t" }
      arg { name: "link_external" strings: "x" strings: "xs" strings: "xs" strings: "h" }
      arg { name: "link_offset" ints: 0 ints: 2 ints: FIRST ints: 1 }
      arg { name: "link_window" ints: 1 ints: 1 ints: COUNT ints: 1 }
      arg { name: "timestep" s: "timestep" }
      arg { name: "step_net" n {
        op { type: "Copy" input: "x_t" output: "copy" }
        op { type: "Reshape" input: "window" output: "flat" output: "old" arg { name: "shape" ints: 1 ints: -1 } }
        op { type: "FC" input: "flat" input: "w" input: "b" output: "fc" }
        op { type: "Tanh" input: "fc" output: "t" }
        op { type: "ExpandDims" input: "t" output: "h_t" arg { name: "dims" ints: 0 } }
      } }
    }
    external_input: "x" external_input: "before" external_input: "h0" external_input: "w" external_input: "b"
    external_output: "all" external_output: "last")";
  for (auto const& [first, count] : {std::pair{0, 3}, std::pair{1, 2}, std::pair{0, 2}, std::pair{1, 1}}) {
    CAPTURE(first);
    CAPTURE(count);
    std::string net(text);
    net.replace(net.find("FIRST"), 5, std::to_string(first));
    net.replace(net.find("COUNT"), 5, std::to_string(count));
    std::mt19937 random(4);
    written_layer layer;
    layer.net = plait::read_netdef_text(net);
    layer.inputs.emplace("x", random_floats({4, 1, 2}, random));
    layer.inputs.emplace("before", random_floats({2, 1, 2}, random));
    layer.inputs.emplace("h0", random_floats({1, 1, 2}, random));
    layer.inputs.emplace("w", random_floats({2, 2 * count}, random));
    layer.inputs.emplace("b", random_floats({2}, random));
    for (auto const& [name, value] : layer.inputs)
      layer.options.inputs.push_back({name, value.shape, plait::onnx_type_of(value.type())});
    layer.outputs = {"all", "last"};
    CHECK(difference_of(layer, plait::to_onnx(layer.net, {}, layer.options)) == "");
  }
}

}  // namespace
