// Replacement for libFuzzer: runs a fuzz target once on every file in the given folders, and on N random inputs for an
// argument N. With mutations=N, runs it on N mutated files of the preceding folders, each of which is first written to
// the file "mutation" of the current folder. Deterministic.
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
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

void run(std::string const& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
}

// Flips bits, sets bytes to boundary values, truncates.
void mutate(std::string& bytes, std::mt19937_64& engine) {
  for (std::size_t changes = 1 + engine() % 4; changes != 0 && !bytes.empty(); --changes) {
    std::size_t const at = engine() % bytes.size();
    constexpr unsigned char ends[] = {0, 1, 0x7F, 0x80, 0xFF};
    switch (engine() % 16) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
      case 2:
      case 3:
        bytes[at] = static_cast<char>(ends[engine() % std::size(ends)]);
        break;
      case 4:
        bytes[at] = static_cast<char>(engine());
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << engine() % 8);
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument.starts_with("mutations=")) {
      std::mt19937_64 engine;
      for (long left = files.empty() ? 0 : std::atol(argv[i] + 10); left != 0; --left, ++count) {
        std::string bytes = files[engine() % files.size()];
        mutate(bytes, engine);
        std::ofstream("mutation", std::ios::binary) << bytes;
        run(bytes);
      }
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(argv[i][0])) != 0) {
      std::mt19937_64 engine;
      for (long left = std::atol(argv[i]); left != 0; --left, ++count) {
        std::string bytes(64 + engine() % 448, '\0');
        for (char& byte : bytes) byte = static_cast<char>(engine());
        run(bytes);
      }
      continue;
    }
    for (auto const& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      run(files.back());
      ++count;
    }
  }
  std::fprintf(stderr, "%zu inputs replayed\n", count);
  return count == 0;
}
