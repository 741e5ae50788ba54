// Skipping of test cases, or of the rest of one, that need features which this machine lacks. The program lists the
// skips, and ctest reports its test as skipped, unless something failed.
//
//   if (!plait::detail::has_amx()) return test::skip("the processor has no AMX");
#pragma once

#include <string>

namespace test {

/// Exit code of a program with skips and without failures; CMakeLists.txt passes it to ctest.
inline constexpr int skip_code = 77;

/// Records a skip in the running test case. Call it in the thread that runs the test case.
void skip(std::string const& reason);

}  // namespace test
