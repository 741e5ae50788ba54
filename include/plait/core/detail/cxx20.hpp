// C++20 check: rejects older language standards with one message. All headers include this one, most of them
// indirectly.
#pragma once

#if __cplusplus < 202002L
#error "plait needs C++20: compile with -std=c++20 or a later standard"
// No such header exists: compilers continue after an #error, but not after a missing header, and would reject every
// line that follows.
#include <plait/needs/cxx20>
#endif
