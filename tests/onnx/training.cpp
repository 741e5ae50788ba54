// Training of imported ONNX models: gradients of recurrent and control-flow operators against finite differences.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/check_gradient.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>

namespace {

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_CASE("ONNX training: gradients of models with loops equal finite differences") {
  for (char const* name : {"rnn_bidirectional", "rnn_lengths", "gru_linear_before_reset", "gru_bidirectional_lengths",
                           "lstm_reverse_lengths", "lstm_bidirectional_lengths", "lstm_peepholes", "lstm_input_forget",
                           "loop_for_5", "loop_if", "scan_all", "if_true", "if_false"}) {
    CAPTURE(name);
    auto const folder = std::filesystem::path(PLAIT_TEST_DATA_DIR) / "onnx" / "recorded" / name;
    std::string const document = bytes_of(folder / "model.onnx");
    auto const model = plait::parse_onnx(document);
    plait::onnx_options options;
    options.training = true;
    auto const net = plait::read_onnx(model, options);
    plait::workspace<plait::serial> blobs;
    plait::feed(blobs, net.parameters);
    std::vector<std::string> moved;
    for (std::size_t i = 0; i != model.graph.inputs.size(); ++i) {
      plait::onnx_value_info const& input = model.graph.inputs[i];
      std::string const tensor = bytes_of(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
      blobs.feed(input.name, plait::to_tensor<plait::serial>(plait::value_of(plait::parse_onnx_tensor(tensor))));
      if (input.type == plait::onnx_type::float32) moved.push_back(input.name);
    }
    plait::gradient_check_options check_options;
    check_options.gradients.numpy_broadcasting = true;  // as ONNX has shapes broadcast
    check_options.most_elements = 4;
    auto const check = plait::check_gradient(net.net, net.outputs, moved, blobs, check_options);
    CHECK_MESSAGE(check.ok(), check.text());
  }
}

}  // namespace
