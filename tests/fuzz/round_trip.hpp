// What the fuzz targets demand of a net that a reader accepted.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

namespace plait_fuzz {

inline plait::read_options small_limits() {
  plait::read_options options;
  options.limits.max_memory = std::size_t{64} << 20;
  return options;
}

/// Written and read again the net is the same, in each format that can express it; its own always can.
inline void check_round_trips(plait::netdef const& net, plait::netdef_format own) {
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

}  // namespace plait_fuzz
