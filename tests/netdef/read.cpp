#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#include <support/scratch_folder.hpp>

namespace {

using plait::netdef;
using plait::netdef_format;

TEST_CASE("read_netdef: reads bytes, streams and files in every format") {
  netdef const net = plait::read_netdef_text("name:'n' op{type:'Relu' input:'x' output:'y'} external_input:'x'");
  test::scratch_folder const folder;
  for (netdef_format format : {netdef_format::text, netdef_format::json, netdef_format::binary}) {
    std::string const bytes = plait::to_bytes(net, format);
    netdef_format found{};
    CHECK(plait::read_netdef_bytes(bytes, {}, &found) == net);
    CHECK(found == format);
    CHECK(plait::read_netdef_bytes(bytes, format) == net);
    std::istringstream in(bytes);
    found = {};
    CHECK(plait::read_netdef(in, {}, &found) == net);
    CHECK(found == format);
    auto const file = folder.path() / "net";
    std::ofstream(file, std::ios::binary) << bytes;
    CHECK(plait::read_netdef(file) == net);
  }
  for (netdef_format format : {netdef_format::text, netdef_format::json, netdef_format::binary})
    CHECK(plait::read_netdef_bytes("", format) == netdef());
  netdef_format found = netdef_format::json;
  CHECK(plait::read_netdef_bytes("", {}, &found) == netdef());
  CHECK(found == netdef_format::text);
}

TEST_CASE("read_netdef: op_positions are where ops begin, in every format") {
  std::string const text =
      "name: 'n'\nop { type: 'If' arg { name: 'n' n { op { type: 'A' } } } }\n\n  op <\n type: 'B' >";
  std::vector<plait::text_position> at;
  netdef const net = plait::read_netdef_bytes(text, {.op_positions = &at});
  CHECK(at == std::vector<plait::text_position>{{13, 2, 4}, {text.find('<'), 4, 6}});
  for (netdef_format format : {netdef_format::text, netdef_format::json, netdef_format::binary}) {
    std::string const bytes = plait::to_bytes(net, format);
    at.clear();
    CHECK(plait::read_netdef_bytes(bytes, {.op_positions = &at}) == net);
    REQUIRE(at.size() == 2);
    for (plait::text_position const& p : at) {
      CHECK(p.offset < bytes.size());
      if (format == netdef_format::binary)
        CHECK(bytes[p.offset] == (2 << 3 | 2));  // the tag of field 2
      else
        CHECK(bytes[p.offset] == '{');
      CHECK((p.line == 0) == (format == netdef_format::binary));
    }
    CHECK(at[0].offset < at[1].offset);
  }
  // Failed attempts in other formats leave no positions behind.
  netdef looks_like_text;
  looks_like_text.name = looks_like_text.intern("ame: 'x' op {} op {}" + std::string(90, 'y'));
  looks_like_text.add_op("A", {}, {});
  at.clear();
  CHECK(plait::read_netdef_bytes(plait::to_binary(looks_like_text), {.op_positions = &at}) == looks_like_text);
  CHECK(at.size() == 1);
}

TEST_CASE("read_netdef: a binary net that looks like text is read") {
  // A name of 110 bytes, "ame: …": after the newline that is its tag, the document begins with the word "name:".
  netdef net;
  net.name = net.intern("ame: 'x'" + std::string(102, 'y'));
  std::string const bytes = plait::to_binary(net);
  REQUIRE(bytes.starts_with("\nname: 'x'"));
  CHECK(plait::detect_format(bytes) == netdef_format::text);
  netdef_format found{};
  CHECK(plait::read_netdef_bytes(bytes, {}, &found) == net);
  CHECK(found == netdef_format::binary);
}

TEST_CASE("read_netdef: a binary net that looks like a comment is read") {
  netdef net;
  net.name = net.intern("#2 net  x");  // nine bytes: a tab
  std::string const bytes = plait::to_binary(net);
  REQUIRE(bytes == "\n\t#2 net  x");
  CHECK(plait::read_netdef_bytes(bytes) == net);
  netdef_format found{};
  CHECK(plait::read_netdef_bytes("\n\t# nothing but a comment", {}, &found) == netdef());
  CHECK(found == netdef_format::text);
}

TEST_CASE("read_netdef: the error is that of the most plausible format") {
  std::vector<plait::diagnostic> told{{{}, "earlier"}};
  try {
    static_cast<void>(plait::read_netdef_bytes("name: 'n'\nunknown: 1 op {", {.diagnostics = &told}));
    FAIL_CHECK("was accepted");
  } catch (plait::parse_error const& problem) {
    CHECK(problem.position.line == 2);
    CHECK(problem.position.column == 15);
  }
  CHECK(told.size() == 1);  // the attempts leave none behind
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::read_netdef_bytes("{\"op\": 3}")), doctest::Contains("1:8"),
                       plait::parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::read_netdef_bytes("\x0A\x05xy")), doctest::Contains("byte 0"),
                       plait::parse_error);
  // Not a binary net of unknown fields.
  CHECK_THROWS_AS(static_cast<void>(plait::read_netdef_bytes("zz zz")), plait::parse_error);
}

TEST_CASE("read_netdef: unreadable files and streams throw io_error") {
  try {
    static_cast<void>(plait::read_netdef("no/such/file"));
    FAIL_CHECK("was read");
  } catch (plait::io_error const& problem) {
    CHECK(problem.path == "no/such/file");
    CHECK(std::string(problem.what()) == "no/such/file: cannot open");
  }
  CHECK_THROWS_AS(static_cast<void>(plait::read_netdef(std::filesystem::temp_directory_path())), plait::io_error);
  std::istringstream in("name: 'x'");
  in.setstate(std::ios::badbit);
  CHECK_THROWS_AS(static_cast<void>(plait::read_netdef(in)), plait::io_error);
  std::istringstream large(std::string(100, ' '));
  CHECK_THROWS_AS(static_cast<void>(plait::read_netdef(large, {.limits = {.max_bytes = 99}})), plait::parse_error);
}

}  // namespace
