// Observer of a run: is called around each op, or around each fusion group.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <plait/exec/op_kernel.hpp>

namespace plait {

/// An op that runs, or several that are fused: `op` to `op + count - 1`. Views into the plan.
struct op_event {
  std::size_t op;
  std::string_view type;          ///< types of all ops of a group: "FC+Relu"
  std::string_view name;          ///< name of the first op
  std::span<slot* const> inputs;  ///< empty for a group, as are the outputs
  std::span<slot* const> outputs;
  std::vector<std::string_view> input_names;   ///< operands of the first op
  std::vector<std::string_view> output_names;  ///< results of all ops
  op_event const* within = nullptr;            ///< the op whose nested net the op belongs to; nullptr outside of any
  std::size_t count = 1;

  /// Returns the number of nets around the net of the op: 0 for ops of the plan itself. O(depth).
  std::size_t depth() const {
    std::size_t made = 0;
    for (op_event const* around = within; around != nullptr; around = around->within) ++made;
    return made;
  }
};

/// Called around each op; with the parallel executor concurrently from several threads. An exception stops the run like
/// one of the op.
class op_observer {
 public:
  virtual ~op_observer() = default;
  virtual void before(op_event const&) {}
  /// Called only if the op has not thrown.
  virtual void after(op_event const&) {}
  /// Returns false if the observer does not read elements: then ops are fused and streamed as without it, a group is
  /// one event, and a streamed op runs in the event of its consumer.
  virtual bool reads_values() const { return true; }
  /// Receives a line that an op such as Print writes about a blob. Returns false to leave it to the op, which writes it
  /// to standard error, or to a file if the net asks for that.
  virtual bool text(std::string_view /*blob*/, std::string_view /*line*/) { return false; }
};

}  // namespace plait
