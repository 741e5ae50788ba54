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
class cuda_graph {
 public:
  static void begin() {
    cuda::check(cudaStreamBeginCapture(cuda::stream(), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  }
  static std::optional<cuda_graph> end() {
    cudaGraph_t graph = nullptr;
    cudaError_t const status = cudaStreamEndCapture(cuda::stream(), &graph);
    if (status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread) {
      static_cast<void>(cudaGetLastError());
      return std::nullopt;
    }
    cuda::check(status, "cudaStreamEndCapture");
    cuda_graph made;
    cudaError_t const instantiated = cudaGraphInstantiate(&made.graph_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));  // the instantiated graph is independent of it
    cuda::check(instantiated, "cudaGraphInstantiate");
    return made;
  }
  cuda_graph(cuda_graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  cuda_graph& operator=(cuda_graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~cuda_graph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
  }

  void launch() const { cuda::check(cudaGraphLaunch(graph_, cuda::stream()), "cudaGraphLaunch"); }

 private:
  cuda_graph() = default;

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace plait
