// The nets inside an op, as the op's kernel gets hold of them while it is made.
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

/// What a net inside an op has thrown, as the op throws it on: what() says which net, then which op of it and why. The
/// plan adds which op it is inside of. The error itself is nested.
struct nested_net_error : error {
  nested_net_error(std::string_view argument, std::string_view why, std::string blob_name = {})
      : error("plait: " + std::string(argument) + ": " + std::string(detail::without_prefix(why))),
        blob(std::move(blob_name)) {}

  std::string blob;
};

namespace detail {
/// What an exception says, to go on with in the text of another; those of the standard library for want of memory do
/// not say that it is memory.
inline std::string reason_of(std::exception const& problem) {
  bool const is_memory = dynamic_cast<std::bad_alloc const*>(&problem) != nullptr ||
                         dynamic_cast<std::length_error const*>(&problem) != nullptr;
  return is_memory ? "no memory for what it asks for" : std::string(without_prefix(problem.what()));
}

/// Calls f(), which runs ops of a net inside an op; what these throw is thrown on as nested_net_error with the name of
/// the argument the net is in, and the step of a recurrence. run_cancelled is thrown on as it is.
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

/// The nets of one op, of whatever type the net around it is, and the names of the op's operands. Only to be used
/// within the constructor of the kernel: the nets need not live longer.
template <backend B>
class nets_of_op {
 public:
  /// Compiles a net for a workspace, which must outlive the plan. All blobs of the net are kept, or those of a list.
  using compiler = std::function<std::unique_ptr<engine<B>>(workspace<B>&, std::vector<std::string> const* keep)>;

  nets_of_op() = default;
  nets_of_op(cost_model const& costs, plan_passes const& passes) : costs_(costs), passes_(passes) {}

  /// The names of the op's inputs, then of what else it may read: what nets inside it read of the net around it, and
  /// what its outputs' blobs held before.
  std::span<std::string const> input_names() const noexcept { return inputs_; }
  /// The names of the op's outputs, then of what else nets inside it write of the net around it.
  std::span<std::string const> output_names() const noexcept { return outputs_; }
  /// Whether an op reads output `o`, or it is asked for; one that is not may be left unset.
  bool is_wanted(std::size_t o) const { return wanted_[o]; }

  /// Returns the cost model of the plan around.
  cost_model const& costs() const noexcept { return costs_; }
  plan_passes const& passes() const noexcept { return passes_; }

  bool empty() const noexcept { return nets_.empty(); }
  bool has(std::string_view argument) const { return find(argument) != nullptr; }
  /// A plan of the net in an argument, the first if it holds several. All that was written is kept in the workspace,
  /// unless `keep` lists what is. Throws nested_net_error naming the argument.
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

  /// The names of what a net in an argument may read that it has not written before. O(operands of the net).
  std::vector<std::string> names_read(std::string_view argument) const { return expect(argument).reads(); }

  /// The names of the first outputs of its ops of one type; of all outputs of all ops if that is empty.
  std::vector<std::string> names_made(std::string_view argument, std::string_view op_type = {}) const {
    return expect(argument).makes(op_type);
  }

  // ---- to fill
  using name_list = std::vector<std::string>;
  void add(std::string_view argument, compiler compile, std::function<name_list()> reads,
           std::function<name_list(std::string_view op_type)> makes) {
    nets_.push_back({std::string(argument), std::move(compile), std::move(reads), std::move(makes)});
  }
  /// `wanted` is by output.
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
