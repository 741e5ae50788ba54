// Watching the ops of a plan while it runs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <plait/exec/op_kernel.hpp>

namespace plait {

/// An op that runs. Views into the plan.
struct op_event {
  std::size_t op;
  std::string_view type;
  std::string_view name;
  std::span<slot* const> inputs;
  std::span<slot* const> outputs;
  std::vector<std::string_view> input_names;
  std::vector<std::string_view> output_names;
  op_event const* within = nullptr;  ///< the op whose nested net the op belongs to; nullptr outside of any
};

/// Called around each op; with the parallel executor from several threads at once. What it throws stops the run as what
/// the op throws does.
class op_observer {
 public:
  virtual ~op_observer() = default;
  virtual void before(op_event const&) {}
  /// Only after an op that has not thrown.
  virtual void after(op_event const&) {}
};

}  // namespace plait
