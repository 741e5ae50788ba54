// Options and results of optimisers: learning-rate schedule, gradient clipping, weight decay, placement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/core/detail/element_type.hpp>
#include <plait/gradient/detail/gradient_map.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// Learning-rate schedule: an Iter op counts the steps, a LearningRate op computes the rate.
struct rate_schedule {
  /// A policy of LearningRate: fixed, step, exp, inv, poly, alter, linearWarmup, constantWarmup or hill.
  std::string policy = "fixed";
  std::vector<argument_spec> arguments = {};  ///< arguments of the policy: {{"stepsize", 100}, {"gamma", 0.5f}}
  /// The step counter's blob. All optimisers of a net with this name share it.
  std::string iteration = "optimizer_iteration";
  /// The number of the first step. It is 1 in Caffe2, whose Adam therefore treats the first step as the second and
  /// whose policies start one step late.
  std::int64_t first_step = 0;
  std::string rate = {};  ///< name of the rate's blob; empty: Caffe2's, such as SgdOptimizer_0_lr_cpu
};

/// Gradient clipping and weight decay, applied before a step in this order.
struct gradient_preparation {
  /// Positive: maximum global L2 norm; gradients with a larger one are scaled down to it.
  float clip_norm = 0;
  /// Clips the norm of each parameter's gradient instead, as Caffe2's gradient clipping does.
  bool each_parameter = false;
  float clip_value = 0;    ///< positive: elements are clamped to [-clip_value, clip_value]
  float weight_decay = 0;  ///< L2 penalty: gradient += weight_decay parameter
};

/// Element type and device of an optimiser's ops.
struct optimizer_placement {
  element_type type = element_type::float32;  ///< type of parameters and gradients; or float64
  std::optional<device_spec> device = {};     ///< device of all appended ops
};

struct sgd_options {
  float rate = 0.01f;
  float momentum = 0;
  bool nesterov = false;
  rate_schedule schedule = {};
  gradient_preparation gradients = {};
  optimizer_placement placement = {};
};

struct adagrad_options {
  float rate = 0.01f;
  float epsilon = 1e-4f;
  float decay = 1;  ///< factor of the old sum of squares
  rate_schedule schedule = {};
  gradient_preparation gradients = {};
  optimizer_placement placement = {};
};

struct adam_options {
  float rate = 0.001f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  rate_schedule schedule = {};
  gradient_preparation gradients = {};
  optimizer_placement placement = {};
};

struct rms_prop_options {
  float rate = 0.01f;
  float decay = 0.9f;
  float momentum = 0;
  float epsilon = 1e-5f;
  rate_schedule schedule = {};
  gradient_preparation gradients = {};
  optimizer_placement placement = {};
};

/// The result of adding an optimiser: its initialisation, state and final gradients.
struct optimizer_update {
  /// Ops for the init net, after those of the parameters (add_init_ops appends them).
  std::vector<op_spec> init_ops;
  /// Loop-carried blobs, to be saved with the parameters: the outputs of init_ops.
  std::vector<std::string> state;
  std::string rate;        ///< the blob with the rate of the last step, the output of LearningRate (negative for Adam)
  gradient_map gradients;  ///< gradients of the parameters, as the step uses them: clipped, decayed
};

}  // namespace plait
