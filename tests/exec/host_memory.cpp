#include <plait/exec/detail/host_memory.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/sanitizers.hpp>

namespace {

using memory = plait::host_memory;

bool is_multiple_of(void const* at, std::size_t of) { return reinterpret_cast<std::uintptr_t>(at) % of == 0; }

// Returns the flags that Linux lists for the mapping of an address, or nothing where it lists none.
std::string page_flags(void const* at) {
  std::ifstream mappings("/proc/self/smaps");
  auto const address = reinterpret_cast<std::uintptr_t>(at);
  bool inside = false;
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t first = 0, last = 0;
    char const* const end = line.data() + line.size();
    auto const [dash, error] = std::from_chars(line.data(), end, first, 16);
    if (error == std::errc() && dash != end && *dash == '-' &&
        std::from_chars(dash + 1, end, last, 16).ec == std::errc())
      inside = first <= address && address < last;
    else if (inside && line.starts_with("VmFlags:"))
      return line + ' ';
  }
  return "";
}

TEST_CASE("host_memory: blocks are aligned, even empty ones, and copies may overlap") {
  for (std::size_t const bytes : std::vector<std::size_t>{0, 1, 63, 4096}) {
    void* const at = memory::allocate(bytes);
    CHECK(is_multiple_of(at, memory::alignment));
    std::memset(at, 1, bytes);
    memory::deallocate(at, bytes);
  }
  std::array<char, 6> text = {'a', 'b', 'c', 'd', 'e', 'f'};
  memory::copy(text.data() + 1, text.data(), 4);
  CHECK(text == std::array{'a', 'a', 'b', 'c', 'd', 'f'});
  memory::copy(nullptr, nullptr, 0);
  if constexpr (!test::sanitizes_addresses && !test::sanitizes_threads)  // sanitizer allocators abort instead
    CHECK_THROWS_AS((void)memory::allocate(~std::size_t{0} / 2), std::bad_alloc);
}

TEST_CASE("host_memory::capacity: equals the memory and swap space that Linux reports") {
  std::size_t const capacity = memory::capacity();
  CHECK(capacity >= std::size_t{1} << 26);
  std::ifstream in("/proc/meminfo");
  std::size_t kilobytes = 0;
  std::size_t sum = 0;
  for (std::string name, line; in >> name >> kilobytes && std::getline(in, line);)
    if (name == "MemTotal:" || name == "SwapTotal:") sum += kilobytes * 1024;
  if (sum != 0) CHECK(capacity == sum);
}

TEST_CASE("host_memory: large blocks are aligned to large pages and request them") {
  std::size_t const large = memory::large_page;
  for (std::size_t const bytes : {large, large + 1, 3 * large}) {
    CAPTURE(bytes);
    auto* const at = static_cast<char*>(memory::allocate(bytes));
    CHECK(is_multiple_of(at, large));
    std::memset(at, 1, bytes);
    for (char const* const inside : {at, at + bytes - 1})
      if (std::string const flags = page_flags(inside); !flags.empty())
        CHECK_MESSAGE(flags.find(" hg ") != std::string::npos, flags);
    memory::deallocate(at, bytes);
  }
}

}  // namespace
