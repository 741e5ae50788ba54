// The workspaces that a Do op leaves behind, for its gradient to find what was computed in them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/exec/blob.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

/// What CreateScope makes. Workspaces that were taken off stay, with their memory, until they are needed again.
template <backend B>
class workspace_stack : public blob_object {
 public:
  std::string_view kind() const override { return "stack of workspaces"; }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// The stack must not be empty.
  workspace<B>& top() {
    PLAIT_ASSERT(size_ != 0, "workspace_stack: nothing is on it");
    return *levels_[size_ - 1];
  }
  /// A workspace without a parent: a new one, or one that was taken off, with what it held.
  workspace<B>& push() {
    if (size_ == levels_.size()) levels_.push_back(std::make_unique<workspace<B>>());
    return *levels_[size_++];
  }
  /// Takes off the top one, which stays as it is until the next push. The stack must not be empty.
  workspace<B>& pop() {
    PLAIT_ASSERT(size_ != 0, "workspace_stack: nothing is on it");
    return *levels_[--size_];
  }
  void clear() noexcept { size_ = 0; }

 private:
  std::vector<std::unique_ptr<workspace<B>>> levels_;
  std::size_t size_ = 0;
};

}  // namespace plait
