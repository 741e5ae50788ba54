// The workspaces of the steps of a recurrence, which the op leaves behind for its gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/blob.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

/// What the last output of RecurrentNetwork is: a workspace for each step, what they share, and the sequences of
/// states. The names of the net around are bound in a level above these while an op runs, so that nothing outlives it.
template <backend B>
class step_workspaces : public blob_object {
 public:
  std::string_view kind() const override { return "list of step workspaces"; }

  /// Names of the net around stand in it.
  workspace<B>& around() noexcept { return *around_; }
  /// What all steps share, below around().
  workspace<B>& shared() noexcept { return *shared_; }
  /// How many workspaces there are; they stay when a shorter sequence is run.
  std::size_t size() const noexcept { return steps_.size(); }
  workspace<B>& operator[](std::size_t i) { return *steps_[i]; }
  /// Another one, below shared().
  workspace<B>& add() {
    steps_.push_back(std::make_unique<workspace<B>>(*shared_));
    return *steps_.back();
  }

  /// Stands for the op that runs steps in them: another one's step net has other blobs, which would be found here.
  std::shared_ptr<void const> user;
  /// By state: initial slots and one for each step.
  std::vector<tensor<B>> states;
  /// 0, 1, 2, …: what steps find under the name of the time step, as far as there has been one.
  tensor<B> timesteps;
  /// So many of them are known to be there.
  std::size_t numbered = 0;
  /// Of the run they were last used for.
  std::size_t length = 0;
  /// Whether what the steps made is there, one workspace a step.
  bool keeps_steps = false;

 private:
  std::unique_ptr<workspace<B>> around_ = std::make_unique<workspace<B>>();
  std::unique_ptr<workspace<B>> shared_ = std::make_unique<workspace<B>>(*around_);
  std::vector<std::unique_ptr<workspace<B>>> steps_;
};

/// What is known of step workspaces before there are any: see op_kernel::forecast.
struct step_forecast : blob_object {
  std::string_view kind() const override { return "forecast of step workspaces"; }

  struct blob {
    std::string name;
    tensor_spec type;
    std::vector<std::int64_t> elements = {};  ///< of integers, as far as they are known
  };
  std::vector<tensor_spec> states;
  std::vector<blob> blobs;  ///< of a step
};

namespace detail {
template <backend B>
bool overlaps(op_context<B> const& c, std::size_t input, tensor<B> const& memory) {
  if (!c.is_set(input) || c.type(input) == element_type::object) return false;
  auto const* const first = static_cast<std::byte const*>(memory.raw());
  auto const* const at = static_cast<std::byte const*>(c.raw_input(input));
  return at < first + memory.bytes() && first < at + c.input_spec(input).bytes();
}
}  // namespace detail

/// A tensor that an op whose results are known after its run hands out views of, for another run of the op: its old
/// memory, if nobody but the blobs the op is about to write holds views of it and no input stands in it; else new one.
/// `replaced` says by input whether it is what such a blob held before.
template <backend B>
void renew(tensor<B>& memory, tensor_spec const& wanted, op_context<B> const& c, std::vector<bool> const& replaced) {
  bool usable = memory.spec() == wanted && memory.owner() != nullptr;
  long holders = 1;
  for (std::size_t i = 0; usable && i != c.input_count(); ++i) {
    if (!detail::overlaps(c, i, memory)) continue;
    if (replaced[i])
      ++holders;
    else
      usable = false;
  }
  if (!usable || memory.owner().use_count() > holders) memory = tensor<B>::uninitialized(wanted.type, wanted.dims);
}

}  // namespace plait
