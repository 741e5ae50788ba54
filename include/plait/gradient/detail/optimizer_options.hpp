// What optimisers need to know, and what they leave behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/core/detail/element_type.hpp>
#include <plait/gradient/detail/gradient_map.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// How the rate changes from step to step: an Iter op counts them, and a LearningRate op follows.
struct rate_schedule {
  /// LearningRate's: fixed, step, exp, inv, poly, alter, linearWarmup, constantWarmup or hill.
  std::string policy = "fixed";
  std::vector<argument_spec> arguments = {};  ///< of the policy: {{"stepsize", 100}, {"gamma", 0.5f}}
  /// The blob that counts steps. A net has one of that name, which all optimisers in it share.
  std::string iteration = "optimizer_iteration";
  /// The number of the first step. Caffe2's is 1, which makes Adam take its first step for the second and policies
  /// begin one step late.
  std::int64_t first_step = 0;
  std::string rate = {};  ///< what the rate is called; empty: as Caffe2 does, SgdOptimizer_0_lr_cpu and so on
};

/// What is done to gradients before a step, in this order.
struct gradient_preparation {
  /// Positive: where the L2 norm of all gradients together is larger, they are scaled down to it.
  float clip_norm = 0;
  /// The norm of each parameter's gradient instead, as Caffe2's gradient clipping has it.
  bool each_parameter = false;
  float clip_value = 0;    ///< positive: elements are cut to [-clip_value, clip_value]
  float weight_decay = 0;  ///< times the parameter, is added
};

/// What all optimisers share.
struct optimizer_placement {
  element_type type = element_type::float32;  ///< of parameters and gradients, or float64
  std::optional<device_spec> device = {};     ///< of all ops that are made
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
  float decay = 1;  ///< how much of the sum of squares is kept
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

/// What an optimiser added needs once, and what it keeps.
struct optimizer_update {
  /// Ops for the init net, behind those that make the parameters (add_init_ops adds them).
  std::vector<op_spec> init_ops;
  /// Blobs that live from step to step: to be saved with the parameters. They are those that the init ops make.
  std::vector<std::string> state;
  std::string rate;        ///< the blob with the rate of the last step, as LearningRate gave it (Adam's is negative)
  gradient_map gradients;  ///< of the parameters, as they were used: clipped and so on
};

}  // namespace plait
