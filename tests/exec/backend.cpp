#include <plait/exec/backend.hpp>

#include <string_view>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/host_memory.hpp>

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

}  // namespace

TEST_CASE("a type is a backend if it has a name, a policy, memory and copies") {
  using plait::backend;
  CHECK((backend<plait::serial> && backend<plait::omp> && backend<plait::tbb> && backend<complete>));
  CHECK_FALSE(backend<no_memory>);
  CHECK_FALSE(backend<without_name>);
  CHECK_FALSE(backend<int>);
}

TEST_CASE("of the host's backends oneTBB's alone has tasks, and none has queues") {
  using plait::detail::has_queues;
  using plait::detail::has_tasks;
  CHECK(has_tasks<plait::tbb>);
  CHECK_FALSE((has_tasks<plait::serial> || has_tasks<plait::omp>));
  CHECK_FALSE((has_queues<plait::serial> || has_queues<plait::omp> || has_queues<plait::tbb>));
}
