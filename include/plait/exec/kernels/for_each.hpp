// Parallel loops of kernels, over indices or over rows, with the same source for every backend.
//
// On the host, Thrust or the backend distributes tiles, and each tile is one unit-stride loop, compiled for the widest
// vectors available (instruction_sets.hpp); Thrust per element would take 4 to 6 times as long. On devices each index
// is a thread. Results depend neither on order nor on the number of threads, so all host backends compute the same
// bits.
//
// Functions are copied into the kernel: they capture pointers and numbers by value, are marked PLAIT_HOST_DEVICE, and
// do not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>
#include <plait/exec/detail/kernels/tsan_annotations.hpp>
#include <plait/exec/detail/skipped_parts.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Elements per tile: enough work to amortise waking up a thread, and few enough to stay in its cache.
inline constexpr std::size_t tile_size = 16'384;

namespace detail {

template <class F>
struct tile_loop {
  F f;
  void operator()(std::size_t first, std::size_t last) const {
    F const own = f;  // a local copy: otherwise captures are reloaded after each write
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) {
      PLAIT_INLINE_CALL own(i);
    }
  }
};

template <class F>
struct row_loop {
  F f;
  void operator()(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      PLAIT_INLINE_CALL f(i);
    }
  }
};

template <class Loop>
void run_tile(void const* loop, std::size_t first, std::size_t last) {
  vectorized(*static_cast<Loop const*>(loop), first, last);
}

// Task of one tile. It type-erases the loop, so that the backend's algorithm is instantiated once per backend, and a
// loop that does not depend on the backend once for all backends.
struct tile_task {
  void const* loop;
  void (*run)(void const*, std::size_t, std::size_t);
  std::size_t count;
  std::size_t width;
  void operator()(std::size_t tile) const { run(loop, tile * width, std::min(count, (tile + 1) * width)); }
};

template <class B, class F>
void call_for_each(std::size_t count, F const& f) {
  if constexpr (has_loops<B>)
    B::for_each_index(count, f);
  else
    thrust::for_each_n(B::policy(), thrust::counting_iterator<std::size_t>(0), count, f);
}

template <class B, class F>
void call_for_parts(std::size_t count, F const& f) {
  annotated_loop<F> shared(f);
  call_for_each<B>(count, shared.part());
}

}  // namespace detail

/// Calls f(i) for each of `count` chunks of work, on host backends. In a recurrence oneTBB's threads spin between such
/// loops (spinning_pool.hpp). Runs all chunks even if an enclosing task group is cancelled.
template <backend B, class F>
  requires(!B::on_device)
void for_each_part(std::size_t count, F const& f) {
  if constexpr (detail::has_tasks<B>) {
    if (detail::spinning_pool<B>::run(count, f)) return;
    // Each call takes the next chunk, not that of its index, so that chunks whose calls are skipped are left for the
    // end. Throwing instead would leave overwritten operands in an invalid state.
    alignas(64) std::atomic<std::size_t> next = 0;
    detail::call_for_parts<B>(count, [&](std::size_t) { f(next.fetch_add(1, std::memory_order_relaxed)); });
    for (std::size_t part = next; part < count; ++part) {
      f(part);
      detail::parts_were_skipped = true;
    }
  } else {
    detail::call_for_parts<B>(count, f);
  }
}

/// Calls loop(first, last) for tiles of `width` that cover [0, count), on host backends; with one thread, one tile.
template <backend B, class Loop>
  requires(!B::on_device)
void for_each_tile(std::size_t count, std::size_t width, Loop const& loop) {
  if (count <= width || detail::threads_here<B>() == 1) {  // without the overhead of Thrust
    if (count != 0) detail::run_tile<Loop>(&loop, 0, count);
    return;
  }
  for_each_part<B>((count + width - 1) / width, detail::tile_task{&loop, &detail::run_tile<Loop>, count, width});
}

/// Calls f(i) for each i below `count`. The calls must be independent.
template <backend B, class F>
void for_each_index(std::size_t count, F const& f) {
  if constexpr (B::on_device) {
    if (count != 0) detail::call_for_each<B>(count, f);
  } else {
    for_each_tile<B>(count, tile_size, detail::tile_loop<F>{f});
  }
}

/// Calls f(row) for each row below `rows`, of about `row_cost` elements' work each. f contains the loops over a row.
template <backend B, class F>
void for_each_row(std::size_t rows, std::size_t row_cost, F const& f) {
  if constexpr (B::on_device) {
    if (rows != 0) detail::call_for_each<B>(rows, f);
  } else {
    std::size_t const width = std::max<std::size_t>(1, tile_size / std::max<std::size_t>(1, row_cost));
    for_each_tile<B>(rows, width, detail::row_loop<F>{f});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
