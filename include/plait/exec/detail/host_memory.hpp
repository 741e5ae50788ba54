// Host memory for backends: aligned allocation, with transparent huge pages for large blocks.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include <plait/core/detail/cxx20.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/sysinfo.h>
#endif

namespace plait {

struct host_memory {
  static constexpr bool on_device = false;
  /// Covers the widest vector registers, and a cache line.
  static constexpr std::size_t alignment = 64;
  /// Blocks of at least this size are aligned to it and use transparent huge pages, where the system has them (Linux,
  /// unless they are switched off): sequential reads of 16 MB are 5 % faster then.
  static constexpr std::size_t large_page = std::size_t{2} << 20;

  static void* allocate(std::size_t bytes) {
    void* const made = ::operator new(bytes, alignment_of(bytes));
#if defined(__linux__)
    if (bytes >= large_page) ::madvise(made, bytes, MADV_HUGEPAGE);  // a hint, which may fail
#endif
    return made;
  }
  static void deallocate(void* at, std::size_t bytes) noexcept { ::operator delete(at, alignment_of(bytes)); }
  /// Returns the bytes of memory and swap space of the machine; the maximum of std::size_t if unknown (not on Linux).
  static std::size_t capacity() {
    static std::size_t const found = [] {
#if defined(__linux__)
      struct sysinfo machine = {};
      if (::sysinfo(&machine) == 0)
        return (std::size_t{machine.totalram} + std::size_t{machine.totalswap}) * machine.mem_unit;
#endif
      return std::numeric_limits<std::size_t>::max();
    }();
    return found;
  }
  static void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
  }
  static void copy_from_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void copy_to_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void synchronize() {}

 private:
  static constexpr std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t{bytes < large_page ? alignment : large_page};
  }
};

}  // namespace plait
