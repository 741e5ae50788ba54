// The backend of CUDA devices: for files that nvcc compiles. All work goes to one stream per host thread, the
// per-thread default one unless use_stream says otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include <cuda_runtime.h>

#include <thrust/system/cuda/execution_policy.h>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

namespace plait {

namespace detail {
/// f(row) by a block of threads for each row.
template <class F>
__global__ void run_teams(std::size_t rows, F f) {
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) f(row);
}
template <class Program>
static __global__ void run_program(std::uint32_t threads, __grid_constant__ Program const program) {
  std::uint32_t const thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) program(thread);
}
template <auto Function>
static __global__ void tell_address(decltype(Function)* to) {
  *to = Function;
}
}  // namespace detail

/// A call of the CUDA runtime that failed.
struct cuda_error : error {
  explicit cuda_error(cudaError_t status, char const* call)
      : error(std::string("plait: ") + call + ": " + cudaGetErrorString(status)), code(status) {}
  cudaError_t code;
};

struct cuda {
  static constexpr std::string_view name = "cuda";
  static constexpr bool on_device = true;

  static cudaStream_t& stream() {
    thread_local cudaStream_t current = cudaStreamPerThread;
    return current;
  }
  /// The stream of this host thread from here on.
  static void use_stream(cudaStream_t s) { stream() = s; }

  // Without the synchronisation after each algorithm that thrust::cuda::par has.
  static auto policy() { return thrust::cuda::par_nosync.on(stream()); }
  static unsigned concurrency() {
    int device = 0;
    int count = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return static_cast<unsigned>(count);
  }

  /// f(row) for each row, by a team of threads that has a few of the row's `width` elements each
  /// (kernels/thread_team.hpp).
  template <class F>
  static void for_each_team(std::size_t rows, std::size_t width, F const& f) {
    unsigned threads = 32;
    while (threads != 256 && threads * 4 < width) threads *= 2;
    unsigned const blocks = static_cast<unsigned>(std::min<std::size_t>(rows, 1u << 30));
    detail::run_teams<<<blocks, threads, 0, stream()>>>(rows, f);
    check(cudaGetLastError(), "for_each_team");
  }

  static void* allocate(std::size_t bytes) {
    void* made = nullptr;
    cudaError_t const status = cudaMalloc(&made, bytes);
    if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
    check(status, "cudaMalloc");
    return made;
  }
  static void deallocate(void* at, std::size_t) noexcept { static_cast<void>(cudaFree(at)); }

  static void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes != 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
  }
  static void copy_from_host(void* to, void const* from, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
    synchronize();
  }
  static void copy_to_host(void* to, void const* from, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
    synchronize();
  }
  static void synchronize() { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }

  static void check(cudaError_t status, char const* call) {
    if (status != cudaSuccess) throw cuda_error(status, call);
  }
};

namespace detail {

template <class Program>
static void start_program(std::uint32_t threads, Program const& program) {
  constexpr std::uint32_t together = 64;  // few, so that small programs are on many processors
  run_program<<<(threads - 1) / together + 1, together, 0, cuda::stream()>>>(threads, program);
  cuda::check(cudaGetLastError(), "start_program");
}

// On a stream of its own: the thread's may be recording.
template <auto Function>
static decltype(Function) ask_for_address() {
  void* on_device = cuda::allocate(sizeof(Function));
  decltype(Function) made = nullptr;
  cudaStream_t aside = nullptr;
  cudaError_t status = cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  if (status == cudaSuccess) {
    tell_address<Function><<<1, 1, 0, aside>>>(static_cast<decltype(Function)*>(on_device));
    status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpyAsync(&made, on_device, sizeof(made), cudaMemcpyDeviceToHost, aside);
    cudaError_t const done = cudaStreamSynchronize(aside);
    if (status == cudaSuccess) status = done;
    static_cast<void>(cudaStreamDestroy(aside));
  }
  cuda::deallocate(on_device, sizeof(Function));
  cuda::check(status, "ask_for_address");
  return made;
}

}  // namespace detail

// What programs of elements call (kernels/element_program.hpp): static, as each module has its own.
template <auto Function>
static decltype(Function) device_address(cuda) {
  static std::array<std::atomic<decltype(Function)>, 64> known = {};  // by device
  int device = 0;
  cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  auto const at = static_cast<std::size_t>(device);
  if (at >= known.size()) return detail::ask_for_address<Function>();
  decltype(Function) found = known[at].load(std::memory_order_relaxed);
  if (found == nullptr) known[at].store(found = detail::ask_for_address<Function>(), std::memory_order_relaxed);
  return found;
}
template <class Program>
static auto program_starter(cuda) {
  return &detail::start_program<Program>;
}

}  // namespace plait
