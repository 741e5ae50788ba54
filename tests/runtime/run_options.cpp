#include <plait/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/scratch_folder.hpp>

namespace {

using floats = std::vector<float>;

TEST_CASE("session: an observer is told each op or group") {
  test::scratch_folder const folder;
  std::string const net = folder.write("net.pbtxt", R"(
    op { type: "FC" input: "x" input: "w" input: "b" output: "h" } op { type: "Relu" input: "h" output: "y" }
    op { type: "Softmax" input: "y" output: "p" } external_output: "p")");
  for (std::string const& backend : plait::session::backends()) {
    plait::session s(net, {.backend = backend});
    s.feed("x", floats{1, -2}, {1, 2});
    s.feed("w", floats{1, 2, 3, 4}, {2, 2});
    s.feed("b", floats{0, 0}, {2});
    std::string types;
    double seconds = 0;
    s.run({.observer = [&](plait::op_timing const& e) {
      types += std::string(e.type) + ' ' + std::string(e.output) + ' ' + std::to_string(e.depth) + '\n';
      seconds += e.seconds;
    }});
    CHECK(types == "FC+Relu h 0\nSoftmax p 0\n");
    CHECK(seconds > 0);
  }
}

TEST_CASE("session: a run is stopped by a token") {
  test::scratch_folder const folder;
  plait::session s(folder.write("net.pbtxt", R"(op { type: "Relu" input: "x" output: "y" } external_output: "y")"));
  s.feed("x", floats{1, -2}, {2});
  std::stop_source source;
  s.run({.stop = source.get_token()});
  CHECK(s.fetch<float>("y") == floats{1, 0});
  source.request_stop();
  s.feed("x", floats{3, 4}, {2});
  CHECK_THROWS_AS(s.run({.stop = source.get_token()}), plait::run_cancelled);
  CHECK(s.fetch<float>("y") == floats{1, 0});
}

plait::user_operator scale() {
  return {.type = "Scale2",
          .arguments = {{"by", 2.0}},
          .run =
              [](plait::user_operator::call const& c) {
                std::span<float const> const x = c.inputs[0].elements<float>();
                std::span<float> const y = c.outputs[0].elements<float>();
                for (std::size_t i = 0; i != x.size(); ++i) y[i] = static_cast<float>(c.argument("by")) * x[i];
              },
          .gradient = "Scale2Gradient"};
}
// Returns the gradient of Scale2: an op of x and dy.
plait::user_operator scale_gradient() {
  plait::user_operator made = scale();
  made.type = "Scale2Gradient";
  made.inputs = 2;
  made.run = [](plait::user_operator::call const& c) {
    std::span<float const> const dy = c.inputs[1].elements<float>();
    for (std::size_t i = 0; i != dy.size(); ++i)
      c.outputs[0].elements<float>()[i] = static_cast<float>(c.argument("by")) * dy[i];
  };
  return made;
}

TEST_CASE("session: a user_operator runs, with arguments of the net, and is differentiated") {
  test::scratch_folder const folder;
  std::string const net = folder.write("net.pbtxt", R"(
    op { type: "Mul" input: "x" input: "w" output: "p" }
    op { type: "Scale2" input: "p" output: "y" arg { name: "by" f: 3 } }
    op { type: "Scale2" input: "y" output: "z" } op { type: "AveragedLoss" input: "z" output: "loss" })");
  std::string const parameters = folder.write("init.pbtxt", R"(
    op { type: "GivenTensorFill" output: "w" arg { name: "shape" ints: 2 } arg { name: "values" floats: 1 floats: -1 } })");
  for (std::string const& backend : plait::session::backends()) {
    CAPTURE(backend);
    plait::session s(
        net, {.init = parameters, .backend = backend, .fetch = {"z"}, .operators = {scale(), scale_gradient()}});
    s.feed("x", floats{5, 7}, {2});
    s.run();
    CHECK(s.fetch<float>("z") == floats{30, -42});
    s.add_training({.loss = "loss", .rate = 0.5f});
    s.train();
    CHECK(s.fetch<float>("w") == floats{1 - 0.5f * 5 * 6 / 2, -1 - 0.5f * 7 * 6 / 2});
  }
}

TEST_CASE("session: a user_operator says the types of its outputs") {
  test::scratch_folder const folder;
  std::string const net =
      folder.write("net.pbtxt", R"(op { type: "Count" input: "x" output: "n" output: "x2" } external_output: "n")");
  plait::user_operator count{.type = "Count", .outputs = 2};
  count.infer = [](std::span<plait::tensor_info const> inputs) -> std::vector<plait::tensor_info> {
    if (inputs[0].shape.empty()) throw plait::shape_error("Count: a scalar has no rows");
    return {{{}, plait::element_type::int64, {}}, inputs[0]};
  };
  count.run = [](plait::user_operator::call const& c) {
    c.outputs[0].elements<std::int64_t>()[0] = c.inputs[0].shape[0];
  };
  plait::session s(net, {.operators = {count}});
  s.feed("x", floats{1, 2, 3, 4, 5, 6}, {3, 2});
  s.run();
  CHECK(s.fetch<std::int64_t>("n") == std::vector<std::int64_t>{3});
  CHECK(s.info("n").shape.empty());
  s.feed("x", floats{1}, {});
  CHECK_THROWS_WITH_AS(s.run(), doctest::Contains("a scalar has no rows"), plait::exec_error);

  count.infer = [](auto) { return std::vector<plait::tensor_info>(1); };
  plait::session short_of_one(net, {.operators = {count}});
  short_of_one.feed("x", floats{1}, {1});
  CHECK_THROWS_WITH_AS(short_of_one.run(), doctest::Contains("1 types for 2 outputs"), plait::exec_error);
}

// Returns a field of a protobuf message that holds bytes or a message.
std::string message(int number, std::string const& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

TEST_CASE("session: a user_operator takes the nodes of an ONNX model, by type and domain") {
  test::scratch_folder const folder;
  std::string const attribute = message(1, "by") + std::string("\x15\x00\x00\xa0\x40\xa0\x01\x01", 8);  // f: 5, FLOAT
  std::string const node =
      message(1, "x") + message(2, "y") + message(4, "Scale2") + message(5, attribute) + message(7, "org.example");
  // x and y: float tensors of 2 elements
  std::string const dims = message(1, std::string("\x08\x02", 2));
  std::string const type = message(1, std::string("\x08\x01", 2) + message(2, dims));
  std::string const graph = message(1, node) + message(2, "g") + message(11, message(1, "x") + message(2, type)) +
                            message(12, message(1, "y") + message(2, type));
  std::string const model = std::string("\x08\x08", 2) + message(7, graph) + message(8, std::string("\x10\x0d", 2)) +
                            message(8, message(1, "org.example") + std::string("\x10\x01", 2));
  std::string const path = folder.write("custom.onnx", model);
  CHECK_THROWS_WITH_AS(plait::session{path}, doctest::Contains("Scale2"), plait::error);
  plait::user_operator op = scale();
  CHECK_THROWS_AS(plait::session(path, {.operators = {op}}), plait::error);  // of another domain
  op.onnx_domain = "org.example";
  plait::session s(path, {.operators = {op}});
  s.feed("x", floats{1, -3}, {2});
  s.run();
  CHECK(s.fetch<float>("y") == floats{5, -15});
}

TEST_CASE("session: what a user_operator throws, and what it lacks, is reported") {
  test::scratch_folder const folder;
  std::string const net = folder.write("net.pbtxt", R"(op { type: "Op" input: "x" output: "y" } external_output: "y")");
  plait::user_operator op{.type = "Op"};
  CHECK_THROWS_WITH_AS(plait::session(net, {.operators = {op}}), doctest::Contains("'Op' lacks run"), plait::net_error);
  op.run = [](plait::user_operator::call const& c) { (void)c.argument("alpha"); };
  plait::session unknown(net, {.operators = {op}});
  unknown.feed("x", floats{1}, {1});
  CHECK_THROWS_WITH_AS(unknown.run(), doctest::Contains("'alpha'"), plait::exec_error);
  op.run = [](plait::user_operator::call const& c) { (void)c.inputs[0].elements<double>(); };
  plait::session other(net, {.operators = {op}});
  other.feed("x", floats{1}, {1});
  CHECK_THROWS_WITH_AS(other.run(), doctest::Contains("holds float32, not float64"), plait::exec_error);
  CHECK_THROWS_WITH_AS(other.add_training({.loss = "y"}), doctest::Contains("Op"), plait::net_error);
}

}  // namespace
