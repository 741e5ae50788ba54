// How often a program asks the system for memory. Only in programs that link counted_new.cpp.
#pragma once

#include <cstddef>

namespace test {

/// Calls of operator new so far, in all threads.
std::size_t news();

/// How many of them f makes.
template <class F>
std::size_t count_news(F const& f) {
  std::size_t const before = news();
  f();
  return news() - before;
}

}  // namespace test
