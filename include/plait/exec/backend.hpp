// Backend concept: memory for tensors and parallel loops, as static members of a stateless type.
//
//   struct my_backend {
//     static constexpr std::string_view name = "mine";
//     static constexpr bool on_device = false;        // true: memory inaccessible to the host, one thread per element
//     static auto policy();                           // a Thrust execution policy for loops, or for_each_index below
//     static unsigned concurrency();                  // number of tiles that can run at once
//     static void* allocate(std::size_t bytes);       // aligned to 64 bytes; throws std::bad_alloc
//     static void deallocate(void*, std::size_t bytes) noexcept;
//     static void copy(void* to, void const* from, std::size_t bytes);          // within the backend
//     static void copy_from_host(void* to, void const* from, std::size_t bytes);
//     static void copy_to_host(void* to, void const* from, std::size_t bytes);
//     static void synchronize();                      // waits for all work in progress
//   };
//
// Several threads may call the members at once. Copies of 0 bytes do nothing.
//
// Optional members: each has a concept below, which states its contract. A header that uses one checks for that
// concept; no function is found by ADL, and no template is specialised for a backend.
//
// Each folder of backends/ defines one; a program can use several. No macro selects a backend.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

// Marks functions that kernels call on every backend.
#if defined(__CUDACC__)
#define PLAIT_HOST_DEVICE __host__ __device__
#else
#define PLAIT_HOST_DEVICE
#endif

namespace plait {

struct gemm_shape;

namespace detail {

/// Loops by Thrust: B::policy() is an execution policy. Unused if has_loops.
template <class B>
concept has_policy = requires { B::policy(); };

/// Loops of the backend: B::for_each_index(count, f) calls f(i) for each i below count, of type std::size_t. On the
/// host it returns when all calls have returned, f does not throw, and a loop nested in another may run on the calling
/// thread; on a device f is copied.
template <class B>
concept has_loops = requires(void (*f)(std::size_t)) { B::for_each_index(std::size_t{}, f); };

/// Search on a device that has_loops: B::find_index(count, holds) synchronises, and returns the first i below count for
/// which holds(i), or count.
template <class B>
concept has_search = requires(bool (*holds)(std::size_t)) {
  { B::find_index(std::size_t{}, holds) } -> std::same_as<std::size_t>;
};

/// Memory limit: B::capacity() is the maximum number of bytes in use at a time.
template <class B>
concept has_capacity = requires {
  { B::capacity() } -> std::convertible_to<std::size_t>;
};

/// Numbered devices: B::device_of(memory) returns the number of the memory's device, which DLPack exports.
template <class B>
concept has_device_number = requires(void const* memory) {
  { B::device_of(memory) } -> std::convertible_to<int>;
};

/// Tasks for overlapping time steps of recurrences and for spinning workers: B::task_group, with run(function) and
/// wait(), and B::task_arena, constructed from a number of threads, with execute(function), are as oneTBB's.
/// B::is_cancelled() returns true if an enclosing group is cancelled, in which case B's loops may skip calls.
template <class B>
concept has_tasks = requires {
  typename B::task_group;
  typename B::task_arena;
  { B::is_cancelled() } -> std::same_as<bool>;
};

/// Streams of a device: B::queue() identifies the in-order stream of the calling thread.
template <class B>
concept has_queues = requires {
  { B::queue() } -> std::same_as<void const*>;
};

/// Library GEMM instead of plait's, required of devices with matrix products: B::gemm_library has the members of
/// own_gemm (detail/gemm.hpp).
template <class B>
concept has_gemm_library = requires { typename B::gemm_library; };

/// Library GEMM with a bias epilogue: multiply_onto_row(shape, x, w, b, more, y) computes x op(w) + b in each row, plus
/// the matrix `more` unless that is null; or returns false, and computes nothing.
template <class B>
concept has_row_product = has_gemm_library<B> && requires(gemm_shape const& s, float const* x, float* y) {
  { B::gemm_library::multiply_onto_row(s, x, x, x, x, y) } -> std::same_as<bool>;
};

/// Thread teams of a device: B::for_each_team(tasks, width, f) calls f(task) in each thread of a team, which has whole
/// warps and at most 256 threads, sized for `width` elements (detail/kernels/thread_team.hpp).
template <class B>
concept has_teams = requires(void (*f)(std::size_t)) { B::for_each_team(std::size_t{}, std::size_t{}, f); };

/// Indirect calls on a device, within one module: B::device_functions<Program, functions...>() returns a pair of the
/// functions' device addresses, as an array of void (*)(), and of a function that launches a given number of threads of
/// a Program in the same module (detail/kernels/element_program.hpp).
template <class B, class Program, auto... Functions>
concept has_device_functions = requires { B::template device_functions<Program, Functions...>(); };

/// Capture and replay of device work: B::recorded_work, a movable type with
///   static void begin();                         // captures the calling thread's work instead of doing it
///   static std::optional<recorded_work> end();   // nothing if some of the work cannot be captured
///   void launch() const;                         // replays it, after work that was launched before
template <class B>
concept has_recorded_work = requires { typename B::recorded_work; };

}  // namespace detail

template <class B>
concept backend = requires(void* to, void const* from, std::size_t bytes) {
  { B::name } -> std::convertible_to<std::string_view>;
  { B::on_device } -> std::convertible_to<bool>;
  { B::concurrency() } -> std::convertible_to<unsigned>;
  { B::allocate(bytes) } -> std::same_as<void*>;
  B::deallocate(to, bytes);
  B::copy(to, from, bytes);
  B::copy_from_host(to, from, bytes);
  B::copy_to_host(to, from, bytes);
  B::synchronize();
} && (detail::has_policy<B> || (detail::has_loops<B> && (!B::on_device || detail::has_search<B>)));

}  // namespace plait
