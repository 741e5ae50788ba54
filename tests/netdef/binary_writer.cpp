#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/binary_reader.hpp>
#include <plait/netdef/detail/binary_writer.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

namespace {

using plait::netdef;

std::string bytes(std::initializer_list<int> values) {
  std::string made;
  for (int value : values) made.push_back(static_cast<char>(value));
  return made;
}

TEST_CASE("binary writer: the encoding is that of protobuf, byte for byte") {
  netdef const net = plait::read_netdef_text(R"(
name: "n" op { input: "x" type: "T" arg { i: -1 f: 1 s: "" ints: [1, 300] t { dims: 3 data_type: DOUBLE float_data: [1, 2] double_data: 1 int64_data: -1 } } is_gradient_op: false }
num_workers: -2)");
  std::string const minus_one = bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01});
  std::string const tensor = bytes({0x08, 3,    0x10, 13, 0x1A, 8, 0, 0, 0x80, 0x3F, 0,    0,    0,
                                    0x40, 0x4A, 8,    0,  0,    0, 0, 0, 0,    0xF0, 0x3F, 0x52, 10}) +
                             minus_one;
  std::string const argument = bytes({0x15, 0, 0, 0x80, 0x3F, 0x18}) + minus_one +
                               bytes({0x22, 0, 0x30, 1, 0x30, 0xAC, 2, 0x52, static_cast<int>(tensor.size())}) + tensor;
  std::string const op =
      bytes({0x0A, 1, 'x', 0x22, 1, 'T', 0x2A, static_cast<int>(argument.size())}) + argument + bytes({0x48, 0});
  std::string const expected =
      bytes({0x0A, 1, 'n', 0x12, static_cast<int>(op.size())}) + op + bytes({0x20, 0xFE}) + minus_one.substr(1);
  CHECK(plait::to_binary(net) == expected);
  std::ostringstream out;
  plait::write_netdef_binary(out, net);
  CHECK(out.str() == expected);
  CHECK(plait::to_binary({}).empty());
}

TEST_CASE("binary writer: sizes of deep and of long messages are right") {
  std::string text;
  for (int i = 0; i != 333; ++i) text += "op{arg{n{";
  text += "name:'" + std::string(1000, 'x') + "'";
  for (int i = 0; i != 333; ++i) text += "}}}";
  plait::read_options const deep{.limits = {.max_depth = 1000}};
  netdef const net = plait::read_netdef_text(text, deep);
  CHECK(plait::read_netdef_binary(plait::to_binary(net), deep) == net);

  netdef wide;
  for (int i = 0; i != 20000; ++i) wide.add_op("Op", {"input_" + std::to_string(i)}, {"y"}).arg.resize(2);
  std::ostringstream out;
  plait::write_netdef_binary(out, wide);
  CHECK(plait::read_netdef_binary(out.str()) == wide);
}

TEST_CASE("binary writer: unknown fields of the binary format are written back, others refused or reported") {
  netdef net;
  net.op.emplace_back().edit_extras().unknown = {{40, "", bytes({0xC0, 0x02, 5})}};
  net.unknown = {{15, "", bytes({15 << 3 | 2, 2, 'z', 'z'})}};
  CHECK(plait::to_binary(net) == bytes({0x12, 3, 0xC0, 0x02, 5, 15 << 3 | 2, 2, 'z', 'z'}));
  CHECK(plait::read_netdef_binary(plait::to_binary(net)) == net);

  net.op[0].edit_extras().unknown.push_back({0, "shape", "{}"});
  try {
    static_cast<void>(plait::to_binary(net));
    FAIL_CHECK("was written");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 0);
    CHECK(std::string(problem.what()) ==
          "plait: op 0: unknown field 'shape' of OperatorDef cannot be written as binary");
  }
  std::vector<plait::diagnostic> told;
  CHECK(plait::to_binary(net, {.diagnostics = &told}).size() == 9);
  CHECK(told.size() == 1);

  told.clear();
  net.op[0].edit_extras().unknown.back().name = "shape\n\xff";
  CHECK(plait::to_binary(net, {.diagnostics = &told}).size() == 9);
  CHECK(told.at(0).message.find("'shape\\x0a\\xff'") != std::string::npos);
}

}  // namespace
