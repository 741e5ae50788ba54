#include "round_trip.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

namespace plait_fuzz {

namespace {

// Calls the reader itself: read_netdef_bytes does not pass it an empty document.
plait::netdef read_as(plait::netdef_format own, std::string_view bytes, plait::read_options const& options) {
  switch (own) {
    case plait::netdef_format::text:
      return plait::read_netdef_text(bytes, options);
    case plait::netdef_format::json:
      return plait::read_netdef_json(bytes, options);
    case plait::netdef_format::binary:
      break;
  }
  return plait::read_netdef_binary(bytes, options);
}

void check_round_trips(plait::netdef const& net, plait::netdef_format own) {
  // A list counts as a level in JSON and does not in text; what was read within the limit may need twice as much.
  plait::read_options wide;
  wide.limits.max_depth = plait::read_limits::hard_max_depth;
  for (auto format : {plait::netdef_format::text, plait::netdef_format::json, plait::netdef_format::binary}) {
    std::string bytes;
    try {
      bytes = plait::to_bytes(net, format);
    } catch (plait::net_error const& problem) {
      if (format != own) continue;
      std::fprintf(stderr, "not written in its own format: %s\n", problem.what());
      std::abort();
    }
    plait::netdef const again = plait::read_netdef_bytes(bytes, format, wide);
    if (!(again == net) || plait::to_bytes(again, format) != bytes || !plait::equivalent(net, again)) {
      std::fprintf(stderr, "differs when read again from %s:\n%s\n", std::string(plait::to_string(format)).c_str(),
                   bytes.c_str());
      std::abort();
    }
  }
}

}  // namespace

void read(document kind, std::uint8_t const* data, std::size_t size) {
  auto const own = kind == document::text   ? plait::netdef_format::text
                   : kind == document::json ? plait::netdef_format::json
                                            : plait::netdef_format::binary;
  plait::read_options limited;
  limited.limits.max_memory = std::size_t{64} << 20;
  plait::netdef net;
  try {
    net = read_as(own, {reinterpret_cast<char const*>(data), size}, limited);
  } catch (plait::parse_error const& problem) {
    if (problem.position.offset > size) __builtin_trap();
    return;
  }
  check_round_trips(net, own);
}

}  // namespace plait_fuzz
