#include <plait/exec/backend.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

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
struct without_loops : plait::host_memory {
  static constexpr std::string_view name = "without loops";
  static unsigned concurrency() { return 1; }
};
struct without_name : plait::host_memory {
  static int policy() { return 0; }
  static unsigned concurrency() { return 1; }
};
struct complete : without_name {
  static constexpr std::string_view name = "complete";
};
struct with_loops : without_loops {
  template <class F>
  static void for_each_index(std::size_t count, F const& f) {
    for (std::size_t i = 0; i != count; ++i) f(i);
  }
};
struct device_without_search : with_loops {
  static constexpr bool on_device = true;
};
struct device_with_search : device_without_search {
  template <class Holds>
  static std::size_t find_index(std::size_t count, Holds const&) {
    return count;
  }
};
struct row_product {
  template <class T>
  static bool multiply_onto_row(plait::gemm_shape const&, T const*, T const*, T const*, T const*, T*) {
    return false;
  }
};
struct other_library {};
template <class Library>
struct with_library : complete {
  using gemm_library = Library;
};
/// Device with each remaining optional member.
struct equipped : device_with_search {
  struct recorded_work;
  static void const* queue() { return nullptr; }
  static int device_of(void const*) { return 0; }
  template <class F>
  static void for_each_team(std::size_t, std::size_t, F const&) {}
  template <class Program, auto... Functions>
  static std::pair<std::array<void (*)(), sizeof...(Functions)>, void (*)(std::uint32_t, Program const&)>
  device_functions();
};
void function() {}

}  // namespace

TEST_CASE("backend: a name, loops, memory and copies are required") {
  using plait::backend;
  CHECK((backend<plait::serial> && backend<plait::omp> && backend<plait::tbb> && backend<complete>));
  CHECK_FALSE(backend<no_memory>);
  CHECK_FALSE(backend<without_name>);
  CHECK_FALSE(backend<without_loops>);
  CHECK(backend<with_loops>);
  CHECK_FALSE(backend<device_without_search>);
  CHECK(backend<device_with_search>);
  CHECK_FALSE(backend<int>);
}

TEST_CASE("backend: of the host backends only tbb has tasks") {
  using plait::detail::has_tasks;
  CHECK(has_tasks<plait::tbb>);
  CHECK_FALSE((has_tasks<plait::serial> || has_tasks<plait::omp>));
}

TEST_CASE_TEMPLATE("backend: host backends loop with Thrust, bound their memory and have no device members", B,
                   plait::serial, plait::omp, plait::tbb) {
  using namespace plait::detail;
  CHECK((has_policy<B> && has_capacity<B>));
  CHECK_FALSE((has_loops<B> || has_search<B> || has_gemm_library<B> || has_row_product<B>));
  CHECK_FALSE((has_queues<B> || has_device_number<B> || has_teams<B> || has_recorded_work<B>));
  CHECK_FALSE(has_device_functions<B, int, &function>);
}

TEST_CASE("backend: each optional member has a concept") {
  using namespace plait::detail;
  CHECK((has_queues<equipped> && has_device_number<equipped> && has_teams<equipped> && has_recorded_work<equipped>));
  CHECK((has_loops<equipped> && has_search<equipped> && has_device_functions<equipped, int, &function>));
  CHECK_FALSE(has_policy<equipped>);
  CHECK((has_gemm_library<with_library<row_product>> && has_row_product<with_library<row_product>>));
  CHECK((has_gemm_library<with_library<other_library>> && !has_row_product<with_library<other_library>>));
}
