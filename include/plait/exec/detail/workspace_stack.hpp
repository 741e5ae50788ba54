// The workspaces that a Do op leaves behind, for its gradient to find what was computed in them.
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

/// What CreateScope makes. Workspaces that were taken off stay, with their memory, until they are needed again.
template <backend B>
class workspace_stack : public blob_object {
 public:
  std::string_view kind() const override { return "stack of workspaces"; }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// The stack must not be empty.
  workspace<B>& top() { return last().blobs; }
  /// A workspace without a parent: a new one, or one that was taken off, with what it held.
  workspace<B>& push() {
    if (size_ == levels_.size()) levels_.push_back(std::make_unique<level>());
    ++size_;
    for (auto& [name, is_copy] : last().copies) is_copy = false;
    return last().blobs;
  }
  /// Takes off the top one, which stays as it is until the next push. The stack must not be empty.
  workspace<B>& pop() {
    workspace<B>& taken = last().blobs;
    --size_;
    return taken;
  }
  /// Undoes the last pop.
  void put_back() noexcept { ++size_; }
  void clear() noexcept { size_ = 0; }

  /// Says of a blob of the top one whether it is a copy of what a Do found outside, for the gradient of this Do. Other
  /// Do ops that run in the workspace may leave blobs of the same name.
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
    boost::unordered_flat_map<std::string, bool> copies;  // names stay: runs that repeat allocate nothing
  };

  level& last() {
    PLAIT_ASSERT(size_ != 0, "workspace_stack: nothing is on it");
    return *levels_[size_ - 1];
  }

  std::vector<std::unique_ptr<level>> levels_;
  std::size_t size_ = 0;
};

}  // namespace plait
