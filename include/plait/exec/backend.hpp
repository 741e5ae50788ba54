// Backend concept: memory for tensors and an execution policy for kernels, as static members of a stateless type.
//
//   struct my_backend {
//     static constexpr std::string_view name = "mine";
//     static constexpr bool on_device = false;        // true: memory inaccessible to the host, one thread per element
//     static auto policy();                           // a Thrust execution policy
//     static unsigned concurrency();                  // number of tiles that can run at once
//     static void* allocate(std::size_t bytes);       // aligned to 64 bytes; throws std::bad_alloc
//     static void deallocate(void*, std::size_t bytes) noexcept;
//     static void copy(void* to, void const* from, std::size_t bytes);          // within the backend
//     static void copy_from_host(void* to, void const* from, std::size_t bytes);
//     static void copy_to_host(void* to, void const* from, std::size_t bytes);
//     static void synchronize();                      // waits for all work in progress
//   };
//
// Optional members: capacity(), the maximum of bytes in use at a time; device_of(memory), the device number, which
// DLPack exports; task_group, task_arena and is_cancelled(), as in oneTBB, to overlap time steps of recurrences
// (has_tasks); queue(), if host threads launch device work concurrently (has_queues); gemm_library, whose GEMM replaces
// plait's (gemm.hpp); and, on a device, for_each_team, for cooperating threads (kernels/thread_team.hpp).
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
/// A backend that can run ops in tasks: B::task_group and B::task_arena are like oneTBB's, and B::is_cancelled()
/// returns true if an enclosing group is cancelled, in which case B's loops are skipped.
template <class B>
concept has_tasks = requires {
  typename B::task_group;
  typename B::task_arena;
  { B::is_cancelled() } -> std::same_as<bool>;
};
/// A device with several in-order queues (streams): B::queue() is that of the calling thread.
template <class B>
concept has_queues = requires {
  { B::queue() } -> std::same_as<void const*>;
};
}  // namespace detail

}  // namespace plait
