// Refuses compilers that do not compile C++20, with one message. All headers include this one, most of them through
// others.
#pragma once

#if __cplusplus < 202002L
#error "plait needs C++20: compile with -std=c++20 or a later standard"
// No such header: compilers go on after an #error, but not after this, and would refuse every line that follows.
#include <plait/needs/cxx20>
#endif
