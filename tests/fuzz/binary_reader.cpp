// The binary reader: no input harms it, and what it accepts can be written and read again.
#include "readers/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  plait_fuzz::read(plait_fuzz::document::binary, data, size);
  return 0;
}
