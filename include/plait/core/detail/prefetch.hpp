// Software prefetching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

namespace detail {
// Prefetches the cache line `bytes_ahead` of `from`. Sequential scans of large arrays gain from it, because the
// hardware prefetcher stops at every page boundary.
template <class T>
constexpr void prefetch([[maybe_unused]] T const* from, [[maybe_unused]] std::ptrdiff_t bytes_ahead) {
#if defined(__GNUC__)
  // Computed on integers: a pointer must not leave its array.
  if (!std::is_constant_evaluated()) {
    __builtin_prefetch(reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(from) +
                                                     static_cast<std::uintptr_t>(bytes_ahead)));
    asm volatile("");  // TRAP: without it GCC 12 treats functions that only prefetch as pure and drops calls of them
  }
#endif
}

// Prefetches a cache line for writing. TRAP: on x86-64 compilers emit a prefetch for reading unless they target
// processors that have prefetchw; processors that lack it ignore it.
inline void prefetch_to_write([[maybe_unused]] void const* line) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<char const*>(line)));
#elif defined(__GNUC__)
  __builtin_prefetch(line, 1);
  asm volatile("");  // as above
#endif
}
}  // namespace detail

}  // namespace plait
