#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#include <support/scratch_folder.hpp>

namespace {

using plait::netdef;
using plait::netdef_format;

std::string content(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("write_netdef: writes every format") {
  netdef const net = plait::read_netdef_text("op{type:'Relu' input:'x' output:'y'}");
  test::scratch_folder const folder;
  auto const path = folder.path() / "net";
  for (netdef_format format : {netdef_format::text, netdef_format::json, netdef_format::binary}) {
    std::ostringstream out;
    plait::write_netdef(out, net, format);
    CHECK(out.str() == plait::to_bytes(net, format));
    plait::write_netdef(path, net, format);
    CHECK(content(path) == out.str());
  }
  std::ostringstream text, json, binary;
  plait::write_text(text, net);
  plait::write_json(json, net);
  plait::write_binary(binary, net);
  CHECK(text.str() == plait::to_text(net));
  CHECK(json.str() == plait::to_json(net));
  CHECK(binary.str() == plait::to_binary(net));

  // A net that the format cannot express leaves the file unchanged.
  netdef odd;
  odd.unknown.push_back({16, "", "\x80\x01\x05"});
  CHECK_THROWS_AS(plait::write_netdef(path, odd, netdef_format::text), plait::net_error);
  CHECK(content(path) == plait::to_binary(net));
}

TEST_CASE("write_netdef: an unwritable file throws io_error") {
  try {
    plait::write_netdef("no/such/folder/net.pb", {}, netdef_format::binary);
    FAIL_CHECK("was written");
  } catch (plait::io_error const& problem) {
    CHECK(problem.path == "no/such/folder/net.pb");
  }
}

}  // namespace
