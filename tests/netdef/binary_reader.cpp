#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/binary_reader.hpp>

namespace {

using plait::netdef;
using plait::read_netdef_binary;

std::string bytes(std::initializer_list<int> values) {
  std::string made;
  for (int value : values) made.push_back(static_cast<char>(value));
  return made;
}
// Returns a length-delimited field.
std::string field(int number, std::string const& content) {
  std::string made = bytes({number << 3 | 2});
  std::size_t size = content.size();
  for (; size >= 128; size >>= 7) made.push_back(static_cast<char>((size & 127) | 128));
  made.push_back(static_cast<char>(size));
  return made + content;
}
plait::arg_def argument(std::string const& content) { return read_netdef_binary(field(6, content)).arg.at(0); }

void check_refused(std::string const& source, std::size_t offset, std::string const& excerpt,
                   plait::read_options const& options = {}) {
  CAPTURE(excerpt);
  CAPTURE(offset);
  try {
    static_cast<void>(read_netdef_binary(source, options));
    FAIL_CHECK("was accepted");
  } catch (plait::parse_error const& problem) {
    CHECK(problem.position == plait::text_position{offset, 0, 0});
    CHECK(problem.message.find(excerpt) != std::string::npos);
    CHECK(std::string(problem.what()).starts_with("byte " + std::to_string(offset) + ": "));
  }
}

TEST_CASE("binary reader: a net with fields of every wire type") {
  netdef const net =
      read_netdef_binary(field(1, "n") +
                         field(2, field(1, "x") + field(1, "w") + field(2, "y") + field(3, "") + field(4, "FC") +
                                      bytes({9 << 3, 1}) + field(6, bytes({8, 1, 16, 3}))) +
                         field(7, "x") + bytes({4 << 3, 5}));
  CHECK(net.text(net.name) == "n");
  REQUIRE(net.op.size() == 1);
  CHECK(net.op[0].input.size() == 2);
  CHECK(net.text(net.op[0].input[1]) == "w");
  CHECK(net.op[0].name);
  CHECK_FALSE(net.op[0].extras().engine);
  CHECK(net.text(net.op[0].type) == "FC");
  CHECK(net.op[0].extras().is_gradient_op == true);
  CHECK(net.op[0].device_option->device_type == 1);
  CHECK(net.op[0].device_option->device_id == 3);
  CHECK(net.external_input.at(0) == net.op[0].input[0]);
  CHECK(net.num_workers == 5);
  CHECK(read_netdef_binary("").op.empty());
}

TEST_CASE("binary reader: numbers are read packed, unpacked and mixed") {
  std::string const one = bytes({0, 0, 0x80, 0x3F});
  CHECK(argument(bytes({5 << 3 | 5}) + one + field(5, one + one) + field(5, "")).floats == std::vector<float>{1, 1, 1});
  CHECK(argument(bytes({6 << 3, 1}) + field(6, bytes({2, 0xAC, 0x02})) + bytes({6 << 3, 3})).ints ==
        std::vector<std::int64_t>{1, 2, 300, 3});
  std::string const minus = bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01});
  CHECK(argument(bytes({3 << 3}) + minus).i == -1);
  CHECK(argument(field(10, field(4, minus + bytes({1})))).t->int32_data == std::vector<std::int32_t>{-1, 1});
  CHECK(argument(field(10, bytes({4 << 3}) + bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F}))).t->int32_data ==
        std::vector<std::int32_t>{-1});
  // Of more than 32 bits, the low ones count, as in protobuf. A bool is true if any of them is set.
  CHECK(read_netdef_binary(bytes({4 << 3, 0x85, 0x80, 0x80, 0x80, 0x10})).num_workers == 5);
  CHECK(read_netdef_binary(field(2, bytes({9 << 3, 0x80, 0x00}))).op[0].extras().is_gradient_op == false);
  CHECK(read_netdef_binary(field(2, bytes({9 << 3, 0x80, 0x01}))).op[0].extras().is_gradient_op == true);
}

TEST_CASE("binary reader: the last of several values counts, messages are merged") {
  netdef const net =
      read_netdef_binary(field(1, "a") + field(1, "b") + field(5, bytes({8, 1, 16, 2})) + field(5, bytes({16, 7})) +
                         field(6, field(8, field(1, "p") + field(7, "x")) + field(8, field(7, "y"))));
  CHECK(net.text(net.name) == "b");
  CHECK(net.device_option->device_type == 1);
  CHECK(net.device_option->device_id == 7);
  netdef const& nested = *net.arg.at(0).n;
  CHECK(nested.text(nested.name) == "p");
  CHECK(nested.external_input.size() == 2);
}

TEST_CASE("binary reader: unknown fields, and known ones of another wire type, are kept verbatim") {
  std::string const unknown =
      field(15, "zz") + bytes({15 << 3 | 5, 1, 2, 3, 4}) + bytes({14 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8});
  std::string const wrong = bytes({1 << 3, 5});  // a number for a name
  std::vector<plait::diagnostic> told;
  netdef const net = read_netdef_binary(unknown + field(2, wrong + field(4, "T")) + bytes({1 << 3 | 5, 1, 2, 3, 4}),
                                        {.diagnostics = &told});
  REQUIRE(net.unknown.size() == 4);
  CHECK(net.unknown[0] == plait::unknown_field{15, "", field(15, "zz")});
  CHECK(net.unknown[0].data + net.unknown[1].data + net.unknown[2].data == unknown);
  CHECK(net.unknown[3].number == 1);
  CHECK(net.op.at(0).extras().unknown.at(0) == plait::unknown_field{1, "", wrong});
  CHECK(net.text(net.op[0].type) == "T");
  REQUIRE(told.size() == 5);
  CHECK(told[0] == plait::diagnostic{{0, 0, 0}, "NetDef has no field 15; kept"});
  CHECK(told[3].position.offset == unknown.size() + 2);
  check_refused(unknown, 0, "NetDef has no field 15", {.unknown = plait::unknown_fields::reject});
}

TEST_CASE("binary reader: errors have the byte offset of the mistake") {
  check_refused(bytes({0x0A}), 0, "longer");
  check_refused(field(1, "n") + bytes({0x12, 5, 1, 2}), 3, "longer");
  check_refused(bytes({0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1}), 0, "longer");
  check_refused(bytes({0x12, 2, 0x0A, 5, 1, 1, 1, 1, 1}), 2, "longer");  // the op ends before its input does
  check_refused(bytes({0x13, 0x14}), 0, "groups");
  check_refused(bytes({0x0F}), 0, "wire type");
  check_refused(bytes({0x00, 0x00}), 0, "malformed");
  // Tags of more than 32 bits, or of more than 5 bytes, which would be those of a field if truncated.
  check_refused(bytes({0x8A, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 'a'}), 0, "malformed");
  check_refused(bytes({0x8A, 0x80, 0x80, 0x80, 0x10, 1, 'a'}), 0, "malformed");
  check_refused(bytes({0x8A, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 'a'}), 0, "malformed");
  CHECK(read_netdef_binary(bytes({0x8A, 0x80, 0x80, 0x80, 0x00, 1, 'a'})).name);
  check_refused(bytes({4 << 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}), 0, "malformed");
  // Lengths of more than 32 bits, or of more than 5 bytes, which would fit if truncated.
  check_refused(bytes({0x2A, 0x80, 0x80, 0x80, 0x80, 0x20}), 0, "malformed");
  check_refused(bytes({0x0A, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 'a'}), 0, "malformed");
  check_refused(bytes({0x7A, 0x81, 0x80, 0x80, 0x80, 0x10, 'a'}), 0, "malformed");                // an unknown field
  check_refused(bytes({0x3A, 1, 'a', 0x3A, 0x81, 0x80, 0x80, 0x80, 0x10, 'b'}), 3, "malformed");  // another input
  CHECK(read_netdef_binary(bytes({0x0A, 0x81, 0x80, 0x80, 0x80, 0x00, 'a'})).name);
  check_refused(bytes({4 << 3, 0xFF}), 0, "longer");
  check_refused(field(6, field(5, "abc")), 2, "malformed");
  check_refused(field(6, field(6, bytes({1, 0x80}))), 2, "longer");
  check_refused(bytes({14 << 3 | 1, 1, 2}), 0, "longer");
}

TEST_CASE("binary reader: depth, document size and memory are limited") {
  auto const nested = [](std::size_t nets) {
    std::string made;
    for (std::size_t i = 0; i != nets; ++i) made = field(2, field(5, field(8, made)));
    return made;
  };
  CHECK(read_netdef_binary(nested(33)).op.size() == 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(read_netdef_binary(nested(34))), doctest::Contains("deeper"),
                       plait::parse_error);
  CHECK(read_netdef_binary(nested(333), {.limits = {.max_depth = 5000}}).op.size() == 1);
  CHECK_THROWS_AS(static_cast<void>(read_netdef_binary(nested(334), {.limits = {.max_depth = 5000}})),
                  plait::parse_error);
  check_refused(field(2, ""), 0, "deeper", {.limits = {.max_depth = 0}});
  check_refused("abc", 0, "larger", {.limits = {.max_bytes = 2}});
  std::string many;
  for (int i = 0; i != 100000; ++i) many += bytes({0x12, 0});
  check_refused(many, 2 * (1000000 / sizeof(plait::op_def)), "memory", {.limits = {.max_memory = 1000000}});
  CHECK(read_netdef_binary(many).op.size() == 100000);
  check_refused(field(6, field(7, "") + field(7, "")), 4, "memory",
                {.limits = {.max_memory = sizeof(plait::arg_def) + sizeof(std::string)}});
}

TEST_CASE("binary reader: a prefix of a document is read if it ends with a field, and refused otherwise") {
  std::vector<std::string> const fields = {
      field(1, "net"),
      field(2, field(1, "x") + field(5, field(1, "a") + field(5, bytes({0, 0, 1, 2})) + bytes({3 << 3, 0x80, 1}))),
      bytes({4 << 3, 5}), field(40 - 25, "?")};
  std::string source;
  std::set<std::size_t> ends = {0};
  for (std::string const& one : fields) {
    source += one;
    ends.insert(source.size());
  }
  for (std::size_t size = 0; size <= source.size(); ++size) {
    CAPTURE(size);
    bool accepted = true;
    try {
      static_cast<void>(read_netdef_binary(std::string_view(source).substr(0, size)));
    } catch (plait::parse_error const& problem) {
      accepted = false;
      CHECK(problem.position.offset < size);
    }
    CHECK(accepted == ends.contains(size));
  }
}

}  // namespace
