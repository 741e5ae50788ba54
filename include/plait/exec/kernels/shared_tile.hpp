// Tiles of kernels that know nothing of their backend: compiled once for all host backends of a program, since only a
// pointer to the loop reaches what depends on the backend.
#pragma once

#include <cstddef>

#include <plait/exec/kernels/for_each.hpp>

namespace plait {

namespace detail {

template <class Loop>
void run_tile(void const* loop, std::size_t first, std::size_t last) {
  vectorized(*static_cast<Loop const*>(loop), first, last);
}

struct tile_reference {
  void const* loop;
  void (*run)(void const*, std::size_t, std::size_t);
  void operator()(std::size_t first, std::size_t last) const { run(loop, first, last); }
};

}  // namespace detail

/// for_each_tile, with one instance of the loop for all backends. It saves nothing where the type of the loop depends
/// on the backend, as that of a lambda in a template does.
template <backend B, class Loop>
  requires(!B::on_device)
void for_each_shared_tile(std::size_t count, std::size_t width, Loop const& loop) {
  if (count <= width || B::concurrency() == 1) {
    if (count != 0) detail::run_tile<Loop>(&loop, 0, count);
    return;
  }
  for_each_tile<B>(count, width, detail::tile_reference{&loop, &detail::run_tile<Loop>});
}

}  // namespace plait
