#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/format.hpp>

namespace {

using plait::detect_format;
using plait::netdef_format;

TEST_CASE("detect_format: formats are recognised by their content") {
  for (std::string const& text :
       std::vector<std::string>{"", " \n", "name: \"x\"", "\n\n name :'x'", "op {", "op<", "# comment\nop {",
                                "# only a comment", "\xEF\xBB\xBFop{}", "[ext.x]: 1", "op # comment\n {",
                                "external_input:", "name", "\r\nname: 'x'", "# \xC3\xBC\r\n# two\r\n\r\nop{}"}) {
    CAPTURE(text);
    CHECK(detect_format(text) == netdef_format::text);
  }
  for (std::string const& json : std::vector<std::string>{"{}", " {\n \"op\": []}", "\xEF\xBB\xBF{ }", "{"}) {
    CAPTURE(json);
    CHECK(detect_format(json) == netdef_format::json);
  }
  for (std::string const& binary : std::vector<std::string>{
           std::string("\x0A\x03net\x12\x00", 7), std::string("\x0A\x00", 2), "\x0A\x05name:\x20\x01",
           "\x12\x02\x22\x00", "\x0A\x23# a net called by a comment, \x01\x02 so"}) {
    CAPTURE(binary);
    CHECK(detect_format(binary) == netdef_format::binary);
  }
  static_assert(detect_format("op {}") == netdef_format::text);
  CHECK(plait::to_string(netdef_format::json) == "json");
}

}  // namespace
