// A user-defined backend: every member that plait asks for, over host memory that is counted. A real one would allocate
// pinned or shared memory here, or return the policy of another Thrust system.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace {

struct counted {
  static constexpr std::string_view name = "counted";
  static constexpr bool on_device = false;
  static auto policy() { return plait::serial::policy(); }
  static unsigned concurrency() { return 1; }

  static void* allocate(std::size_t bytes) {
    held += bytes;
    return ::operator new(bytes, std::align_val_t{64});
  }
  static void deallocate(void* at, std::size_t bytes) noexcept {
    held -= bytes;
    ::operator delete(at, std::align_val_t{64});
  }
  static void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
  }
  static void copy_from_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void copy_to_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void synchronize() {}

  inline static std::size_t held = 0;
};
static_assert(plait::backend<counted>);

}  // namespace

int main() {
  plait::operators<counted> operators;
  plait::add_arithmetic_operators(operators);
  plait::netdef net;
  net.add_op("Add", {"a", "b"}, {"sum"});
  net.add_op("Mul", {"sum", "b"}, {"product"});

  plait::workspace<counted> blobs;
  blobs.feed<float>("a", {1, 2, 3}, {3});
  blobs.feed<float>("b", {4, 5, 6}, {3});
  auto plan = plait::compile(net, operators, blobs);
  plan.run();
  std::size_t const held = counted::held;
  plan.run();  // takes nothing more
  std::cout << counted::name << ": " << held << " bytes\n";
  bool const right = blobs.fetch<float>("product") == std::vector<float>{20, 35, 54};
  return right && held != 0 && counted::held == held ? 0 : 1;
}
