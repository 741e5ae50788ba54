// expect: plait needs C++20: compile with -std=c++20 or a later standard
// standard: c++17
// errors: 2
#include <plait/core/detail/npos.hpp>
