#include <plait/exec/backend.hpp>

#include <string_view>

#include <plait/exec/host_memory.hpp>
#include <plait/exec/serial.hpp>

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

}  // namespace
