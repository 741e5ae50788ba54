#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/host_memory.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <support/emulated_device.hpp>

namespace {

// Backend that counts allocations, and can refuse them.
struct counting : plait::host_memory {
  static constexpr std::string_view name = "counting";
  static auto policy() { return plait::serial::policy(); }
  static constexpr unsigned concurrency() { return 1; }
  static void* allocate(std::size_t bytes) {
    if (held + bytes > limit) throw std::bad_alloc();
    void* const made = host_memory::allocate(bytes);
    held += bytes;
    ++calls;
    return made;
  }
  static void deallocate(void* at, std::size_t bytes) noexcept {
    held -= bytes;
    host_memory::deallocate(at, bytes);
  }
  static void reset() {
    limit = ~std::size_t{0} / 2;
    calls = 0;
  }
  static inline std::atomic<std::size_t> held = 0;
  static inline std::atomic<std::size_t> calls = 0;
  static inline std::size_t limit = ~std::size_t{0} / 2;
};

using pool = plait::memory_pool<counting>;

}  // namespace

TEST_CASE("memory_pool: blocks are never smaller than requested, and at most a quarter larger") {
  pool p;
  std::size_t before = 0;
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 24); bytes += 1 + bytes / 37) {
    void* const block = p.take(bytes);
    std::size_t const rounded = p.statistics().bytes_in_use;
    REQUIRE(rounded >= bytes);
    if (bytes > 64) REQUIRE(rounded <= bytes + bytes / 4 + 1);
    REQUIRE(rounded >= before);
    before = rounded;
    std::memset(block, 1, bytes);
    p.give_back(block, bytes);
    REQUIRE(p.statistics().bytes_in_use == 0);
  }
  for (unsigned power = 6; power != 24; ++power) {
    std::size_t const bytes = std::size_t{1} << power;
    void* const block = p.take(bytes);
    CHECK(p.statistics().bytes_in_use == bytes);
    p.give_back(block, bytes);
  }
}

TEST_CASE("memory_pool: blocks are aligned for the widest vectors") {
  pool p;
  for (std::size_t const bytes : {1u, 63u, 65u, 1000u, 4097u}) {
    void* const block = p.take(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % plait::host_memory::alignment == 0);
    p.give_back(block, bytes);
  }
}

TEST_CASE("memory_pool: empty blocks allocate nothing") {
  pool p;
  CHECK(p.take(0) == nullptr);
  p.give_back(nullptr, 0);
  CHECK(p.statistics().system_allocations == 0);
  CHECK(p.statistics().bytes_in_use == 0);
}

TEST_CASE("memory_pool: the steady state makes no system allocations") {
  counting::reset();
  pool p;
  auto const run = [&] {
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t bytes = 10; bytes < 100'000; bytes = bytes * 3 / 2) blocks.emplace_back(p.take(bytes), bytes);
    for (auto const& [block, bytes] : blocks) p.give_back(block, bytes);
  };
  run();
  std::size_t const first = counting::calls;
  CHECK(first == p.statistics().system_allocations);
  std::size_t const held = p.statistics().bytes_held;
  for (int i = 0; i != 1'000; ++i) run();
  CHECK(counting::calls == first);
  CHECK(p.statistics().system_allocations == first);
  CHECK(p.statistics().bytes_held == held);
  CHECK(p.statistics().bytes_in_use == 0);
}

TEST_CASE("memory_pool: a block serves sizes of its class, and live blocks never alias") {
  pool p;
  void* const a = p.take(100);
  void* const b = p.take(100);
  CHECK(a != b);
  p.give_back(a, 100);
  CHECK(p.take(112) == a);  // 100 and 112 bytes are of one size class
  p.give_back(a, 112);
  p.give_back(b, 100);
}

TEST_CASE("memory_pool::reserve: returned blocks serve the reserve's user only, until its end") {
  counting::reset();
  pool p;
  void* const before = p.take(100);
  void* mine = nullptr;
  {
    pool::reserve kept(p);
    {
      pool::reserve::use const used(kept);
      p.give_back(before, 100);
      mine = p.take(1'000);
      p.give_back(mine, 1'000);
      CHECK(p.take(1'000) == mine);  // of the size class that was returned
      p.give_back(mine, 1'000);
      CHECK(p.take(100) == before);
      p.give_back(before, 100);
      std::thread([&] {  // other threads use the pool
        void* const other = p.take(1'000);
        CHECK(other != mine);
        p.give_back(other, 1'000);
      })
          .join();
      pool elsewhere;  // other pools are unaffected
      void* const another = elsewhere.take(100);
      elsewhere.give_back(another, 100);
      CHECK(elsewhere.take(100) == another);
      elsewhere.give_back(another, 100);
    }
    CHECK(p.statistics().bytes_in_use == 0);
    void* const next = p.take(100);
    CHECK(next != before);
    p.give_back(next, 100);
    p.trim();
    CHECK(p.statistics().bytes_held != 0);  // reserved blocks may be in use
  }
  CHECK((p.take(1'000) == mine));
  p.give_back(mine, 1'000);
  CHECK(p.statistics().bytes_in_use == 0);
  p.trim();
  CHECK(p.statistics().bytes_held == 0);
  CHECK(counting::held == 0);
}

TEST_CASE("memory_pool: a block on a device is not reused by another thread before work on it is done") {
  using device = test::emulated_device;
  plait::memory_pool<device> p;
  auto const filled = [&p](int with) {
    auto* const block = static_cast<int*>(p.take(sizeof(int)));
    plait::for_each_index<device>(1, [=](std::size_t) { *block = with; });
    return block;
  };
  auto* const result = static_cast<int*>(p.take(1'000));
  int* const mine = filled(1);
  device::copy(result, mine, sizeof(int));
  p.give_back(mine, sizeof(int));
  int* others = nullptr;
  std::thread([&] {
    others = filled(2);
    device::synchronize();
    p.give_back(others, sizeof(int));
  }).join();
  CHECK(others != mine);
  int seen = 0;
  device::copy_to_host(&seen, result, sizeof(int));
  CHECK(seen == 1);
  CHECK(p.take(sizeof(int)) == mine);  // later work is ordered after earlier work
  p.give_back(mine, sizeof(int));

  // A block that another thread returns.
  bool done = false;
  std::thread([&] {
    plait::for_each_index<device>(1, [=, &done](std::size_t) {
      *result = 3;
      done = true;
    });
    CHECK_FALSE(done);
    p.give_back(result, 1'000);
    CHECK(done);
    void* const fresh = p.take(1'000);
    CHECK(fresh != result);  // result goes back to the thread that took it
    p.give_back(fresh, 1'000);
  }).join();
  CHECK(p.take(1'000) == result);
  p.give_back(result, 1'000);
  CHECK(p.statistics().bytes_in_use == 0);
  p.trim();
  CHECK(p.statistics().bytes_held == 0);
}

TEST_CASE("memory_pool: statistics report bytes in use, bytes held and the peak") {
  counting::reset();
  {
    pool p;
    void* const a = p.take(1024);
    void* const b = p.take(2048);
    CHECK(p.statistics().bytes_in_use == 3072);
    p.give_back(b, 2048);
    CHECK(p.statistics().bytes_in_use == 1024);
    CHECK(p.statistics().bytes_held == 3072);
    CHECK(p.statistics().peak_bytes_in_use == 3072);
    p.reset_peak();
    CHECK(p.statistics().peak_bytes_in_use == 1024);
    p.trim();
    CHECK(p.statistics().bytes_held == 1024);
    CHECK(counting::held == 1024);
    p.give_back(a, 1024);
    CHECK(counting::held == 1024);
  }
  CHECK(counting::held == 0);
}

TEST_CASE("memory_pool: cached blocks are freed before memory_error is thrown, which leaves the pool unchanged") {
  counting::reset();
  pool p;
  void* const kept = p.take(4096);
  p.give_back(kept, 4096);
  counting::limit = 6000;
  void* const block = p.take(5000);
  CHECK(counting::held == p.statistics().bytes_held);
  CHECK(p.statistics().bytes_in_use == 5120);
  auto const before = p.statistics();
  CHECK_THROWS_WITH_AS(static_cast<void>(p.take(5000)), "plait: no memory for 5000 bytes", plait::memory_error);
  CHECK(p.statistics().bytes_in_use == before.bytes_in_use);
  CHECK(p.statistics().bytes_held == before.bytes_held);
  p.give_back(block, 5000);
  counting::reset();
}

namespace {
struct small : counting {
  static std::size_t capacity() { return 10'000; }
};
}  // namespace

TEST_CASE("memory_pool: requests that exceed the capacity are refused without a system allocation") {
  counting::reset();
  plait::memory_pool<small> p;
  CHECK_THROWS_AS(static_cast<void>(p.take(10'001)), plait::memory_error);
  CHECK_THROWS_AS(static_cast<void>(p.take(~std::size_t{0} / 2)), plait::memory_error);
  CHECK(counting::calls == 0);
  void* const whole = p.take(10'000);  // the rounding of the block does not count
  CHECK(p.statistics().bytes_in_use > 10'000);
  CHECK_THROWS_AS(static_cast<void>(p.take(1)), plait::memory_error);
  p.give_back(whole, 10'000);
  void* const half = p.take(6'000);
  try {
    static_cast<void>(p.take(5'000));
    FAIL("more memory than there is");
  } catch (plait::memory_error const& e) {
    CHECK(e.bytes == 5'000);
  }
  void* const rest = p.take(4'000);
  p.give_back(half, 6'000);
  p.give_back(rest, 4'000);
}

TEST_CASE("memory_pool: threads take and return blocks concurrently, also blocks of other threads") {
  counting::reset();
  {
    pool p;
    constexpr std::size_t threads = 4;
    std::vector<std::vector<std::pair<unsigned char*, std::size_t>>> left(threads);
    std::atomic<std::size_t> overwritten = 0;
    auto const work = [&](std::size_t me) {
      std::uint64_t state = me + 1;
      std::vector<std::pair<unsigned char*, std::size_t>> mine;
      for (int step = 0; step != 20'000; ++step) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (mine.size() < 16 && (state >> 62) != 0) {
          std::size_t const bytes = 1 + (state >> 33) % 500;
          auto* const block = static_cast<unsigned char*>(p.take(bytes));
          std::memset(block, static_cast<int>(me + 1), bytes);
          mine.emplace_back(block, bytes);
        } else if (!mine.empty()) {
          auto const [block, bytes] = mine.back();
          mine.pop_back();
          for (std::size_t i = 0; i != bytes; ++i) overwritten += block[i] != me + 1;
          p.give_back(block, bytes);
        }
      }
      left[me] = std::move(mine);
    };
    std::vector<std::thread> running;
    for (std::size_t t = 0; t != threads; ++t) running.emplace_back(work, t);
    for (std::thread& t : running) t.join();
    CHECK(overwritten == 0);
    for (auto const& mine : left) {
      for (auto const& [block, bytes] : mine) p.give_back(block, bytes);
    }
    CHECK(p.statistics().bytes_in_use == 0);
    CHECK(p.statistics().bytes_held == counting::held);
    CHECK(p.statistics().system_allocations == counting::calls);
  }
  CHECK(counting::held == 0);
}

TEST_CASE("pooled_memory: the last owner returns the block") {
  auto& shared = plait::memory_pool<counting>::shared();
  std::size_t const before = shared.statistics().bytes_in_use;
  std::shared_ptr<void> a = plait::pooled_memory<counting>(1024);
  std::shared_ptr<void> const b = a;
  CHECK(shared.statistics().bytes_in_use == before + 1024);
  a.reset();
  CHECK(shared.statistics().bytes_in_use == before + 1024);
  static_cast<void>(std::exchange(a, b));
  CHECK(b.use_count() == 2);
  std::shared_ptr<void> const none = plait::pooled_memory<counting>(0);
  CHECK(none == nullptr);
}
