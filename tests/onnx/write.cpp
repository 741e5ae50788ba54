// ONNX export: written models compute what nets do, names of values, listed problems.
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx/write.hpp>
#include <plait/netdef.hpp>

#include <support/onnx_runs.hpp>
#include <support/onnx_written_ops.hpp>

namespace {

using namespace onnx_written;
using plait::tensor_value;
using names = std::vector<std::string>;

onnx_runs::values random_values(net const& of) {
  std::mt19937 random(1);
  onnx_runs::values made;
  for (input const& each : of.inputs) made.emplace(each.name, random_value(each, random));
  return made;
}

plait::onnx_export_options options_of(net const& of, std::int64_t opset) {
  plait::onnx_export_options made{.opset = opset};
  for (input const& each : of.inputs) made.inputs.push_back({each.name, each.dims, each.type});
  return made;
}

/// Runs the net itself, and returns its blobs.
std::map<std::string, tensor_value> results_of(plait::netdef const& n, onnx_runs::values const& given,
                                               names const& wanted) {
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : given) blobs.feed(name, plait::to_tensor<plait::serial>(value));
  auto plan = plait::compile(n, plait::standard_operators<plait::serial>(), blobs, {.fetch = wanted});
  plan.run();
  std::map<std::string, tensor_value> made;
  for (std::string const& name : wanted) made.emplace(name, plait::to_value(blobs.view(name)));
  return made;
}

names outputs_of(plait::onnx_model const& model) {
  names made;
  for (auto const& each : model.graph.outputs) made.push_back(each.name);
  return made;
}

TEST_CASE("write_onnx: models compute what their nets do") {
  for (std::int64_t const opset : {13, 17, 18, 21})
    for (net const& each : nets()) {
      if (opset < each.opset) continue;
      plait::netdef const n = built(each);
      CAPTURE(plait::to_text(n));
      CAPTURE(opset);
      auto const given = random_values(each);
      std::string const bytes = plait::write_onnx(n, {}, options_of(each, opset));
      plait::onnx_model const model = plait::parse_onnx(bytes);
      CHECK(model.opsets.front().version == opset);
      names const outputs = outputs_of(model);
      REQUIRE(!outputs.empty());
      std::vector<tensor_value> wanted;
      auto const results = results_of(n, given, outputs);
      for (std::string const& name : outputs) wanted.push_back(results.at(name));
      // Everything that is written can be read again.
      CHECK(onnx_runs::run(onnx_runs::read(model, given), given, wanted, 1e-5) == "");
    }
}

TEST_CASE("write_onnx: inputs keep their names, other blobs have theirs in their last version") {
  plait::net_builder b("net");
  b.external_input("x");
  b.op_n("Relu", {"x"}, {"x"});
  b.op_n("Sigmoid", {"x"}, {"y"});
  b.op_n("Tanh", {"y"}, {"y"});
  b.op_n("Exp", {"y"}, {"y_1"});
  b.op_n("Add", {"y", "y_1"}, {"y"});
  plait::netdef n = b.take();
  n.external_output = {n.intern("x"), n.intern("y")};
  plait::onnx_model const model = plait::to_onnx(n);
  CHECK(model.graph.inputs.front().name == "x");
  CHECK(outputs_of(model) == names{"x_1", "y"});
  names made;
  for (auto const& node : model.graph.nodes) made.push_back(node.outputs.front());
  CHECK(made == names{"x_1", "y_1_1", "y_2", "y_1", "y"});
}

TEST_CASE("write_onnx: parameters become initializers, unread ones are dropped") {
  plait::net_builder b("net");
  for (char const* name : {"x", "w", "b", "unread"}) b.external_input(name);
  b.op_n("FC", {"x", "w", "b"}, {"y"});
  plait::netdef const n = b.take();
  std::vector<plait::parameter> const parameters{{"w", {{2, 3}, std::vector<float>(6, 1)}},
                                                 {"b", {{2}, std::vector<float>(2, 3)}},
                                                 {"unread", {{1}, std::vector<float>(1)}}};
  plait::onnx_model const model = plait::to_onnx(n, std::span<plait::parameter const>(parameters));
  REQUIRE(model.graph.inputs.size() == 1);
  CHECK(model.graph.inputs[0].name == "x");
  CHECK(model.graph.inputs[0].dims == numbers{-1, -1});
  CHECK(model.graph.initializers.size() == 2);
  REQUIRE(model.graph.nodes.size() == 1);
  CHECK(model.graph.nodes[0].type == "Gemm");
  CHECK(plait::value_of(model.graph.initializers[0]) == parameters[0].value);
}

TEST_CASE("write_onnx: everything without an equivalent is listed") {
  plait::net_builder b("net");
  for (char const* name : {"x", "l"}) b.external_input(name);
  b.op_n("Relu", {"x"}, {"y"});
  b.op_n("Dropout", {"y"}, {"d", "mask"});
  b.op_n("Adagrad", {"d", "l"}, {"s"});
  b.op_n("Unheard", {"x"}, {"not_needed"});
  b.op_n("Unheard", {"s"}, {"z"});
  plait::netdef n = b.take();
  n.external_output = {n.intern("z")};
  try {
    static_cast<void>(plait::write_onnx(n));
    FAIL("written");
  } catch (plait::onnx_export_error const& e) {
    REQUIRE(e.problems.size() == 3);
    CHECK(e.problems[0].op == 1U);
    CHECK(e.problems[0].type == "Dropout");
    CHECK(e.problems[0].output == "d");
    CHECK(e.problems[0].alternative == "set is_test to 1");
    CHECK(e.problems[1].type == "Adagrad");
    CHECK(e.problems[2].type == "Unheard");
    CHECK(e.problems[2].op == 4U);
    CHECK(std::string(e.what()).find("op 4 (Unheard) 'z': has no equivalent in ONNX") != std::string::npos);
  }
  CHECK_THROWS_AS(static_cast<void>(plait::write_onnx(n, {}, {.opset = 12})), plait::onnx_export_error);
  CHECK_THROWS_AS(static_cast<void>(plait::write_onnx(n, {}, {.opset = 22})), plait::onnx_export_error);
}

TEST_CASE("write_onnx: serialized models are what they were, scalars and unknown extents too") {
  plait::onnx_model model;
  model.ir_version = 8;
  model.opsets = {{"", 17}};
  plait::onnx_value_info scalar{"s", plait::onnx_value_info::kinds::tensor, onnx_type::float32, numbers{}};
  plait::onnx_value_info open{"o", plait::onnx_value_info::kinds::tensor, onnx_type::int64, numbers{-1, 3}};
  plait::onnx_value_info none{"n", plait::onnx_value_info::kinds::tensor, onnx_type::boolean, std::nullopt};
  model.graph.inputs = {scalar, open, none};
  plait::onnx_model const again = plait::parse_onnx(plait::serialize_onnx(model, "test"));
  REQUIRE(again.graph.inputs.size() == 3);
  CHECK(again.graph.inputs[0].dims == numbers{});
  CHECK(again.graph.inputs[1].dims == numbers{-1, 3});
  CHECK(!again.graph.inputs[2].dims);
  CHECK(again.graph.inputs[2].type == onnx_type::boolean);
}

TEST_CASE("write_onnx: If captures outer blobs") {
  plait::netdef n;
  plait::op_def& branch = n.add_op("If", {"c"}, {"y"});
  for (auto const& [argument, type] : {std::pair{"then_net", "Relu"}, std::pair{"else_net", "Negative"}}) {
    plait::arg_def& a = branch.arg.emplace_back();
    a.name = n.intern(argument);
    plait::netdef inner;
    inner.add_op(type, {"x"}, {"y"});
    a.n = std::move(inner);
  }
  n.add_op("Tanh", {"y"}, {"z"});
  plait::onnx_export_options const options{.inputs = {{"x", numbers{2, 2}}, {"c", numbers{}, onnx_type::boolean}}};
  plait::onnx_model const model = plait::to_onnx(n, {}, options);
  CHECK(model.graph.nodes[0].type == "If");
  CHECK(model.graph.outputs.front().dims == numbers{2, 2});
  for (bool const holds : {false, true}) {
    onnx_runs::values const given{{"x", {{2, 2}, std::vector<float>{1, -2, 3, -4}}},
                                  {"c", {{}, std::vector<bool>{holds}}}};
    auto const wanted = results_of(n, given, {"z"});
    CHECK(onnx_runs::run(plait::read_onnx(model), given, {wanted.at("z")}, 1e-5) == "");
  }
}

}  // namespace
