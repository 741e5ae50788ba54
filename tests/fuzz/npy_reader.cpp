// Fuzz target of the .npy reader: any input gives a tensor or a parse_error, and a tensor round-trips.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include <plait/core/errors.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/npy.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using tensor = plait::tensor<plait::serial>;
  tensor read;
  try {
    std::istringstream in(std::string(reinterpret_cast<char const*>(data), size));
    read = plait::read_npy<plait::serial>(in);
  } catch (plait::parse_error const& problem) {
    if (problem.position.offset > size) __builtin_trap();
    return 0;
  }
  std::stringstream file;
  plait::write_npy(file, read);
  tensor const again = plait::read_npy<plait::serial>(file);
  if (again.spec() != read.spec() ||
      (read.bytes() != 0 && std::memcmp(again.contiguous().raw(), read.contiguous().raw(), read.bytes()) != 0)) {
    std::fprintf(stderr, "differs when read again: %s\n", to_string(read.spec()).c_str());
    std::abort();
  }
  return 0;
}
