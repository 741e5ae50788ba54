// The binary reader: no input harms it, and what it accepts can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const document(reinterpret_cast<char const*>(data), size);
  plait::netdef net;
  try {
    net = plait::read_netdef_binary(document, plait_fuzz::small_limits());
  } catch (plait::parse_error const& problem) {
    if (problem.position.offset > size) __builtin_trap();
    return 0;
  }
  plait_fuzz::check_round_trips(net, plait::netdef_format::binary);
  return 0;
}
