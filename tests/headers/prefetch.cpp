// Compiled to assembly by prefetch.cmake, which looks for the instructions.
#include <plait/core/detail/prefetch.hpp>

void read_ahead(int const* from);
void write_ahead(int* line);

// TRAP: not inlined, as GCC would drop the call of a function that it takes for pure.
[[gnu::noinline]] static void only_prefetch(int const* from) { plait::detail::prefetch(from, 64); }

void read_ahead(int const* from) { only_prefetch(from); }
void write_ahead(int* line) { plait::detail::prefetch_to_write(line); }
