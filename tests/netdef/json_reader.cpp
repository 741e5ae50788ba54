#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/json_reader.hpp>

namespace {

using plait::netdef;
using plait::read_netdef_json;

plait::arg_def argument(std::string const& json) { return read_netdef_json(R"({"arg":[{)" + json + "}]}").arg.at(0); }

struct mistake {
  std::string source;
  std::size_t line;
  std::size_t column;
  std::string excerpt;  // of the message
};

void check_refused(mistake const& expected, plait::read_options const& options = {}) {
  CAPTURE(expected.source.substr(0, 80));
  try {
    static_cast<void>(read_netdef_json(expected.source, options));
    FAIL_CHECK("was accepted");
  } catch (plait::parse_error const& problem) {
    CAPTURE(std::string(problem.what()));
    CHECK(problem.position.line == expected.line);
    CHECK(problem.position.column == expected.column);
    CHECK(problem.message.find(expected.excerpt) != std::string::npos);
  }
}

TEST_CASE("json reader: field names are read in either spelling") {
  for (char const* source :
       {R"({"name": "n", "op": [{"input": ["x", "w"], "output": ["y"], "type": "FC", "isGradientOp": true,
           "deviceOption": {"deviceType": 1, "deviceId": 3}, "arg": [{"name": "axis", "i": "1"}]}],
           "externalInput": ["x"], "numWorkers": null})",
        R"({"name": "n", "op": [{"input": ["x", "w"], "output": ["y"], "type": "FC", "is_gradient_op": true,
           "device_option": {"device_type": "CUDA", "cuda_gpu_id": 3}, "arg": [{"name": "axis", "i": 1}]}],
           "external_input": ["x"], "external_output": null, "arg": []})",
        "\xEF\xBB\xBF"
        R"({"op": [{"type": "FC", "input": ["x", "w"], "output": ["y"], "is_gradient_op": true, "engine": null,
           "device_option": {"device_type": "1", "cudaGpuId": "3"}, "arg": [{"name": "axis", "i": 1.0}]}],
           "external_input": ["x"], "name": "\u006e"})"}) {
    netdef const net = read_netdef_json(source);
    CHECK(net.text(net.name) == "n");
    CHECK_FALSE(net.num_workers);
    REQUIRE(net.op.size() == 1);
    plait::op_def const& op = net.op[0];
    REQUIRE(op.input.size() == 2);
    CHECK(net.text(op.input[1]) == "w");
    CHECK(net.text(op.type) == "FC");
    CHECK_FALSE(op.extras().engine);
    CHECK(op.extras().is_gradient_op == true);
    CHECK(op.device_option->device_type == 1);
    CHECK(op.device_option->device_id == 3);
    CHECK(op.arg.at(0).i == 1);
    CHECK(net.external_input.at(0) == op.input[0]);
    CHECK(net.external_output.empty());
  }
  CHECK(read_netdef_json(" {} ").op.empty());
}

TEST_CASE("json reader: numbers, and enumerations by name or number") {
  CHECK(argument(R"("i": "-9223372036854775808")").i == std::numeric_limits<std::int64_t>::min());
  CHECK(argument(R"("i": 9223372036854775807)").i == std::numeric_limits<std::int64_t>::max());
  CHECK(argument(R"("i": -0)").i == 0);
  CHECK(argument(R"("i": 1e3)").i == 1000);
  CHECK(argument(R"("i": 1e18)").i == 1'000'000'000'000'000'000);
  CHECK(argument(R"("i": -9.223372036854775808E18)").i == std::numeric_limits<std::int64_t>::min());
  CHECK(argument(R"("i": "-0")").i == 0);
  CHECK(argument(R"("ints": [1, "2", 3.0])").ints == std::vector<std::int64_t>{1, 2, 3});
  CHECK(argument(R"("f": 1e-05)").f == 1e-05f);
  CHECK(argument(R"("f": 3)").f == 3.0f);
  CHECK(argument(R"("f": "1.5")").f == 1.5f);
  CHECK(argument(R"("f": 1e-400)").f == 0.0f);
  CHECK(argument(R"("f": 1e-46)").f == 0.0f);
  CHECK(std::signbit(*argument(R"("f": -0)").f));
  CHECK(argument(R"("f": "-Infinity")").f == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(*argument(R"("f": "NaN")").f));
  // Halfway between two floats if it were rounded to a double first.
  CHECK(argument(R"("f": 1.00000017881393432617187499)").f == 1.00000011920928955078125f);
  CHECK(argument(R"("t": {"doubleData": [0.1, -1e308, "2"]})").t->double_data == std::vector<double>{0.1, -1e308, 2});
  CHECK(argument(R"("t": {"dataType": "DOUBLE"})").t->data_type == plait::tensor_type::float64);
  CHECK(argument(R"("t": {"dataType": 99})").t->data_type == static_cast<plait::tensor_type>(99));
}

// Accepts the forms that protobuf's Python reader accepts, the only other one that reads them; that one rounds to
// double on the way.
TEST_CASE("json reader: integers are exact, quoted or not, with a point and an exponent") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = -1 - least;
  std::vector<std::pair<std::string, std::int64_t>> const same{
      {"0", 0},
      {"-0", 0},
      {"-0.0", 0},
      {"-0e5", 0},
      {"0e999999999999999999999", 0},
      {"0.000e-999999999999999999999", 0},
      {"1e2", 100},
      {"1E+2", 100},
      {"1.0", 1},
      {"-12.50e1", -125},
      {"100e-2", 1},
      {"-100.00e-2", -1},
      {"0.0000001e7", 1},
      {"1e18", 1'000'000'000'000'000'000},
      {"1000000000000000000000e-3", 1'000'000'000'000'000'000},
      {"9007199254740993", 9'007'199'254'740'993},
      {"9007199254740993.0", 9'007'199'254'740'993},
      {"-900719925474099.3e1", -9'007'199'254'740'993},
      {"9223372036854775807", most},
      {"9223372036854775807.0", most},
      {"9.223372036854775807e18", most},
      {"-9223372036854775808", least},
      {"-9223372036854775808.000", least},
      {"-92233720368547758080e-1", least},
  };
  for (auto const& [text, value] : same) {
    CAPTURE(text);
    CHECK(argument("\"i\": " + text).i == value);
    CHECK(argument("\"i\": \"" + text + '"').i == value);
    CHECK(argument("\"ints\": [1, " + text + ", \"" + text + "\"]").ints == std::vector<std::int64_t>{1, value, value});
  }
  for (std::string const text : {"+1", "001", "+1.", "+01.0e0"}) CHECK(argument("\"i\": \"" + text + '"').i == 1);
  // Digits of a string may be escaped like any others.
  CHECK(argument(R"("i": "\u0031\u0065\u0032")").i == 100);

  for (std::string const text :
       {"9223372036854775808", "9223372036854775807.5", "9.2233720368547758075e18", "-9223372036854775809",
        "-9223372036854775808.1", "1e19", "18446744073709551617", "1e999999999999999999999", "1e-1",
        "1e-999999999999999", "1.00000000000000000000000000000001", "0.5", "true", "false", "{}", "[1]", "[]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(argument("\"i\": " + text)), plait::parse_error);
    CHECK_THROWS_AS(static_cast<void>(argument("\"i\": \"" + text + '"')), plait::parse_error);
    CHECK_THROWS_AS(static_cast<void>(argument("\"ints\": [\"" + text + "\"]")), plait::parse_error);
  }
  for (std::string const text :
       {"",    " ",   " 1",  "1 ",   "1 2", "1\\n", "-",  "+",  ".",   "e1",       "1e",       "1e+",
        ".e1", "--1", "+-1", "0x10", "1_0", "1,0",  "1f", "1L", "NaN", "Infinity", "1\\u0000", "\\u0661"})
    CHECK_THROWS_AS(static_cast<void>(argument("\"i\": \"" + text + '"')), plait::parse_error);
}

TEST_CASE("json reader: every width of integers has its own bounds") {
  auto const workers = [](std::string const& text) {
    return read_netdef_json("{\"numWorkers\": " + text + '}').num_workers;
  };
  auto const seed = [](std::string const& text) {
    return read_netdef_json("{\"deviceOption\": {\"randomSeed\": " + text + "}}").device_option->random_seed;
  };
  auto const type = [](std::string const& text) {
    return argument("\"t\": {\"dataType\": " + text + '}').t->data_type;
  };
  for (std::string const quote : {"", "\""}) {
    auto const quoted = [&](std::string const& text) { return quote + text + quote; };
    CHECK(workers(quoted("2147483647.0")) == 2147483647);
    CHECK(workers(quoted("2.147483647e9")) == 2147483647);
    CHECK(workers(quoted("-2147483648e0")) == std::numeric_limits<std::int32_t>::min());
    CHECK(seed(quoted("4294967295")) == 4294967295);
    CHECK(seed(quoted("42949672950e-1")) == 4294967295);
    CHECK(seed(quoted("-0")) == 0);
    CHECK(seed(quoted("-0.0")) == 0);
    CHECK(type(quoted("1e0")) == plait::tensor_type::float32);
    CHECK(type(quoted("130e-1")) == plait::tensor_type::float64);
    for (std::string const text : {"2147483648", "2147483648.0", "-2147483649", "1e10", "2147483647.5"}) {
      CHECK_THROWS_AS(static_cast<void>(workers(quoted(text))), plait::parse_error);
      CHECK_THROWS_AS(static_cast<void>(type(quoted(text))), plait::parse_error);
    }
    for (std::string const text : {"4294967296", "4294967296.0", "-1", "-1.0", "-1e0", "-0.1"})
      CHECK_THROWS_AS(static_cast<void>(seed(quoted(text))), plait::parse_error);
  }
  auto const gradient = [](std::string const& text) {
    return read_netdef_json("{\"op\": [{\"isGradientOp\": " + text + "}]}").op.at(0).extras().is_gradient_op;
  };
  CHECK(gradient("true") == true);
  CHECK(gradient("false") == false);
  for (std::string const text : {"0", "1", "1.0", "\"true\"", "\"1\"", "\"\"", "[true]"})
    CHECK_THROWS_AS(static_cast<void>(gradient(text)), plait::parse_error);
}

TEST_CASE("json reader: floats are quoted or not, the sign of zero is kept") {
  for (std::string const text : {"-0", "-0.0", "-0e5", "-0.000", "-1e-400", "-0E-0"}) {
    CAPTURE(text);
    for (std::string const& each : {text, '"' + text + '"'}) {
      auto const f = argument("\"f\": " + each).f;
      CHECK((f == 0.0f && std::signbit(*f)));
      auto const listed = argument("\"t\": {\"doubleData\": [0, " + each + "]}").t->double_data;
      CHECK((listed.at(1) == 0 && std::signbit(listed[1])));
    }
  }
  CHECK_FALSE(std::signbit(*argument("\"f\": 0").f));
  CHECK(argument(R"("f": "+1.5")").f == 1.5f);
  CHECK(argument(R"("f": ".5")").f == 0.5f);
  CHECK(argument(R"("f": "-5.")").f == -5.0f);
  CHECK(argument(R"("f": "1.5e2")").f == 150.0f);
  CHECK(argument(R"("f": "-3.4028235e+38")").f == std::numeric_limits<float>::lowest());
  for (std::string const text :
       {"1e39", "3.4028236e38", "-1e400", "inf", "-inf", "nan", "+NaN", "+Infinity", "infinity", "0x10",
        "1_0",  "1f",           " 1",     "1 ",  "1\\n", "",    ".",    "-",         "1e",       "1\\u0000"})
    CHECK_THROWS_AS(static_cast<void>(argument("\"f\": \"" + text + '"')), plait::parse_error);
}

TEST_CASE("json reader: bytes are base64 in either alphabet, padded or not") {
  CHECK(argument(R"("s": "")").s == "");
  CHECK(argument(R"("s": "AA==")").s == std::string(1, '\0'));
  CHECK(argument(R"("s": "AP8")").s == std::string("\0\xFF", 2));
  CHECK(argument(R"("s": "-_-_")").s == argument(R"("s": "+/+/")").s);
  CHECK(argument(R"("strings": ["TkNIVw==", "TkM="])").strings == std::vector<std::string>{"NCHW", "NC"});
  check_refused({R"({"arg":[{"s":"A"}]})", 1, 14, "base64"});
  check_refused({R"({"arg":[{"s":"AA=A"}]})", 1, 14, "base64"});
  check_refused({R"({"arg":[{"s":"AAAA="}]})", 1, 14, "base64"});
  check_refused({R"({"arg":[{"s":"A A="}]})", 1, 14, "base64"});
}

TEST_CASE("json reader: a nested net has its own symbols") {
  netdef const net =
      read_netdef_json(R"({"op":[{"type":"If","arg":[{"n":{"name":"inner","op":[{"input":["x"]}]}}]}]})");
  netdef const& inner = *net.op[0].arg[0].n;
  CHECK(inner.text(inner.op[0].input[0]) == "x");
  CHECK_FALSE(net.find("x"));
}

TEST_CASE("json reader: errors have the line and column of the mistake") {
  for (mistake const& each : std::vector<mistake>{
           {"", 1, 1, "unexpected end"},
           {"{\n  \"op\": 3\n}", 2, 9, "not a value of field 'op'"},
           {"{\"op\": {}}", 1, 8, "expected a list"},
           {"{\"op\": [3]}", 1, 9, "not a value of field 'op'"},
           {"{\"op\": [[]]}", 1, 9, "not a value of field 'op'"},
           {"{\"op\": [null]}", 1, 9, "null"},
           {"{\"name\": 12 }", 1, 10, "not a value of field 'name'"},
           {"{\"name\": [\"x\"]}", 1, 10, "not a value of field 'name'"},
           {"{\"name\": {}}", 1, 10, "not a value of field 'name'"},
           {"{\"externalInput\": \"x\"}", 1, 19, "expected a list"},
           {"{\"deviceOption\": []}", 1, 18, "not a value of field 'device_option'"},
           {"{\"name\": \"x\",\n \"name\": \"y\"}", 2, 2, "'name' occurs twice"},
           {"{\"deviceOption\": {}, \"device_option\": {}}", 1, 22, "occurs twice"},
           {"{\"externalInput\": [\"x\"], \"external_input\": []}", 1, 26, "occurs twice"},
           {"{\"externalInput\": [], \"externalInput\": [\"x\"]}", 1, 23, "occurs twice"},
           {"{\"externalInput\": null, \"external_input\": [\"x\"]}", 1, 25, "occurs twice"},
           {"{\"name\": null, \"name\": null}", 1, 16, "'name' occurs twice"},
           {"{\"op\": [], \"op\": []}", 1, 12, "'op' occurs twice"},
           {"{\"x\": 1, \"y\": 2, \"x\": 1}", 1, 18, "'x' occurs twice"},
           {"{\"x\": {\"a\": [{\"b\": {}, \"b\": 1}]}}", 1, 24, "'b' occurs twice"},
           {"{\"op\": [{\"x\": 1}, {\"x\": {\"x\": 1}, \"\\u0078\": 2}]}", 1, 35, "'x' occurs twice"},
           {"{\"numWorkers\": 2147483648}", 1, 16, "not a value of field 'num_workers'"},
           {"{\"numWorkers\": 1.5}", 1, 16, "num_workers"},
           {"{\"numWorkers\": \"1.5\"}", 1, 16, "num_workers"},
           {"{\"numWorkers\": \"\"}", 1, 16, "num_workers"},
           {"{\"numWorkers\": true}", 1, 16, "num_workers"},
           {"{\"numWorkers\": 1 , \"deviceOption\": {\"randomSeed\": -1}}", 1, 51, "random_seed"},
           {"{\"deviceOption\": {\"randomSeed\": -1e0}}", 1, 33, "random_seed"},
           {"{\"arg\":[{\"i\": 9223372036854775808.0}]}", 1, 15, "field 'i'"},
           {"{\"arg\":[{\"i\": 1e19}]}", 1, 15, "field 'i'"},
           {"{\"arg\":[{\"i\": 1e-1}]}", 1, 15, "field 'i'"},
           {"{\"arg\":[{\"f\": 1e39}]}", 1, 15, "field 'f'"},
           {"{\"arg\":[{\"f\": \"inf\"}]}", 1, 15, "field 'f'"},
           {"{\"arg\":[{\"f\": \"\"}]}", 1, 15, "field 'f'"},
           {"{\"arg\":[{\"t\": {\"dataType\": \"COMPLEX\"}}]}", 1, 28, "data_type"},
           {"{\"op\": [{\"isGradientOp\": 1}]}", 1, 26, "is_gradient_op"},
           {"{\"name\": }", 1, 10, "unexpected '}'"},
           {"{\"name\": \"x\"", 1, 13, "unexpected end"},
           {"{\"name\": \"x\"} {", 1, 15, "unexpected"},
           {"{\"name\": \"\xFF\"}", 1, 11, "invalid"},
           {"{\"name\": \"\\ud800\"}", 1, 17, "surrogate"},
           {"{\"name\": nul}", 1, 13, "invalid literal; last read: '\"name\": nul}'"},
           {"{\"name\": \"\t\"}", 1, 11, "U+0009 (HT) must be escaped to \\u0009 or \\t; last read: '\"<U+0009>'"},
           {"{\"arg\":[{\"f\": 1e999}]}", 1, 19, "number overflow parsing '1e999'"},
           {"{\"arg\":[{\"ints\": [1-2]}]}", 1, 19, "field 'ints'"},
           {"[]", 1, 1, "expected an object"},
           {" null", 1, 2, "null"},
           {"  3", 1, 3, "expected an object"},
           {"{\n\"op\" [", 2, 6, "unexpected"},
           {std::string("{\"name\": \"x\"}\0{\"op\": []}", 25), 1, 14, "NUL"},
           {std::string("{\"name\": \"x\"}\0", 14), 1, 14, "NUL"},
           {std::string("{\"name\": \"x\"} \n\t\0\0", 18), 2, 2, "NUL"},
           {std::string("\0{}", 3), 1, 1, "NUL"},
           {std::string("\xEF\xBB\xBF\0{}", 6), 1, 4, "NUL"},
           {std::string("{\0}", 3), 1, 2, "NUL"},
           {std::string("{\"name\": \0\"x\"}", 14), 1, 10, "NUL"},
           {std::string("{\"name\": \"x\0\"}", 14), 1, 12, "NUL"},
           {std::string("{\"name\0\": \"x\"}", 14), 1, 7, "NUL"},
           {std::string("{\"x\": [1\0, 2]}", 14), 1, 9, "NUL"},
       })
    check_refused(each);
}

TEST_CASE("json reader: unknown fields are kept and reported, or refused") {
  std::vector<plait::diagnostic> told;
  std::string const source = R"({"shape": {"d": [1, {"a": null}], "s": "}"},
  "op": [{"u": -1.5e+3 , "type": "T", "v": [], "n":null, "b" : true}],
  "s": "x\u00fc"})";
  netdef const net = read_netdef_json(source, {.diagnostics = &told});
  REQUIRE(net.unknown.size() == 2);
  CHECK(net.unknown[0] == plait::unknown_field{0, "shape", R"({"d": [1, {"a": null}], "s": "}"})"});
  CHECK(net.unknown[1] == plait::unknown_field{0, "s", R"("x\u00fc")"});
  REQUIRE(net.op.at(0).extras().unknown.size() == 4);
  CHECK(net.op[0].extras().unknown[0] == plait::unknown_field{0, "u", "-1.5e+3"});
  CHECK(net.op[0].extras().unknown[1] == plait::unknown_field{0, "v", "[]"});
  CHECK(net.op[0].extras().unknown[2] == plait::unknown_field{0, "n", "null"});
  CHECK(net.op[0].extras().unknown[3] == plait::unknown_field{0, "b", "true"});
  CHECK(net.text(net.op[0].type) == "T");
  REQUIRE(told.size() == 6);
  CHECK(told[0] == plait::diagnostic{{1, 1, 2}, "NetDef has no field 'shape'; kept"});
  CHECK(told[1].position.line == 2);
  CHECK(told[1].position.column == 11);
  CHECK(told[1].message == "OperatorDef has no field 'u'; kept");
  check_refused({source, 1, 2, "NetDef has no field 'shape'"}, {.unknown = plait::unknown_fields::reject});
}

TEST_CASE("json reader: depth, document size and memory are limited") {
  auto const nested = [](std::size_t nets) {
    std::string text = "{";
    for (std::size_t i = 0; i != nets; ++i) text += R"("op":[{"arg":[{"n":{)";
    for (std::size_t i = 0; i != nets; ++i) text += "}}]}]";
    return text + "}";
  };
  CHECK(read_netdef_json(nested(33)).op.size() == 1);
  check_refused({nested(34), 1, 1 + 20 * 33 + 15, "deeper"});
  CHECK(read_netdef_json(nested(333), {.limits = {.max_depth = 5000}}).op.size() == 1);
  check_refused({nested(334), 1, 1 + 20 * 333 + 15, "deeper"}, {.limits = {.max_depth = 5000}});
  check_refused({"{\"x\":" + std::string(1000000, '['), 1, 5 + 101, "deeper"});
  check_refused({"{ }", 1, 1, "larger"}, {.limits = {.max_bytes = 2}});
  std::string many = "{\"op\":[{}";
  for (int i = 0; i != 100000; ++i) many += ",{}";
  check_refused({many + "]}", 1, 8 + 3 * (1000000 / sizeof(plait::op_def)), "memory"},
                {.limits = {.max_memory = 1000000}});
  CHECK(read_netdef_json(many + "]}").op.size() == 100001);
}

TEST_CASE("json reader: every proper prefix of a document is refused") {
  std::string const source =
      R"({"name":"a\u00fc","op":[{"input":["x"],"arg":[{"f":-1.5e3,"x":[{"y":null}]}]}],"numWorkers":12})";
  for (std::size_t size = 0; size != source.size(); ++size) {
    try {
      static_cast<void>(read_netdef_json(std::string_view(source).substr(0, size)));
      FAIL_CHECK("was accepted");
    } catch (plait::parse_error const& problem) {
      CHECK(problem.position.offset <= size);
    }
  }
  CHECK(read_netdef_json(source).num_workers == 12);
}

}  // namespace
