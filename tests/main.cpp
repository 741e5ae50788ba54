// Both macros: the second implies the first only where doctest.h has not been read before, as a precompiled header has.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
