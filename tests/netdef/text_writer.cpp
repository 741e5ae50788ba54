#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/equality.hpp>

namespace {

using plait::netdef;

TEST_CASE("text writer: the layout is that of protobuf") {
  netdef net;
  net.name = net.intern("n");
  plait::op_def& op = net.add_op("FC", {"x", "w"}, {"y"});
  op.name = net.intern("");
  op.edit_extras().is_gradient_op = false;
  op.device_option.emplace().device_type = 1;
  op.device_option->device_id = 0;
  plait::arg_def argument;
  argument.name = net.intern("axis");
  argument.i = -1;
  op.arg.push_back(argument);
  net.external_input = {net.intern("x"), net.intern("w")};
  std::string const expected = R"(name: "n"
op {
  input: "x"
  input: "w"
  output: "y"
  name: ""
  type: "FC"
  arg {
    name: "axis"
    i: -1
  }
  device_option {
    device_type: 1
    device_id: 0
  }
  is_gradient_op: false
}
external_input: "x"
external_input: "w"
)";
  CHECK(plait::to_text(net) == expected);
  std::ostringstream out;
  plait::write_netdef_text(out, net);
  CHECK(out.str() == expected);
  CHECK(plait::to_text(net, {.legacy_names = true}).find("    cuda_gpu_id: 0\n") != std::string::npos);
  CHECK(plait::to_text({}).empty());
}

TEST_CASE("text writer: numbers have the digits that protobuf prints") {
  netdef net;
  plait::arg_def argument;
  argument.floats = {1e-5f,
                     0.1f,
                     16777216.0f,
                     100000.0f,
                     1.0f / 3,
                     -0.0f,
                     std::numeric_limits<float>::max(),
                     std::numeric_limits<float>::denorm_min(),
                     std::numeric_limits<float>::infinity(),
                     -std::numeric_limits<float>::infinity(),
                     std::numeric_limits<float>::quiet_NaN()};
  argument.t.emplace().double_data = {0.1, 1e300, 1.0 / 3};
  argument.t->data_type = plait::tensor_type::float64;
  net.arg.push_back(argument);
  argument.floats.clear();
  argument.t->double_data.clear();
  argument.t->data_type = static_cast<plait::tensor_type>(77);
  net.arg.push_back(argument);
  CHECK(plait::to_text(net) == R"(arg {
  floats: 1e-05
  floats: 0.1
  floats: 16777216
  floats: 100000
  floats: 0.333333343
  floats: -0
  floats: 3.40282347e+38
  floats: 1.40129846e-45
  floats: inf
  floats: -inf
  floats: nan
  t {
    data_type: DOUBLE
    double_data: 0.1
    double_data: 1e+300
    double_data: 0.33333333333333331
  }
}
arg {
  t {
    data_type: 77
  }
}
)");
}

TEST_CASE("text writer: strings are escaped like those of protobuf") {
  netdef net;
  net.name = net.intern(std::string_view("a\"'\\\n\r\t\0\x01\x7F\xC3\xBC?", 13));
  CHECK(plait::to_text(net) == "name: \"a\\\"\\'\\\\\\n\\r\\t\\000\\001\\177\\303\\274?\"\n");
}

TEST_CASE("text writer: unknown fields of text are written back, and those of JSON that mean the same") {
  netdef net;
  net.unknown = {{0, "shape", "{ d: [1, 2] # two\n }"}, {0, "[e.x]", "-1.5"}, {0, "s", "\"a\\u00fc\""}, {0, "o", "{}"}};
  std::string const text = plait::to_text(net);
  CHECK(text == "shape: { d: [1, 2] # two\n }\n[e.x]: -1.5\ns: \"a\\u00fc\"\no: {}\n");
  CHECK(plait::read_netdef_text(text) == net);
}

TEST_CASE("text writer: refuses what text cannot express before anything is written, or reports it") {
  for (plait::unknown_field const& field : std::vector<plait::unknown_field>{{16, "", "\x80\x01\x05"},
                                                                             {0, "o", "{\"a\": 1}"},
                                                                             {0, "\xEF\xBB\xBFx", "1"},
                                                                             {0, "x",
                                                                              "\xEF\xBB\xBF"
                                                                              "1"},
                                                                             {0, "two words", "1"},
                                                                             {0, "l", "[[1]]"},
                                                                             {0, "x", "1 y: 2"},
                                                                             {0, "x", ""}}) {
    CAPTURE(field.data);
    netdef net;
    net.add_op("A", {}, {});
    net.add_op("B", {}, {}).edit_extras().unknown = {field, {0, "kept", "1"}};
    std::ostringstream out;
    try {
      plait::write_netdef_text(out, net);
      FAIL_CHECK("was written");
    } catch (plait::net_error const& problem) {
      CHECK(problem.op == 1);
      CHECK(std::string(problem.what()).find("OperatorDef cannot be written as text") != std::string::npos);
    }
    CHECK(out.str().empty());
    std::vector<plait::diagnostic> told;
    CHECK(plait::to_text(net, {.diagnostics = &told}) == "op {\n  type: \"A\"\n}\nop {\n  type: \"B\"\n  kept: 1\n}\n");
    REQUIRE(told.size() == 1);
    CHECK(told[0].message.find("unknown field") != std::string::npos);
  }
}

TEST_CASE("text writer: long output reaches the stream completely") {
  netdef net;
  for (int i = 0; i != 20000; ++i) net.add_op("Op", {"input_" + std::to_string(i)}, {"y"});
  std::ostringstream out;
  plait::write_netdef_text(out, net);
  CHECK(out.str().size() > 500000);
  CHECK(out.str() == plait::to_text(net));
  CHECK(plait::read_netdef_text(out.str()) == net);
}

TEST_CASE("text writer: deep nets are written without recursion") {
  std::string text;
  for (int i = 0; i != 333; ++i) text += "op{arg{n{";
  for (int i = 0; i != 333; ++i) text += "}}}";
  netdef const net = plait::read_netdef_text(text, {.limits = {.max_depth = 1000}});
  CHECK(plait::read_netdef_text(plait::to_text(net), {.limits = {.max_depth = 1000}}) == net);
}

}  // namespace
