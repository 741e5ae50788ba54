// Compile options: results to keep, constants, cost model and optimisation passes.
#pragma once

#include <string>
#include <vector>

#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/plan_passes.hpp>

namespace plait {

struct compile_options {
  /// Blobs whose tensors are kept after a run, besides the external outputs that the net declares. If it declares none
  /// and none is named here, all are kept.
  std::vector<std::string> fetch = {};
  /// For the parallel executor: ops that could run concurrently do not share memory.
  bool parallel = false;
  /// Constant blobs, such as the parameters of a trained model: results that ops prepare from them (pre-packed weights)
  /// are computed in the first run and kept. TRAP: elements changed in place go unnoticed until plan::forget_constants;
  /// another tensor is noticed if it has another address or type.
  std::vector<std::string> constants = {};
  /// Checks declarations like Caffe2: if the net declares inputs, its ops may list only these and outputs of earlier
  /// ops, and declared outputs must be written. Otherwise blobs of the workspace need not be declared, such as the
  /// gradients from which a backward pass starts.
  bool as_declared = false;
  /// Allows bf16x3 GEMM on AMX tiles for large products of floats, if the host's processor has them. TRAP: then results
  /// depend on the processor, and lose digits if elements of one row or column differ by a factor of 10^33.
  bool bf16x3 = false;
  /// Thresholds from which packing, fusion and overlap of time steps pay. They do not affect results.
  cost_model costs = {};
  /// Optimisation passes, for tests and to find faults.
  plan_passes passes = {};
};

}  // namespace plait
