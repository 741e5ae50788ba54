// Backward passes that wait for those of the nets inside their ops: a stack of frames instead of recursion.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// A backward pass under way.
class backward_frame {
 public:
  using frames = std::vector<std::unique_ptr<backward_frame>>;

  backward_frame() = default;
  backward_frame(backward_frame const&) = delete;
  backward_frame& operator=(backward_frame const&) = delete;
  virtual ~backward_frame() = default;

  /// Goes on until it is done, which is when it returns no frames, or until others must run first: these. `done` are
  /// those it asked for last, run to their end.
  virtual frames advance(frames done) = 0;
};

/// Runs a frame and all that it asks for. Depth of nesting costs memory, not stack.
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
