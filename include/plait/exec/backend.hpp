// Where tensors live and kernels run: what a backend has to offer.
//
//   struct my_backend {
//     static constexpr std::string_view name = "mine";
//     static constexpr bool on_device = false;        // true: memory the host cannot touch, a thread an element
//     static auto policy();                           // a Thrust execution policy
//     static unsigned concurrency();                  // how many tiles can run at once
//     static void* allocate(std::size_t bytes);       // aligned to 64 bytes; throws std::bad_alloc
//     static void deallocate(void*, std::size_t bytes) noexcept;
//     static void copy(void* to, void const* from, std::size_t bytes);          // within the backend
//     static void copy_from_host(void* to, void const* from, std::size_t bytes);
//     static void copy_to_host(void* to, void const* from, std::size_t bytes);
//     static void synchronize();                      // until all that was started is done
//   };
//
// It may also have capacity(), the most bytes that can be in use at a time, device_of(memory), a number where there are
// several devices (DLPack tells it), task_group, task_arena and is_cancelled(), as oneTBB has them, for steps of
// recurrences to overlap (has_tasks), queue(), where threads of the host start work on a device side by side
// (has_queues), gemm_library, whose products are used in place of plait's (gemm.hpp), and, on a device, for_each_team,
// for threads that work together (kernels/thread_team.hpp).
//
// serial.hpp, omp.hpp, tbb.hpp and cuda.hpp have one each; a program can use several. Backends are types without
// state: nothing is chosen by a macro.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

// Marks what kernels run on every backend.
#if defined(__CUDACC__)
#define PLAIT_HOST_DEVICE __host__ __device__
#else
#define PLAIT_HOST_DEVICE
#endif

namespace plait {

template <class B>
concept backend = requires(void* to, void const* from, std::size_t bytes) {
  { B::name } -> std::convertible_to<std::string_view>;
  { B::on_device } -> std::convertible_to<bool>;
  B::policy();
  { B::concurrency() } -> std::convertible_to<unsigned>;
  { B::allocate(bytes) } -> std::same_as<void*>;
  B::deallocate(to, bytes);
  B::copy(to, from, bytes);
  B::copy_from_host(to, from, bytes);
  B::copy_to_host(to, from, bytes);
  B::synchronize();
};

namespace detail {
/// A backend whose ops may be run by tasks: B::task_group and B::task_arena are as oneTBB's, and B::is_cancelled() says
/// whether a group around has been cancelled, of which B's loops are skipped.
template <class B>
concept has_tasks = requires {
  typename B::task_group;
  typename B::task_arena;
  { B::is_cancelled() } -> std::same_as<bool>;
};
/// A device whose work is in several queues, each done in order: B::queue() is that of the calling thread.
template <class B>
concept has_queues = requires {
  { B::queue() } -> std::same_as<void const*>;
};
}  // namespace detail

}  // namespace plait
