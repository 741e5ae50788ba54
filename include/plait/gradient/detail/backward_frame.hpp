// Explicit stack of backward passes: a pass suspends until the passes over its nested nets are done, without recursion.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// A suspendable backward pass (coroutine-like).
class backward_frame {
 public:
  using frames = std::vector<std::unique_ptr<backward_frame>>;

  backward_frame() = default;
  backward_frame(backward_frame const&) = delete;
  backward_frame& operator=(backward_frame const&) = delete;
  virtual ~backward_frame() = default;

  /// Resumes the pass. Returns the frames that must run before it can go on, or none when it is done. `done`: the
  /// frames it returned last, all done.
  virtual frames advance(frames done) = 0;
};

/// Runs a frame and all frames that it requests, depth first. Nesting costs heap memory, not call stack.
inline void run_frames(backward_frame& root) {
  struct level {
    backward_frame* frame;
    backward_frame::frames inner;
    std::size_t next;
  };
  std::deque<level> levels;
  levels.push_back({&root, root.advance({}), 0});
  while (!levels.empty()) {
    level& top = levels.back();
    if (top.next != top.inner.size()) {
      backward_frame& frame = *top.inner[top.next++];
      levels.push_back({&frame, frame.advance({}), 0});
    } else if (top.inner.empty()) {
      levels.pop_back();
    } else {
      top.inner = top.frame->advance(std::move(top.inner));
      top.next = 0;
    }
  }
}

}  // namespace plait
