// Fuzz target of the binary reader: any input gives a net or a parse_error, and an accepted net round-trips.
#include "readers/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  plait_fuzz::read(plait_fuzz::document::binary, data, size);
  return 0;
}
