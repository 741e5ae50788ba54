// Happens-before annotations for ThreadSanitizer: a loop that oneTBB or OpenMP distributes to threads sees all writes
// before it, and the code after it sees the loop's. The libraries are not instrumented, so the sanitizer cannot infer
// this order.
#pragma once

#include <cstddef>

#include <plait/core/detail/cxx20.hpp>

#if defined(__SANITIZE_THREAD__)
#define PLAIT_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PLAIT_THREAD_SANITIZER 1
#endif
#endif
#if !defined(PLAIT_THREAD_SANITIZER)
#define PLAIT_THREAD_SANITIZER 0
#endif

#if PLAIT_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace plait::detail {

#if PLAIT_THREAD_SANITIZER
/// Annotates a loop over f, from before it until all of it is done: pass part() to the loop in place of f.
template <class F>
class annotated_loop {
 public:
  explicit annotated_loop(F const& f) : f_(&f) { __tsan_release(&begun_); }
  annotated_loop(annotated_loop const&) = delete;
  annotated_loop& operator=(annotated_loop const&) = delete;
  ~annotated_loop() { __tsan_acquire(&done_); }

  auto part() {
    struct call {
      annotated_loop* loop;
      // Not instrumented: this is a copy that the library made and passed on.
      __attribute__((no_sanitize("thread"))) void operator()(std::size_t part) const { loop->run(part); }
    };
    return call{this};
  }

 private:
  __attribute__((no_sanitize("thread"))) void run(std::size_t part) {
    __tsan_acquire(&begun_);
    (*f_)(part);
    __tsan_release(&done_);
  }

  F const* f_;
  // Addresses at which threads synchronise. The sanitizer does not distinguish addresses within eight bytes; calls of f
  // must not synchronise with each other.
  alignas(8) char begun_ = 0;
  alignas(8) char done_ = 0;
};
#else
template <class F>
class annotated_loop {
 public:
  explicit annotated_loop(F const& f) : f_(&f) {}
  F const& part() const { return *f_; }

 private:
  F const* f_;
};
#endif

}  // namespace plait::detail
