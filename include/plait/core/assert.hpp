// Precondition checks: PLAIT_ASSERT reports mistakes of the calling program, as opposed to bad input.
//
// PLAIT_ASSERT(condition, "what must hold") is checked unless NDEBUG is defined; PLAIT_CHECKED keeps it enabled in
// release builds (as in the tests). Define PLAIT_ASSERT before the first include to replace it. The default raises
// plait::precondition_error: a library must not end its host's process.
#pragma once

#include <stdexcept>
#include <string>

#include <plait/core/detail/cxx20.hpp>
#include <plait/core/detail/raise.hpp>

namespace plait {

/// A violated precondition, that is, a bug in the calling program. Leaves objects in an unspecified state.
struct precondition_error : std::logic_error {
  using std::logic_error::logic_error;
};

namespace detail {
// Out of line so that an assertion costs its caller a compare and a cold call.
[[noreturn]] inline void assertion_failed(char const* text) { raise(precondition_error(text)); }
[[noreturn]] inline void assertion_failed(char const* text, std::string const& facts) {
  raise(precondition_error(text + (": " + facts)));
}
}  // namespace detail

}  // namespace plait

#define PLAIT_DETAIL_STRING_(x) #x
#define PLAIT_DETAIL_STRING(x) PLAIT_DETAIL_STRING_(x)

#if defined(NDEBUG) && !defined(PLAIT_CHECKED)
#define PLAIT_DETAIL_CHECKED false
#else
#define PLAIT_DETAIL_CHECKED true
#endif

// PLAIT_DETAIL_ASSERT(condition, "what must hold", facts) evaluates the string `facts` only if the condition fails. A
// user-defined PLAIT_ASSERT does not get the facts.
#ifdef PLAIT_ASSERT
#define PLAIT_DETAIL_ASSERT(condition, message, facts) PLAIT_ASSERT(condition, message)
#elif defined(NDEBUG) && !defined(PLAIT_CHECKED)
#define PLAIT_ASSERT(condition, message) static_cast<void>(0)
#define PLAIT_DETAIL_ASSERT(condition, message, facts) static_cast<void>(0)
#else
#define PLAIT_ASSERT(condition, message) \
  ((condition) ? static_cast<void>(0)    \
               : ::plait::detail::assertion_failed(__FILE__ ":" PLAIT_DETAIL_STRING(__LINE__) ": " message))
#define PLAIT_DETAIL_ASSERT(condition, message, facts) \
  ((condition) ? static_cast<void>(0)                  \
               : ::plait::detail::assertion_failed(__FILE__ ":" PLAIT_DETAIL_STRING(__LINE__) ": " message, facts))
#endif
