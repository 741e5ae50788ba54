// Fuzz target of the ONNX reader: any input gives a net or an error of plait, in one line of UTF-8.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include <plait/core/detail/utf8.hpp>
#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const document(reinterpret_cast<char const*>(data), size);
  try {
    static_cast<void>(plait::read_onnx_bytes(document));
  } catch (plait::error const& problem) {
    if (plait::printable(problem.what()) != problem.what()) __builtin_trap();
  }
  return 0;
}
