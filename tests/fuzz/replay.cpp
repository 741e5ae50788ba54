// Stands in for libFuzzer where there is none: runs a fuzz target once over every file of the folders given, and over
// as many random inputs as a number among them says, the same ones each time.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::isdigit(static_cast<unsigned char>(argv[i][0])) != 0) {
      std::mt19937_64 engine;
      for (long left = std::atol(argv[i]); left != 0; --left, ++count) {
        std::vector<std::uint8_t> bytes(64 + engine() % 448);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      }
      continue;
    }
    for (auto const& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string const bytes(std::istreambuf_iterator<char>(in), {});
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
      ++count;
    }
  }
  std::fprintf(stderr, "%zu inputs replayed\n", count);
  return count == 0;
}
