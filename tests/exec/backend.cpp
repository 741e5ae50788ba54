#include <plait/exec/backend.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/serial.hpp>

#include <support/sanitizers.hpp>

namespace {

struct no_memory {
  static constexpr std::string_view name = "none";
  static constexpr bool on_device = false;
  static int policy() { return 0; }
  static unsigned concurrency() { return 1; }
};
struct without_name : plait::host_memory {
  static int policy() { return 0; }
  static unsigned concurrency() { return 1; }
};
struct complete : without_name {
  static constexpr std::string_view name = "complete";
};
static_assert(plait::backend<plait::serial> && plait::backend<complete>);
static_assert(!plait::backend<no_memory> && !plait::backend<without_name> && !plait::backend<int>);

TEST_CASE("host_memory: aligned, also nothing; copies may overlap") {
  using memory = plait::host_memory;
  for (std::size_t const bytes : std::vector<std::size_t>{0, 1, 63, 4096}) {
    void* const at = memory::allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(at) % memory::alignment == 0);
    std::memset(at, 1, bytes);
    memory::deallocate(at, bytes);
  }
  std::array<char, 6> text = {'a', 'b', 'c', 'd', 'e', 'f'};
  memory::copy(text.data() + 1, text.data(), 4);
  CHECK(text == std::array{'a', 'a', 'b', 'c', 'd', 'f'});
  memory::copy(nullptr, nullptr, 0);
  if constexpr (!test::sanitizes_addresses && !test::sanitizes_threads)  // their allocators end the program instead
    CHECK_THROWS_AS((void)memory::allocate(~std::size_t{0} / 2), std::bad_alloc);
}

}  // namespace
