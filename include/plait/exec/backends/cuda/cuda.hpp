// CUDA backend, for files compiled by nvcc. Each host thread launches its work on one stream, by default its per-thread
// default stream (use_stream).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <thrust/system/cuda/execution_policy.h>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

#define PLAIT_CUDA_BACKEND  // for runtime/extern_templates.hpp

namespace plait {

namespace detail {
/// Calls f(row) in one thread block per row.
template <class F>
__global__ void run_teams(std::size_t rows, F f) {
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) f(row);
}
template <class Program>
static __global__ void run_program(std::uint32_t threads, __grid_constant__ Program const program) {
  extern __shared__ double2 cells[];  // shared memory: local arrays of threads may be spilled to device memory
  std::uint32_t const thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) program.run(thread, cells, threadIdx.x, blockDim.x);
}
// A variable: taking the function's address in a kernel makes nvcc recompile every indirectly called function.
template <auto Function>
static __device__ decltype(Function) function_address = Function;
}  // namespace detail

namespace detail {
/// Identity of a thread's default stream, since all per-thread default streams have the same handle. A thread that ends
/// leaves its identity to a later thread when its work is done.
class default_queue {
 public:
  static void const* of_thread() {
    thread_local default_queue own;
    return own.name_.get();
  }

 private:
  default_queue() {
    std::lock_guard const lock(left().mutex);
    auto& names = left().names;
    name_ = names.empty() ? std::make_unique<char>() : std::move(names.back());
    if (!names.empty()) names.pop_back();
  }
  ~default_queue() {
    static_cast<void>(cudaStreamSynchronize(cudaStreamPerThread));
    std::lock_guard const lock(left().mutex);
    left().names.push_back(std::move(name_));
  }

  struct left_names {
    std::mutex mutex;
    std::vector<std::unique_ptr<char>> names;
  };
  static left_names& left() {
    static auto& made = *new left_names;  // never destroyed: threads may end later
    return made;
  }

  std::unique_ptr<char> name_;
};
}  // namespace detail

/// Error of a failed call of the CUDA runtime.
struct cuda_error : error {
  explicit cuda_error(cudaError_t status, char const* call)
      : error(std::string("plait: ") + call + ": " + cudaGetErrorString(status)), code(status) {}
  cudaError_t code;
};

class cuda_graph;    // cuda_graph.hpp
struct cublas_gemm;  // cublas.hpp

struct cuda {
  static constexpr std::string_view name = "cuda";
  static constexpr bool on_device = true;
  using gemm_library = cublas_gemm;
  using recorded_work = cuda_graph;

  static cudaStream_t& stream() {
    thread_local cudaStream_t current = cudaStreamPerThread;
    return current;
  }
  /// Sets the stream of this host thread. No stream waits for another: the work on the previous stream must be complete
  /// (synchronize()) before its results are used, including those of tensors and plans, and before a stream is
  /// destroyed.
  static void use_stream(cudaStream_t s) { stream() = s; }
  /// Returns the identity of the stream, for the memory pool.
  static void const* queue() {
    return stream() == cudaStreamPerThread ? detail::default_queue::of_thread() : static_cast<void const*>(stream());
  }

  // Omits the synchronisation of thrust::cuda::par after each algorithm.
  static auto policy() { return thrust::cuda::par_nosync.on(stream()); }
  static unsigned concurrency() {
    int device = 0;
    int count = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return static_cast<unsigned>(count);
  }

  /// Calls f(row) for each row in a team of threads that share the row's `width` elements
  /// (kernels/thread_team.hpp).
  template <class F>
  static void for_each_team(std::size_t rows, std::size_t width, F const& f) {
    unsigned threads = 32;
    while (threads != 256 && threads * 4 < width) threads *= 2;
    unsigned const blocks = static_cast<unsigned>(std::min<std::size_t>(rows, 1u << 30));
    detail::run_teams<<<blocks, threads, 0, stream()>>>(rows, f);
    check(cudaGetLastError(), "for_each_team");
  }

  /// Returns addresses on the device of functions of this file, and the launcher of programs there.
  template <class Program, auto... Functions>
  static std::pair<std::array<void (*)(), sizeof...(Functions)>, void (*)(std::uint32_t, Program const&)>
  device_functions();

  static void* allocate(std::size_t bytes) {
    void* made = nullptr;
    cudaError_t const status = cudaMalloc(&made, bytes);
    if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
    check(status, "cudaMalloc");
    return made;
  }
  static void deallocate(void* at, std::size_t) noexcept { static_cast<void>(cudaFree(at)); }

  /// Returns the device of the memory; of nullptr, the current one.
  static int device_of(void const* at) {
    int current = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    if (at == nullptr) return current;
    cudaPointerAttributes found = {};
    check(cudaPointerGetAttributes(&found, at), "cudaPointerGetAttributes");
    return found.device;
  }

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
  constexpr std::uint32_t together = 64;  // few, so that small programs use many multiprocessors
  run_program<<<(threads - 1) / together + 1, together, program.bytes_of_thread() * together, cuda::stream()>>>(
      threads, program);
  cuda::check(cudaGetLastError(), "start_program");
}

// Copies on a separate stream, as the thread's may be capturing.
template <auto Function>
static void (*ask_for_address())() {
  decltype(Function) made = nullptr;
  cudaStream_t aside = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  cudaError_t status =
      cudaMemcpyFromSymbolAsync(&made, function_address<Function>, sizeof(made), 0, cudaMemcpyDeviceToHost, aside);
  cudaError_t const done = cudaStreamSynchronize(aside);
  static_cast<void>(cudaStreamDestroy(aside));
  cuda::check(status, "cudaMemcpyFromSymbolAsync");
  cuda::check(done, "cudaStreamSynchronize");
  return reinterpret_cast<void (*)()>(made);
}

template <auto... Functions>
static std::array<void (*)(), sizeof...(Functions)> device_addresses() {
  static std::mutex mutex;
  static std::map<int, std::array<void (*)(), sizeof...(Functions)>> known;  // by device
  int device = 0;
  cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  std::lock_guard const lock(mutex);
  auto at = known.find(device);
  if (at == known.end()) at = known.emplace(device, std::array{ask_for_address<Functions>()...}).first;
  return at->second;
}

}  // namespace detail

// TRAP: the linker keeps one instance of this for all files, but each file is a module of its own. So addresses and
// launcher come from functions with internal linkage, both of the file whose instance is kept; a static variable here
// would mix those of several files.
template <class Program, auto... Functions>
std::pair<std::array<void (*)(), sizeof...(Functions)>, void (*)(std::uint32_t, Program const&)> cuda::
    device_functions() {
  return {detail::device_addresses<Functions...>(), &detail::start_program<Program>};
}

}  // namespace plait
