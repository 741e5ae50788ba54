// Asking for memory before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

namespace detail {
// Large arrays that are walked in order come in faster than the hardware fetches them on its own: it stops at every
// page.
template <class T>
constexpr void prefetch([[maybe_unused]] T const* from, [[maybe_unused]] std::ptrdiff_t bytes_ahead) {
#if defined(__GNUC__)
  // Not by pointers, which must not leave their array.
  if (!std::is_constant_evaluated()) {
    __builtin_prefetch(reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(from) +
                                                     static_cast<std::uintptr_t>(bytes_ahead)));
    asm volatile("");  // TRAP: without it GCC 12 takes functions that do no more for pure and drops calls of them
  }
#endif
}

// A line that is about to be written. TRAP: for x86-64 compilers fetch it to read, unless they are told that the
// processor knows the instruction; one that does not passes over it.
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
