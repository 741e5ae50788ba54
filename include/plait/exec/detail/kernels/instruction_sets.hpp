// Run-time dispatch by instruction set (function multiversioning): loops use the widest vectors of the processor
// without compile flags, as each is compiled once per instruction set.
//
// Results can differ between processors in the last place, since the wider sets have fused multiply-add.
#pragma once

#include <cstdlib>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Instruction sets that vectorised loops are compiled for.
enum class instruction_set : unsigned char {
  portable,  ///< the baseline of the compiler flags
  avx2,      ///< x86-64-v3: AVX2 and FMA
  avx512,    ///< x86-64-v4: AVX-512 F, BW, DQ, VL
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define PLAIT_X86_DISPATCH 1
#define PLAIT_TARGET_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#if defined(__clang__)
#define PLAIT_AVX512_FEATURES "avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl"
#else
#define PLAIT_AVX512_FEATURES "avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif
#define PLAIT_TARGET_AVX512 __attribute__((target(PLAIT_AVX512_FEATURES)))
#else
#define PLAIT_X86_DISPATCH 0
#endif

#if defined(__GNUC__)
#define PLAIT_FLATTEN __attribute__((flatten))
#define PLAIT_NO_INLINE __attribute__((noinline))
#define PLAIT_ALWAYS_INLINE [[gnu::always_inline]]
#else
#define PLAIT_FLATTEN
#define PLAIT_NO_INLINE
#define PLAIT_ALWAYS_INLINE
#endif

// Aligns the loops of a function to cache lines: where they begin by chance, their time varies by 2 to 6 % from one
// program to the next.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define PLAIT_ALIGN_LOOPS __attribute__((optimize("align-loops=64")))
#else
#define PLAIT_ALIGN_LOOPS
#endif

// Marks a call that must be inlined: clang's `flatten` inlines the first level of calls only. The callee must have a
// name: on F{}(i), clang 16 crashes.
#if defined(__clang__)
#define PLAIT_INLINE_CALL [[clang::always_inline]]
#else
#define PLAIT_INLINE_CALL
#endif

// Marks a loop whose iterations are independent of each other.
#if defined(__clang__)
#define PLAIT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PLAIT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PLAIT_INDEPENDENT
#endif

// Marks such a loop whose iterations, 16 at most, fill vectors: GCC would unroll it before it vectorises, and then find
// only scalars.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define PLAIT_VECTOR_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define PLAIT_VECTOR_LOOP PLAIT_INDEPENDENT
#endif

// Enclose the code of every header with kernels. Clang warns about loops marked PLAIT_INDEPENDENT that it does not
// vectorise, at the function that the loop was inlined into. All flags decide which function that is, but it is in one
// of these headers, as run_portable() and its like are not inlined. With debug information clang warns at the loop.
#if defined(__clang__)
#define PLAIT_KERNELS_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define PLAIT_KERNELS_END _Pragma("clang diagnostic pop")
#else
#define PLAIT_KERNELS_BEGIN
#define PLAIT_KERNELS_END
#endif

PLAIT_KERNELS_BEGIN

/// Returns the widest set of this processor; the environment variable PLAIT_INSTRUCTIONS (portable, avx2, avx512) can
/// only lower it. Setting it to any of these also disables AMX tiles: see amx.hpp.
[[nodiscard]] inline instruction_set available_instructions() {
  static instruction_set const found = [] {
    auto best = instruction_set::portable;
#if PLAIT_X86_DISPATCH
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
      best = instruction_set::avx2;
    if (best == instruction_set::avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      best = instruction_set::avx512;
#endif
    char const* const wish = std::getenv("PLAIT_INSTRUCTIONS");
    std::string_view const wanted = wish == nullptr ? "" : wish;
    if (wanted == "portable") return instruction_set::portable;
    if (wanted == "avx2" && best == instruction_set::avx512) return instruction_set::avx2;
    return best;
  }();
  return found;
}

namespace detail {
#if PLAIT_X86_DISPATCH
template <class F, class... Args>
PLAIT_TARGET_AVX2 PLAIT_FLATTEN PLAIT_NO_INLINE void run_avx2(F const& f, Args... args) {
  f(args...);
}
template <class F, class... Args>
PLAIT_TARGET_AVX512 PLAIT_FLATTEN PLAIT_NO_INLINE void run_avx512(F const& f, Args... args) {
  f(args...);
}
#endif
template <class F, class... Args>
PLAIT_FLATTEN PLAIT_NO_INLINE void run_portable(F const& f, Args... args) {
  f(args...);
}
}  // namespace detail

/// Calls f(args...), which is compiled, with all that is inlined into it, once per instruction set.
template <class F, class... Args>
void vectorized(F const& f, Args... args) {
#if PLAIT_X86_DISPATCH
  switch (available_instructions()) {
    case instruction_set::avx512:
      return detail::run_avx512(f, args...);
    case instruction_set::avx2:
      return detail::run_avx2(f, args...);
    case instruction_set::portable:
      break;
  }
#endif
  detail::run_portable(f, args...);
}

PLAIT_KERNELS_END

}  // namespace plait
