// Error raising with and without exceptions: raise(error) throws it, or in a build without exceptions passes it to a
// failure handler.
//
// With exceptions raise(e) is `throw e`. With -fno-exceptions it calls the failure handler, which must not return: it
// ends the process, the thread or, by longjmp, the call. By default it writes error.what() to stderr and calls
// std::abort; only in this build does plait end its host's process. -fno-rtti changes nothing in either.
//
// Further consequences of -fno-exceptions: no destructors run on a longjmp, so that memory of the call leaks and the
// objects it was modifying are no longer usable; memory exhaustion fails in operator new; and a failure of a user's
// hook goes to the handler at once, so that options that skip such failures (ssa_options::skip_unreadable) have no
// effect.
//
// TRAP: both builds give the same names to different functions (ODR). Compile all of a program that includes plait with
// the same setting.
#pragma once

#include <exception>
#include <type_traits>

#if !defined(__cpp_exceptions)
#include <atomic>
#include <cstdio>
#include <cstdlib>
#endif

#include <plait/core/detail/cxx20.hpp>

namespace plait {

#if defined(__cpp_exceptions)

/// Throws the error.
template <class Error>
[[noreturn]] void raise(Error const& error) {
  static_assert(std::is_base_of_v<std::exception, Error>, "plait: errors derive from std::exception");
  throw error;
}

namespace detail {
/// Calls `action`; if that throws an Error, calls `recover` with it and returns what that returns.
template <class Error, class Action, class Recover>
constexpr auto attempt(Action&& action, Recover&& recover) -> decltype(action()) {
  try {
    return action();
  } catch (Error const& error) {
    return recover(error);
  }
}
}  // namespace detail

#else

/// Receives the argument of raise(); must not return.
using failure_handler = void (*)(std::exception const& error);

namespace detail {
inline std::atomic<failure_handler> installed_failure_handler{nullptr};

[[noreturn]] inline void fail(std::exception const& error) {
  if (failure_handler const handler = installed_failure_handler.load())
    handler(error);
  else
    std::fprintf(stderr, "%s\n", error.what());
  std::abort();
}

template <class Error, class Action, class Recover>
constexpr auto attempt(Action&& action, Recover&&) -> decltype(action()) {
  return action();
}
}  // namespace detail

/// Installs the handler of all threads and returns the previous one. Null selects the default. std::abort follows a
/// handler that returns.
inline failure_handler set_failure_handler(failure_handler handler) noexcept {
  return detail::installed_failure_handler.exchange(handler);
}

/// Calls the failure handler.
template <class Error>
[[noreturn]] void raise(Error const& error) {
  static_assert(std::is_base_of_v<std::exception, Error>, "plait: errors derive from std::exception");
  detail::fail(error);
}

#endif

}  // namespace plait
