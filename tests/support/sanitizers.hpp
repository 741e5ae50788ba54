// Constants for the sanitizers that the tests are compiled with.
#pragma once

#if !defined(__has_feature)  // clang's; GCC has macros
#define __has_feature(name) 0
#endif

namespace test {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool sanitizes_addresses = true;
#else
inline constexpr bool sanitizes_addresses = false;
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool sanitizes_threads = true;
#else
inline constexpr bool sanitizes_threads = false;
#endif

}  // namespace test
