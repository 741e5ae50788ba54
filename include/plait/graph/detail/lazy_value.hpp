// Thread-safe lazy initialisation of a member, usable in constant expressions.
#pragma once

#include <type_traits>
#include <utility>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// A lazily computed T. Access is const and safe from several threads: the first thread's result is kept; threads that
/// access it before it is done compute their own, of which one is kept, too. Later accesses cost a load and a
/// well-predicted branch. The T is on the heap, as gcc 12 does not allow mutable members of constants in constant
/// expressions. Uses the compiler's atomic builtins, as <atomic> would cost each includer 0.1 s.
template <class T>
class lazy_value {
 public:
  constexpr lazy_value() = default;
  // A copy starts uncomputed: another thread may be computing the original's value right now.
  constexpr lazy_value(lazy_value const& other) {
    if (other.held_ != nullptr) invalidate();
  }
  constexpr lazy_value(lazy_value&& other) noexcept { swap(other); }
  constexpr lazy_value& operator=(lazy_value other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~lazy_value() { delete held_; }

  /// Invalidates the value: the next access computes it again. No other thread may use the object meanwhile.
  constexpr void invalidate() {
    if (held_ == nullptr) held_ = new holder;
    held_->taken = false;
    held_->made_beside.reset();
    if (!std::is_constant_evaluated()) made_ = nullptr;
  }

  /// Returns the value; calls make(T&) first if it has not been computed, or make has thrown. make gets the value from
  /// before the last invalidate(), whose memory it may reuse, or a new T while another thread is computing. Before the
  /// first invalidate(), returns a T{}.
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
    bool taken = false;  // a thread is computing, or has computed, the value
    owned made_beside;
  };

  // Releases `taken` unless the value was computed.
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
