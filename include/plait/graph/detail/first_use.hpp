// What an object makes of its other members when it is first asked for it, by whichever thread.
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

#include <plait/core/assert.hpp>

namespace plait::detail {

/// A T that is made once. To ask is const and may be done by several threads at once: one makes it, the others wait.
/// Once it is made, asking costs a load and a branch that is always foreseen. The T is on the heap, as gcc 12 has no
/// mutable members of constants in constant expressions.
template <class T>
class first_use {
 public:
  constexpr first_use() = default;
  // A copy begins anew: another thread may be making the original's just now.
  constexpr first_use(first_use const& other) {
    if (other.held_ != nullptr) expect();
  }
  constexpr first_use(first_use&& other) noexcept { swap(other); }
  constexpr first_use& operator=(first_use other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~first_use() { delete held_; }

  /// The next to ask makes it, again if it was made. No other thread may use the object meanwhile.
  constexpr void expect() {
    if (held_ == nullptr) held_ = new holder;
    held_->made_in_constant = false;
    if (!std::is_constant_evaluated()) made_.store(nullptr, std::memory_order_relaxed);
  }

  /// After expect(). make(T&) is called if it has not been, or has thrown; it is given what was made before the last
  /// expect(), whose memory it may keep.
  template <class Make>
  constexpr T const& operator()(Make make) const {
    if (std::is_constant_evaluated()) {
      if (!held_->made_in_constant) make(held_->value);
      held_->made_in_constant = true;
      return held_->value;
    }
    T const* const made = made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_or_wait(make);
  }

 private:
  struct holder {
    T value{};
    std::atomic_flag in_work;
    bool made_in_constant = false;  // atomics are not for constant expressions
  };

  class turn {
   public:
    explicit turn(std::atomic_flag& in_work) : in_work_(in_work) {
      while (in_work_.test_and_set(std::memory_order_acquire)) in_work_.wait(true, std::memory_order_relaxed);
    }
    ~turn() {
      in_work_.clear(std::memory_order_release);
      in_work_.notify_one();
    }
    turn(turn const&) = delete;
    turn& operator=(turn const&) = delete;

   private:
    std::atomic_flag& in_work_;
  };

  template <class Make>
  [[gnu::noinline, gnu::cold]] T const& make_or_wait(Make& make) const {
    PLAIT_ASSERT(held_ != nullptr, "first_use: not expected");
    turn const mine(held_->in_work);
    if (made_.load(std::memory_order_relaxed) == nullptr) {
      make(held_->value);
      made_.store(&held_->value, std::memory_order_release);
    }
    return held_->value;
  }
  constexpr void swap(first_use& other) noexcept {
    std::swap(held_, other.held_);
    if (std::is_constant_evaluated()) return;
    T const* const made = made_.load(std::memory_order_relaxed);
    made_.store(other.made_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    other.made_.store(made, std::memory_order_relaxed);
  }

  holder* held_ = nullptr;
  mutable std::atomic<T const*> made_ = nullptr;
};

}  // namespace plait::detail
