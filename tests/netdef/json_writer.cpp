#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/json_reader.hpp>
#include <plait/netdef/detail/json_writer.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

namespace {

using plait::netdef;

netdef example() {
  return plait::read_netdef_text(R"(
name: "n\"\n\001\177\\ü"
op { input: ["x", "w"] type: "FC" is_gradient_op: true device_option { device_id: 1 } device_option_2: 1
     arg { name: "a" i: -1 f: 0.1 s: "NCHW" floats: [1, inf, -inf, nan, -0] strings: ["", "\377"] t { data_type: FLOAT dims: 2 } } arg {} }
external_input: "x"
)");
}

TEST_CASE("json writer: the output is protobuf's JSON mapping") {
  CHECK(
      plait::to_json(example(), {.indent = 0}) ==
      R"({"name":"n\"\n\u0001\u007f\\ü","op":[{"input":["x","w"],"type":"FC","arg":[{"name":"a","f":0.1,"i":"-1","s":"TkNIVw==",)"
      R"("floats":[1,"Infinity","-Infinity","NaN",-0.0],"strings":["","/w=="],"t":{"dims":["2"],"dataType":"FLOAT"}},{}],)"
      R"("deviceOption":{"deviceId":1},"isGradientOp":true,"device_option_2":1}],"externalInput":["x"]})");
  CHECK(plait::to_json(plait::read_netdef_text("op{type:'A'}op{}external_input:['x','y']")) == R"({
  "op": [
    {
      "type": "A"
    },
    {}
  ],
  "externalInput": [
    "x",
    "y"
  ]
}
)");
  CHECK(plait::to_json({}) == "{}\n");
}

// protobuf 7.36 for Python drops the sign of -0, and takes 3.4028235e+38 as "too large" for a float.
TEST_CASE("json writer: protobuf's own readers accept -0 and the largest floats") {
  netdef net;
  plait::arg_def& arg = net.arg.emplace_back();
  constexpr float f = std::numeric_limits<float>::max();
  constexpr double d = std::numeric_limits<double>::max();
  arg.floats = {-0.0f, 0.0f, f, -f, std::numeric_limits<float>::denorm_min(), 16777216.0f, 1e20f};
  plait::tensor_def& t = arg.t.emplace();
  t.double_data = {-0.0, d, -d, std::numeric_limits<double>::denorm_min(), static_cast<double>(f)};
  std::string const json = plait::to_json(net, {.indent = 0});
  CHECK(json.find("[-0.0,0,3.4028234663852886e+38,-3.4028234663852886e+38,1e-45,16777216,1e+20]") != std::string::npos);
  CHECK(json.find("[-0.0,1.7976931348623157e+308,-1.7976931348623157e+308,5e-324,3.4028234663852886e+38]") !=
        std::string::npos);
  netdef const again = plait::read_netdef_json(json);
  REQUIRE(again.arg.at(0).floats.size() == arg.floats.size());
  for (std::size_t i = 0; i != arg.floats.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(again.arg[0].floats[i]) == std::bit_cast<std::uint32_t>(arg.floats[i]));
  REQUIRE(again.arg[0].t->double_data.size() == t.double_data.size());
  for (std::size_t i = 0; i != t.double_data.size(); ++i)
    CHECK(std::bit_cast<std::uint64_t>(again.arg[0].t->double_data[i]) ==
          std::bit_cast<std::uint64_t>(t.double_data[i]));
}

TEST_CASE("json writer: unknown fields that are not one JSON value each are refused") {
  // Text may give a field several times, JSON may not.
  netdef const twice = plait::read_netdef_text("op { x: 1 y: 2 x: 3 }");
  std::vector<plait::diagnostic> told;
  CHECK(plait::to_json(twice, {.indent = 0, .diagnostics = &told}) == R"({"op":[{"x":1,"y":2}]})");
  REQUIRE(told.size() == 1);
  CHECK(told[0].message.find("unknown field 'x' of OperatorDef cannot be written as JSON") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(plait::to_json(twice)), plait::net_error);
  for (std::string const& data : {std::string("1\0, 2", 5), std::string("1\0", 2), std::string("\0", 1),
                                  std::string("\xEF\xBB\xBF"
                                              "1"),
                                  std::string("1, \"y\": 2"), std::string()}) {
    netdef net;
    net.unknown.push_back({0, "x", data});
    CHECK_THROWS_AS(static_cast<void>(plait::to_json(net)), plait::net_error);
  }
}

TEST_CASE("json writer: options for names and indentation") {
  std::string const proto = plait::to_json(example(), {.proto_names = true, .indent = 1});
  CHECK(proto.find("\n \"external_input\": [\n  \"x\"\n ]") != std::string::npos);
  CHECK(proto.find("\"device_id\": 1") != std::string::npos);
  CHECK(plait::to_json(example(), {.legacy_names = true}).find("\"cudaGpuId\": 1") != std::string::npos);
  std::string const old = plait::to_json(example(), {.legacy_names = true, .proto_names = true});
  CHECK(old.find("\"cuda_gpu_id\": 1") != std::string::npos);
  for (unsigned indent : {0u, 1u, 4u})
    for (bool names : {false, true})
      CHECK(plait::read_netdef_json(plait::to_json(
                example(), {.legacy_names = names, .proto_names = names, .indent = indent})) == example());
  std::ostringstream out;
  plait::write_netdef_json(out, example());
  CHECK(out.str() == plait::to_json(example()));
}

TEST_CASE("json writer: refuses what JSON cannot express before anything is written") {
  netdef net;
  net.add_op("A", {}, {});
  net.add_op("B", {"\xFF"}, {});
  std::ostringstream out;
  try {
    plait::write_netdef_json(out, net);
    FAIL_CHECK("was written");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 1);
    CHECK(std::string(problem.what()).find("'input'") != std::string::npos);
  }
  CHECK(out.str().empty());

  for (plait::unknown_field const& field : std::vector<plait::unknown_field>{{16, "", "\x80\x01\x05"},
                                                                             {0, "x", "{a: 1}"},
                                                                             {0, "x", "CPU"},
                                                                             {0, "x", "1.0f"},
                                                                             {0, "x", "'s'"},
                                                                             {0, "deviceOption", "1"},
                                                                             {0, "cudaGpuId", "1"}}) {
    CAPTURE(field.name);
    netdef other;
    other.device_option.emplace().unknown = {field};
    if (field.name == "deviceOption") other.device_option->unknown.swap(other.unknown);
    CHECK_THROWS_AS(static_cast<void>(plait::to_json(other)), plait::net_error);
    std::vector<plait::diagnostic> told;
    CHECK(plait::to_json(other, {.indent = 0, .diagnostics = &told}) == R"({"deviceOption":{}})");
    CHECK(told.size() == 1);
  }
}

}  // namespace
