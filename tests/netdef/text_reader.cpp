#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

namespace {

using plait::netdef;
using plait::read_netdef_text;

// Returns the argument of "op { arg { <text> } }".
plait::arg_def argument(std::string const& text) {
  return read_netdef_text("op{arg{" + text + "}}").op.at(0).arg.at(0);
}

struct mistake {
  std::string source;
  std::size_t line;
  std::size_t column;
  std::string excerpt;  // of the message
};

void check_refused(mistake const& expected, plait::read_options const& options = {}) {
  CAPTURE(expected.source.substr(0, 80));
  try {
    static_cast<void>(read_netdef_text(expected.source, options));
    FAIL_CHECK("was accepted");
  } catch (plait::parse_error const& problem) {
    CAPTURE(std::string(problem.what()));
    CHECK(problem.position.line == expected.line);
    CHECK(problem.position.column == expected.column);
    CHECK(problem.message.find(expected.excerpt) != std::string::npos);
  }
}

TEST_CASE("text reader: a net in the layout of protobuf") {
  netdef const net = read_netdef_text(R"(name: "predict"
op {
  input: "x"
  input: "w"
  output: "y"
  name: ""
  type: "FC"
  arg {
    name: "axis"
    i: 1
  }
  device_option {
    device_type: 1
    cuda_gpu_id: 3
  }
  is_gradient_op: true
}
external_input: "x"
external_output: "y"
)");
  CHECK(net.text(net.name) == "predict");
  CHECK_FALSE(net.type);
  REQUIRE(net.op.size() == 1);
  plait::op_def const& op = net.op[0];
  CHECK(op.input.size() == 2);
  CHECK(net.text(op.input[1]) == "w");
  CHECK(net.text(op.type) == "FC");
  CHECK(op.name);  // present, though empty
  CHECK_FALSE(op.extras().engine);
  CHECK(op.extras().is_gradient_op == true);
  CHECK(op.device_option->device_type == 1);
  CHECK(op.device_option->device_id == 3);
  CHECK(net.text(op.arg.at(0).name) == "axis");
  CHECK(op.arg[0].i == 1);
  CHECK_FALSE(op.arg[0].f.has_value());
  CHECK(net.external_input[0] == op.input[0]);
  CHECK(net.external_output[0] == op.output[0]);
}

TEST_CASE("text reader: messages, lists and separators in every spelling") {
  for (char const* source :
       {"op{input:'a' input:'b' type:'T'}op{type:'U'}", "op: {input: ['a', 'b'], type: 'T'}; op <type: 'U'>",
        "op [{input: 'a'; input: ['b']; type: 'T',}, <type: 'U';>]", "op:[<input:['a','b']type:'T'>,{type:'U'}]",
        "# comment { \nop { # more\n input : 'a'\r\n input:[]input:\"b\"\v type: 'T'\f}\nop{type:'U'}# no newline at "
        "the end",
        "\xEF\xBB\xBFop{input:'a'input:'b'type:'T'}op{type:'U'}", "op[] op{input:'a'input:'b'type:'T'}op{type:'U'}"}) {
    CAPTURE(source);
    netdef const net = read_netdef_text(source);
    REQUIRE(net.op.size() == 2);
    REQUIRE(net.op[0].input.size() == 2);
    CHECK(net.text(net.op[0].input[0]) == "a");
    CHECK(net.text(net.op[0].input[1]) == "b");
    CHECK(net.text(net.op[0].type) == "T");
    CHECK(net.text(net.op[1].type) == "U");
  }
  CHECK(read_netdef_text("").op.empty());
  CHECK(read_netdef_text(" \r\n# nothing").op.empty());
}

TEST_CASE("text reader: strings with escapes, and adjacent literals") {
  auto const s = [](std::string const& literal) { return argument("s: " + literal).s.value(); };
  CHECK(s("'it''s' \"one\"\n# between\n' string'") == "itsone string");
  CHECK(s(R"("\a\b\f\n\r\t\v\\\?\'\"")") == "\a\b\f\n\r\t\v\\?'\"");
  CHECK(s(R"("\1\12\101\0011")") == std::string("\1\n") + "A\1" + "1");
  CHECK(s(R"("\377\xff\x4A\x4g")") ==
        "\xFF\xFF"
        "J\x04g");
  CHECK(s(R"("\u00fc\U0001F600\ud83d\ude00")") == "ü😀😀");
  CHECK(s("\"ü層\"") == "ü層");
  CHECK(s("'\"'") == "\"");
  CHECK(s("'\\0a'") == std::string("\0a", 2));
  CHECK(s("''") == "");
}

TEST_CASE("text reader: integers are decimal, octal or hexadecimal") {
  auto const i = [](std::string const& literal) { return argument("i: " + literal).i.value(); };
  CHECK(i("0") == 0);
  CHECK(i("-0") == 0);
  CHECK(i("- 7") == -7);
  CHECK(i("017") == 15);
  CHECK(i("-0x1F") == -31);
  CHECK(i("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(i("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(argument("ints: [1, -2,0x3]").ints == std::vector<std::int64_t>{1, -2, 3});
  CHECK(read_netdef_text("device_option{random_seed:4294967295}").device_option->random_seed == 4294967295u);
}

TEST_CASE("text reader: floats, infinities and NaN") {
  auto const f = [](std::string const& literal) { return argument("f: " + literal).f.value(); };
  CHECK(f("1") == 1.0f);
  CHECK(f("-1.5") == -1.5f);
  CHECK(f(".5") == 0.5f);
  CHECK(f("5.") == 5.0f);
  CHECK(f("1e-05") == 1e-05f);
  CHECK(f("1E+5") == 1e5f);
  CHECK(f("1.0f") == 1.0f);
  CHECK(f("2F") == 2.0f);
  CHECK(f("0") == 0.0f);
  CHECK(std::signbit(f("-0")));
  CHECK(f("inf") == std::numeric_limits<float>::infinity());
  CHECK(f("-Infinity") == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(f("NaN")));
  CHECK(std::isnan(f("-nan")));
  CHECK(f("1e-46") == 0.0f);
  CHECK(f("1e39") == std::numeric_limits<float>::infinity());
  CHECK(f("-1e999f") == -std::numeric_limits<float>::infinity());
  CHECK(f("1e-400") == 0.0f);
  CHECK(std::signbit(f("-0.00000000000000000000000000000000000000000000000000000000000000001")));
  CHECK(f("16777217") == 16777216.0f);
  CHECK(argument("t{double_data:[1e400, -1e400]}").t->double_data ==
        std::vector<double>{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  CHECK(argument("t{double_data:[1e-400, 0.1, 1e308]}").t->double_data == std::vector<double>{0, 0.1, 1e308});
}

TEST_CASE("text reader: bools, enumerations and device types") {
  for (char const* yes : {"true", "True", "t", "1", "0x1"})
    CHECK(read_netdef_text(std::string("op{is_gradient_op:") + yes + "}").op[0].extras().is_gradient_op == true);
  for (char const* no : {"false", "False", "f", "0"})
    CHECK(read_netdef_text(std::string("op{is_gradient_op:") + no + "}").op[0].extras().is_gradient_op == false);
  CHECK(argument("t{data_type:DOUBLE}").t->data_type == plait::tensor_type::float64);
  CHECK(argument("t{data_type:13}").t->data_type == plait::tensor_type::float64);
  CHECK(argument("t{data_type:-99}").t->data_type == static_cast<plait::tensor_type>(-99));
  auto const device = [](std::string const& text) {
    return read_netdef_text("device_option{device_type:" + text + "}").device_option->device_type;
  };
  CHECK(device("CPU") == 0);
  CHECK(device("CUDA") == 1);
  CHECK(device("PROTO_HIP") == 6);
  CHECK(device("20901701") == 20901701);
}

TEST_CASE("text reader: a nested net has its own symbols") {
  netdef const net =
      read_netdef_text("op{type:'If' arg{name:'then_net' n{name:'inner' op{input:'x'}}}} external_input:'x'");
  netdef const& inner = *net.op[0].arg[0].n;
  CHECK(inner.text(inner.name) == "inner");
  CHECK(inner.text(inner.op[0].input[0]) == "x");
  CHECK(net.text(net.external_input[0]) == "x");
  CHECK_FALSE(net.find("inner"));
  CHECK_FALSE(inner.find("If"));
}

TEST_CASE("text reader: errors have the line and column of the mistake") {
  for (mistake const& each : std::vector<mistake>{
           {"op {\n  type: 3\n}", 2, 9, "expected a string"},
           {"name 'x'", 1, 6, "expected ':'"},
           {"name: 'x'\nname: 'y'", 2, 1, "occurs twice"},
           {"op{device_option{} device_option{}}", 1, 20, "occurs twice"},
           {"device_option{device_id:1 cuda_gpu_id:1}", 1, 27, "'cuda_gpu_id' occurs twice"},
           {"op {\n type: 'x'\n", 1, 4, "not terminated"},
           {"op < type: 'x' }", 1, 16, "expected a field name"},
           {"}", 1, 1, "expected a field name"},
           {"op { type: 'x\n' }", 1, 12, "not terminated on its line"},
           {"name: 'x", 1, 7, "not terminated on its line"},
           {"name: '\\", 1, 8, "escape"},
           {"name: 'a\\q'", 1, 9, "unknown escape"},
           {"name: '\\777'", 1, 8, "not a byte"},
           {"name: '\\400'", 1, 8, "not a byte"},
           {"name: '\\xg'", 1, 8, "malformed escape"},
           {"name: '\\X41'", 1, 8, "unknown escape"},
           {std::string("name: 'a\0b'", 11), 1, 9, "NUL"},
           {std::string("name: \"\0\"", 9), 1, 8, "NUL"},
           {std::string("name: 'a' 'b\\n\0", 15), 1, 15, "NUL"},
           {std::string("# a\0b\nname: 'a'", 16), 1, 4, "NUL"},
           {std::string("name: 'a'\n#\0", 12), 2, 2, "NUL"},
           {std::string("name: 'a'\0", 10), 1, 10, "expected a field name"},
           {std::string("\0name: 'a'", 10), 1, 1, "expected a field name"},
           {std::string("name:\0'a'", 9), 1, 6, "expected a string"},
           {std::string("num_workers: 1\0", 15), 1, 15, "expected a field name"},
           {std::string("x: 'a\0b'", 8), 1, 6, "NUL"},
           {std::string("[a\0b]: 1", 8), 1, 3, "expected ']'"},
           {"[]: 1", 1, 2, "expected the name of an extension"},
           {"[a.]: 1", 1, 4, "expected the name of an extension"},
           {"[a b]: 1", 1, 4, "expected ']'"},
           {"[a: 1", 1, 3, "expected ']'"},
           {"name: '\\u12'", 1, 8, "malformed escape"},
           {"name: '\\ud800'", 1, 8, "not a character"},
           {"name: '\\ud800\\u0041'", 1, 8, "not a character"},
           {"name: '\\udead'", 1, 8, "not a character"},
           {"name: '\\U00110000'", 1, 8, "not a character"},
           {"num_workers: 2147483648", 1, 14, "out of range"},
           {"num_workers: -2147483649", 1, 14, "out of range"},
           {"num_workers: 08", 1, 14, "malformed"},
           {"num_workers: 0x", 1, 14, "malformed"},
           {"num_workers: 1x", 1, 14, "malformed"},
           {"num_workers: 1.0", 1, 14, "malformed"},
           {"num_workers: ", 1, 14, "expected an integer"},
           {"num_workers: -", 1, 14, "expected an integer"},
           {"device_option{random_seed:-1}", 1, 27, "out of range"},
           {"op{arg{i:9223372036854775808}}", 1, 10, "out of range"},
           {"op{arg{i:99999999999999999999999}}", 1, 10, "out of range"},
           {"op{arg{f:0x1}}", 1, 10, "malformed"},
           {"op{arg{f:010}}", 1, 10, "decimal"},
           {"op{arg{f:-01.5}}", 1, 10, "decimal"},
           {"op{arg{f:1.5.2}}", 1, 10, "malformed"},
           {"op{arg{f:--1}}", 1, 10, "expected a number"},
           {"op{arg{f:1e}}", 1, 10, "malformed"},
           {"op{arg{f:one}}", 1, 10, "expected a number"},
           {"op{arg{f:[1]}}", 1, 10, "expected a number"},
           {"op{arg{ints:[1 2]}}", 1, 16, "expected ',' or ']'"},
           {"op{arg{ints:[1,]}}", 1, 16, "expected an integer"},
           {"op{is_gradient_op:2}", 1, 19, "true or false"},
           {"op{is_gradient_op:yes}", 1, 19, "true or false"},
           {"op{arg{t{data_type:COMPLEX}}}", 1, 20, "'COMPLEX'"},
           {"op{type:'x';;}", 1, 13, "expected a field name"},
           {"op[{},{}", 1, 9, "expected ',' or ']'"},
           {"op[{},3]", 1, 7, "expected '{'"},
           {"op: 3", 1, 5, "expected '{'"},
           {"\xC3\xBC: 3", 1, 1, "expected a field name"},
           {std::string("name\0: 'x'", 10), 1, 5, "expected ':'"},
       })
    check_refused(each);
}

TEST_CASE("text reader: unknown fields are kept and reported, or refused") {
  std::string const source = R"(op {
  shape { dims: [1, 2] name <a: 'x' 'y'; b {}> }
  [ext.field]: -1.5e+3  flag: true, hex: 0x1F list: ["a", {b: 1}] empty: []
  type: "T"
}
partition { n: 'p' } # behind
)";
  std::vector<plait::diagnostic> told;
  netdef const net = read_netdef_text(source, {.diagnostics = &told});
  REQUIRE(net.op[0].extras().unknown.size() == 6);
  CHECK(net.op[0].extras().unknown[0] == plait::unknown_field{0, "shape", "{ dims: [1, 2] name <a: 'x' 'y'; b {}> }"});
  CHECK(net.op[0].extras().unknown[1] == plait::unknown_field{0, "[ext.field]", "-1.5e+3"});
  CHECK(net.op[0].extras().unknown[2] == plait::unknown_field{0, "flag", "true"});
  CHECK(net.op[0].extras().unknown[4] == plait::unknown_field{0, "list", "[\"a\", {b: 1}]"});
  CHECK(net.op[0].extras().unknown[5] == plait::unknown_field{0, "empty", "[]"});
  CHECK(net.text(net.op[0].type) == "T");
  CHECK(net.unknown[0].data == "{ n: 'p' }");
  REQUIRE(told.size() == 7);
  CHECK(told[0] == plait::diagnostic{{7, 2, 3}, "OperatorDef has no field 'shape'; kept"});
  CHECK(told[1].position.line == 3);
  CHECK(told[1].position.column == 3);
  CHECK(told[6].message == "NetDef has no field 'partition'; kept");
  CHECK(told[6].position.line == 6);

  check_refused({source, 2, 3, "OperatorDef has no field 'shape'"}, {.unknown = plait::unknown_fields::reject});
  for (mistake const& each : std::vector<mistake>{
           {"x 3", 1, 3, "expected ':'"},
           {"x: {y: 3", 1, 9, "expected a field name"},
           {"x: {y: 3]", 1, 9, "expected a field name"},
           {"x: [1, 2", 1, 9, "expected ']'"},
           {"x: [[1]]", 1, 5, "expected a number"},
           {"x: - - 1", 1, 6, "expected a value"},
           {"x: 'a", 1, 4, "not terminated"},
           {"x: 1.2.3", 1, 4, "malformed"},
           {"[a\nb]: 1", 2, 1, "expected ']'"},
           {"x: ", 1, 4, "expected a number"},
           {"x: <}", 1, 5, "expected a field name"},
       })
    check_refused(each);
}

TEST_CASE("text reader: depth, document size and memory are limited") {
  auto const nested = [](std::size_t nets) {
    std::string text;
    for (std::size_t i = 0; i != nets; ++i) text += "op{arg{n{";
    for (std::size_t i = 0; i != nets; ++i) text += "}}}";
    return text;
  };
  CHECK(read_netdef_text(nested(33)).op.size() == 1);  // 99 messages
  check_refused({nested(34), 1, 304, "deeper"});
  CHECK(read_netdef_text(nested(333), {.limits = {.max_depth = 5000}}).op.size() == 1);
  check_refused({nested(334), 1, 3004, "deeper"}, {.limits = {.max_depth = 5000}});  // the hard limit
  check_refused({"op{arg{}}", 1, 7, "deeper"}, {.limits = {.max_depth = 1}});
  std::string open;
  for (int i = 0; i != 1000000; ++i) open += "x{";
  check_refused({open, 1, 202, "deeper"});
  check_refused({"name: 'net'", 1, 1, "larger"}, {.limits = {.max_bytes = 10}});
  CHECK(read_netdef_text("name: 'net'", {.limits = {.max_bytes = 11}}).name);

  std::string many;
  for (int i = 0; i != 100000; ++i) many += "op{}";
  check_refused({many, 1, 4 * (1000000 / sizeof(plait::op_def)) + 3, "memory"}, {.limits = {.max_memory = 1000000}});
  CHECK(read_netdef_text(many).op.size() == 100000);
  check_refused({"op{arg{s:'12345678901'}}", 1, 10, "memory"},
                {.limits = {.max_memory = sizeof(plait::op_def) + sizeof(plait::arg_def) + 10}});
  std::string numbers = "op{arg{ints:[";
  for (int i = 0; i != 1000; ++i) numbers += "1,";
  check_refused({numbers, 1, 14 + 2 * 100, "memory"},
                {.limits = {.max_memory = sizeof(plait::op_def) + sizeof(plait::arg_def) + 800}});
}

TEST_CASE("text reader: a prefix of a document is read if it ends with a field, and refused otherwise") {
  std::string const name = "name: 'a\\n\\x41'";
  std::string const op = " op { input: ['x', \"y\"] arg { name: 'k' floats: [1.5, -inf, 0.1] x { y: <z: 'q'> } } }";
  std::string const source = name + op + " # end";
  for (std::size_t size = 0; size <= source.size(); ++size) {
    CAPTURE(size);
    bool accepted = true;
    try {
      static_cast<void>(read_netdef_text(std::string_view(source).substr(0, size)));
    } catch (plait::parse_error const& problem) {
      accepted = false;
      CHECK(problem.position.offset <= size);
      CHECK(problem.position.column == problem.position.offset + 1);
    }
    bool const behind_name = size == name.size() || size == name.size() + 1;
    bool const behind_op = size >= name.size() + op.size();
    CHECK(accepted == (size == 0 || behind_name || behind_op));
  }
}

}  // namespace

TEST_CASE("text reader: the cold fields of an op count against the memory limit, once") {
  for (char const* source : {"op{is_gradient_op:true op_version:1}", "op{op_version:1 is_gradient_op:true}"}) {
    plait::read_options options;
    options.limits.max_memory = sizeof(plait::op_def) + sizeof(plait::op_extras);
    CHECK(read_netdef_text(source, options).op[0].extras().op_version == 1);
    --options.limits.max_memory;
    CHECK_THROWS_AS(static_cast<void>(read_netdef_text(source, options)), plait::parse_error);
  }
}
