// What an object makes of its other members when it is first asked for it, by whichever thread.
#pragma once

#include <type_traits>
#include <utility>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// A T that is made when it is first asked for. To ask is const and may be done by several threads at once: the first
/// one's is kept; others that ask before it is done make theirs, of which one is kept too. Afterwards asking costs a
/// load and a branch that is always foreseen. The T is on the heap, as gcc 12 has no mutable members of constants in
/// constant expressions. The compiler's own atomic operations, as each includer would read <atomic> for 0.1 s.
template <class T>
class lazy_value {
 public:
  constexpr lazy_value() = default;
  // A copy begins anew: another thread may be making the original's just now.
  constexpr lazy_value(lazy_value const& other) {
    if (other.held_ != nullptr) invalidate();
  }
  constexpr lazy_value(lazy_value&& other) noexcept { swap(other); }
  constexpr lazy_value& operator=(lazy_value other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~lazy_value() { delete held_; }

  /// The next to ask makes it, again if it was made. No other thread may use the object meanwhile.
  constexpr void invalidate() {
    if (held_ == nullptr) held_ = new holder;
    held_->taken = false;
    held_->made_beside.reset();
    if (!std::is_constant_evaluated()) made_ = nullptr;
  }

  /// make(T&) is called if it has not been, or has thrown; it is given what was made before the last invalidate(),
  /// whose memory it may keep, or a new T where another thread is at that. Before the first invalidate(), a T{} is all
  /// there is.
  template <class Make>
  constexpr T const& operator()(Make make) const {
    if (std::is_constant_evaluated()) {
      if (!held_->taken) make(held_->value);
      held_->taken = true;
      return held_->value;
    }
    T const* const made = __atomic_load_n(&made_, __ATOMIC_ACQUIRE);
    return made != nullptr ? *made : make_now(make);
  }

 private:
  struct owned {
    T* it = nullptr;
    constexpr explicit owned(T* made = nullptr) : it(made) {}
    owned(owned const&) = delete;
    owned& operator=(owned const&) = delete;
    constexpr ~owned() { delete it; }
    constexpr void reset() { delete std::exchange(it, nullptr); }
  };
  struct holder {
    T value{};
    bool taken = false;  // by who makes it, or has made it
    owned made_beside;
  };

  // Gives back what was taken, unless it was made.
  struct turn {
    bool& taken;
    bool done = false;
    explicit turn(bool& at) : taken(at) {}
    turn(turn const&) = delete;
    turn& operator=(turn const&) = delete;
    ~turn() {
      if (!done) __atomic_clear(&taken, __ATOMIC_RELEASE);
    }
  };

  template <class Make>
  [[gnu::noinline, gnu::cold]] T const& make_now(Make& make) const {
    if (held_ == nullptr) {
      static T const nothing{};
      return nothing;
    }
    if (__atomic_test_and_set(&held_->taken, __ATOMIC_ACQUIRE)) return make_beside(make);
    turn mine(held_->taken);
    make(held_->value);
    mine.done = true;
    __atomic_store_n(&made_, &held_->value, __ATOMIC_RELEASE);
    return held_->value;
  }
  template <class Make>
  T const& make_beside(Make& make) const {
    owned own(new T());
    make(*own.it);
    T* kept = nullptr;
    if (__atomic_compare_exchange_n(&held_->made_beside.it, &kept, own.it, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return *std::exchange(own.it, nullptr);
    return *kept;
  }
  constexpr void swap(lazy_value& other) noexcept {
    std::swap(held_, other.held_);
    if (!std::is_constant_evaluated()) std::swap(made_, other.made_);
  }

  holder* held_ = nullptr;
  mutable T const* made_ = nullptr;
};

}  // namespace plait::detail
