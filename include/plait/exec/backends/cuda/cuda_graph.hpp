// CUDA graph capture and replay for captured_runs.
#pragma once

#include <optional>
#include <utility>

#include <cuda_runtime.h>

#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/detail/captured_runs.hpp>
#include <plait/exec/detail/captured_shapes.hpp>

namespace plait {

/// CUDA graph captured from the calling thread's stream (NVIDIA, CUDA C++ Programming Guide, "CUDA Graphs"). Captures
/// in relaxed mode, as the pool may allocate from the system meanwhile, which is not work of the stream.
template <>
struct recorded_work<cuda> {
  static void begin() {
    cuda::check(cudaStreamBeginCapture(cuda::stream(), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  }
  static std::optional<recorded_work> end() {
    cudaGraph_t graph = nullptr;
    cudaError_t const status = cudaStreamEndCapture(cuda::stream(), &graph);
    if (status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread) {
      static_cast<void>(cudaGetLastError());
      return std::nullopt;
    }
    cuda::check(status, "cudaStreamEndCapture");
    recorded_work made;
    cudaError_t const instantiated = cudaGraphInstantiate(&made.graph_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));  // the instantiated graph is independent of it
    cuda::check(instantiated, "cudaGraphInstantiate");
    return made;
  }
  recorded_work(recorded_work&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  recorded_work& operator=(recorded_work&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~recorded_work() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
  }

  void launch() const { cuda::check(cudaGraphLaunch(graph_, cuda::stream()), "cudaGraphLaunch"); }

 private:
  recorded_work() = default;

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace plait
