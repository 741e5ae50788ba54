#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/json_reader.hpp>
#include <plait/netdef/json_writer.hpp>
#include <plait/netdef/text_reader.hpp>

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

TEST_CASE("protobuf's mapping") {
  CHECK(
      plait::to_json(example(), {.indent = 0}) ==
      R"({"name":"n\"\n\u0001\u007f\\ü","op":[{"input":["x","w"],"type":"FC","arg":[{"name":"a","f":0.1,"i":"-1","s":"TkNIVw==",)"
      R"("t":{"dims":["2"],"dataType":"FLOAT"},"floats":[1,"Infinity","-Infinity","NaN",-0],"strings":["","/w=="]},{}],)"
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

TEST_CASE("options") {
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

TEST_CASE("what JSON cannot express is refused before anything is written") {
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
