// Heap-allocated optional: 8 bytes when empty, with value semantics.
#pragma once

#include <memory>
#include <utility>

#include <plait/core/assert.hpp>

namespace plait {

/// Like std::optional<T>, but small when empty and usable while T is incomplete, so that a type can contain a box of
/// itself. Copies are deep.
template <class T>
class box {
 public:
  box() = default;
  box(T value) : held_(std::make_unique<T>(std::move(value))) {}
  box(box&&) noexcept = default;
  box(box const& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  box& operator=(box other) noexcept {
    held_.swap(other.held_);
    return *this;
  }
  ~box() = default;

  explicit operator bool() const noexcept { return held_ != nullptr; }
  bool has_value() const noexcept { return held_ != nullptr; }
  T& operator*() { return checked(); }
  T const& operator*() const { return checked(); }
  T* operator->() { return &checked(); }
  T const* operator->() const { return &checked(); }

  T& emplace() {
    held_ = std::make_unique<T>();
    return *held_;
  }
  void reset() noexcept { held_.reset(); }

 private:
  T& checked() const {
    PLAIT_ASSERT(held_ != nullptr, "box: empty");
    return *held_;
  }
  std::unique_ptr<T> held_;
};

}  // namespace plait
