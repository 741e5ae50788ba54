// Counter of heap allocations. Only in programs that link counted_new.cpp.
#pragma once

#include <cstddef>

namespace test {

/// Returns the number of calls of operator new so far, in all threads.
std::size_t news();

/// Returns the number of calls of operator new that f makes.
template <class F>
std::size_t count_news(F const& f) {
  std::size_t const before = news();
  f();
  return news() - before;
}

}  // namespace test
