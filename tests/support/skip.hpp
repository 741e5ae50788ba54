// Skips a test case, or the rest of one, that needs what this machine lacks. The program lists what was skipped, and
// ctest reports its test as skipped, unless something failed.
//
//   if (!plait::detail::has_amx()) return test::skip("the processor has no AMX");
#pragma once

#include <string>

namespace test {

/// Exit code of a program in which nothing failed and something was skipped; CMakeLists.txt tells it to ctest.
inline constexpr int skip_code = 77;

/// Records that the running test case leaves something out. Call it in the thread that runs the test case.
void skip(std::string const& reason);

}  // namespace test
