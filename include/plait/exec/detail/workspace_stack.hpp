// Stack of the workspaces of Do ops, whose gradients read what was computed in them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/assert.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

/// Object that CreateScope creates. Popped workspaces stay, with their memory, until push() reuses them.
template <backend B>
class workspace_stack : public blob_object {
 public:
  std::string_view kind() const override { return "stack of workspaces"; }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// Returns the top workspace. Precondition: not empty.
  workspace<B>& top() { return last().blobs; }
  /// Pushes a workspace without a parent: a popped one, with its contents, or a new one.
  workspace<B>& push() {
    if (size_ == levels_.size()) levels_.push_back(std::make_unique<level>());
    ++size_;
    for (auto& [name, is_copy] : last().copies) is_copy = false;
    return last().blobs;
  }
  /// Pops the top workspace, which does not change until the next push. Precondition: not empty.
  workspace<B>& pop() {
    workspace<B>& taken = last().blobs;
    --size_;
    return taken;
  }
  /// Undoes the last pop.
  void put_back() noexcept { ++size_; }
  void clear() noexcept { size_ = 0; }

  /// Records, for the gradient of a Do, if a blob of the top workspace is a copy of a blob outside. Other Do ops that
  /// run in the workspace may leave blobs of the same name.
  void set_copy(std::string const& name, bool is_copy) {
    auto& copies = last().copies;
    if (auto const known = copies.find(name); known != copies.end())
      known->second = is_copy;
    else if (is_copy)
      copies.emplace(name, true);
  }
  bool holds_copy(std::string const& name) {
    auto const known = last().copies.find(name);
    return known != last().copies.end() && known->second;
  }

 private:
  struct level {
    workspace<B> blobs;
    boost::unordered_flat_map<std::string, bool> copies;  // names stay, so repeated runs do not allocate
  };

  level& last() {
    PLAIT_ASSERT(size_ != 0, "workspace_stack: nothing is on it");
    return *levels_[size_ - 1];
  }

  std::vector<std::unique_ptr<level>> levels_;
  std::size_t size_ = 0;
};

}  // namespace plait
