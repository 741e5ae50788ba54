// Nested nets of an op, for the constructor of its kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/plan_passes.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

template <backend B>
class engine;

/// Error of a nested net: what() names the net, then the op in it and the reason; the plan adds the op around. The
/// original exception is nested.
struct nested_net_error : error {
  nested_net_error(std::string_view argument, std::string_view why, std::string blob_name = {})
      : error("plait: " + std::string(argument) + ": " + std::string(detail::without_prefix(why))),
        blob(std::move(blob_name)) {}

  std::string blob;
};

namespace detail {
/// Returns the text of an exception, for the text of another; the standard library's texts for lack of memory do not
/// mention memory.
inline std::string reason_of(std::exception const& problem) {
  bool const is_memory = dynamic_cast<std::bad_alloc const*>(&problem) != nullptr ||
                         dynamic_cast<std::length_error const*>(&problem) != nullptr;
  return is_memory ? "no memory for what it asks for" : std::string(without_prefix(problem.what()));
}

/// Calls f(), which runs ops of a nested net. Rethrows exec_error as nested_net_error, with the name of the net's
/// argument and the time step, if given; run_cancelled passes unchanged.
template <class F>
void run_inside(std::string_view argument, std::optional<std::int64_t> step, F&& f) {
  try {
    f();
  } catch (exec_error const& e) {
    std::string where(argument);
    if (step) where += " at step " + std::to_string(*step);
    std::throw_with_nested(nested_net_error(where, e.what(), e.blob));
  }
}
template <class F>
void run_inside(std::string_view argument, F&& f) {
  run_inside(argument, std::nullopt, std::forward<F>(f));
}
}  // namespace detail

/// Base of a kernel that runs nets, for reports on the plan around it.
template <backend B>
class runs_nets {
 public:
  /// Receives the argument with a net, its plan, and schedule::how.
  using visitor = std::function<void(std::string_view argument, engine<B> const& net, std::string_view how)>;
  virtual void for_each_net(visitor const& visit) const = 0;

 protected:
  ~runs_nets() = default;
};

/// Nested nets of one op, independent of the type of the net around, and the names of the op's operands. For use only
/// in the constructor of the kernel: the nets need not live longer.
template <backend B>
class nets_of_op {
 public:
  /// Compiles a net for a workspace, which must outlive the plan. Keeps the blobs in `keep`, all if it is nullptr.
  using compiler = std::function<std::unique_ptr<engine<B>>(workspace<B>&, std::vector<std::string> const* keep)>;

  nets_of_op() = default;
  nets_of_op(cost_model const& costs, plan_passes const& passes) : costs_(costs), passes_(passes) {}

  /// Returns the names of the op's inputs, then of all else that it may read: blobs of the net around that nested nets
  /// read, and previous values of outputs.
  std::span<std::string const> input_names() const noexcept { return inputs_; }
  /// Returns the names of the op's outputs, then of other blobs of the net around that nested nets write.
  std::span<std::string const> output_names() const noexcept { return outputs_; }
  /// Returns true if an op reads output `o`, or the caller requests it; other outputs may be left unset.
  bool is_wanted(std::size_t o) const { return wanted_[o]; }

  /// Returns the cost model of the plan around.
  cost_model const& costs() const noexcept { return costs_; }
  plan_passes const& passes() const noexcept { return passes_; }

  bool empty() const noexcept { return nets_.empty(); }
  bool has(std::string_view argument) const { return find(argument) != nullptr; }
  /// Compiles the net in an argument, the first if it has several. Keeps all written blobs in the workspace, or only
  /// those in `keep`. Throws nested_net_error naming the argument.
  std::unique_ptr<engine<B>> compile(std::string_view argument, workspace<B>& blobs,
                                     std::vector<std::string> const* keep = nullptr) const {
    inside const& found = expect(argument);
    try {
      return found.compile(blobs, keep);
    } catch (exec_error const& e) {
      std::throw_with_nested(nested_net_error(argument, e.what(), e.blob));
    } catch (error const& e) {
      std::throw_with_nested(nested_net_error(argument, e.what()));
    }
  }

  /// Returns the names of blobs that a net in an argument may read before it writes them. O(operands of the net).
  std::vector<std::string> names_read(std::string_view argument) const { return expect(argument).reads(); }

  /// Returns the names of the first outputs of its ops of one type; of all outputs of all ops if that is empty.
  std::vector<std::string> names_made(std::string_view argument, std::string_view op_type = {}) const {
    return expect(argument).makes(op_type);
  }

  // ---- construction
  using name_list = std::vector<std::string>;
  void add(std::string_view argument, compiler compile, std::function<name_list()> reads,
           std::function<name_list(std::string_view op_type)> makes) {
    nets_.push_back({std::string(argument), std::move(compile), std::move(reads), std::move(makes)});
  }
  /// Sets the names of operands; `wanted` is by output.
  void set_names(std::vector<std::string> inputs, std::vector<std::string> outputs, std::vector<bool> wanted) {
    inputs_ = std::move(inputs);
    outputs_ = std::move(outputs);
    wanted_ = std::move(wanted);
  }

 private:
  struct inside {
    std::string argument;
    compiler compile;
    std::function<name_list()> reads;
    std::function<name_list(std::string_view)> makes;
  };

  inside const* find(std::string_view argument) const {
    auto const at = std::ranges::find(nets_, argument, &inside::argument);
    return at == nets_.end() ? nullptr : &*at;
  }
  inside const& expect(std::string_view argument) const {
    inside const* const found = find(argument);
    if (found == nullptr) throw shape_error("plait: argument '" + std::string(argument) + "' is missing");
    return *found;
  }

  cost_model costs_;
  plan_passes passes_;
  std::vector<inside> nets_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<bool> wanted_;
};

}  // namespace plait
