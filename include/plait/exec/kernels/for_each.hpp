// The two ways a kernel is written: what happens at an index, or in a row; the same text runs on every backend.
//
// On the host, indices go to Thrust by tile and each tile is one unit-stride loop, compiled for the widest vectors
// there are (instruction_sets.hpp); per element Thrust would cost 4 to 6 times as much. On devices each index is a
// thread. Neither order nor the number of threads enters a result, so all host backends compute the same bits.
//
// Functions are copied into the kernel: capture pointers and numbers by value, mark lambdas PLAIT_HOST_DEVICE, and do
// not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/hand_over.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/standing_team.hpp>
#include <plait/exec/detail/run_cancelled.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Elements of a tile: work enough to be worth a thread's waking up, and little enough to stay in its cache.
inline constexpr std::size_t tile_size = 16'384;

namespace detail {

template <class F>
struct tile_loop {
  F f;
  void operator()(std::size_t first, std::size_t last) const {
    F const own = f;  // what f holds would have to be read again after each write
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

// What one thread does: a tile. Of the loop it has a pointer only, so that Thrust's machinery is compiled once for a
// backend, and a loop that knows nothing of its backend once for all of them.
struct tile_task {
  void const* loop;
  void (*run)(void const*, std::size_t, std::size_t);
  std::size_t count;
  std::size_t width;
  void operator()(std::size_t tile) const { run(loop, tile * width, std::min(count, (tile + 1) * width)); }
};

template <class B, class F>
void call_for_parts(std::size_t count, F const& f) {
  loop_hand_over<F> shared(f);
  thrust::for_each_n(B::policy(), thrust::counting_iterator<std::size_t>(0), count, shared.part());
}

}  // namespace detail

/// f(part) for each of `count` parts, on host backends: work that is divided already. In a recurrence oneTBB's threads
/// stand by for it (standing_team.hpp). All are done, too, where a task group around is cancelled.
template <backend B, class F>
  requires(!B::on_device)
void for_each_part(std::size_t count, F const& f) {
  if constexpr (detail::has_tasks<B>) {
    if (detail::standing_team<B>::run(count, f)) return;
    // A call takes the next part, not the one that it was made for: what calls are skipped for is left at the end. An
    // op that had thrown there would have spoilt what it overwrites.
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

/// loop(first, last) for tiles of `width` that make up [0, count), on host backends; one for all with one thread.
template <backend B, class Loop>
  requires(!B::on_device)
void for_each_tile(std::size_t count, std::size_t width, Loop const& loop) {
  if (count <= width || detail::threads_here<B>() == 1) {  // not even Thrust's own overhead
    if (count != 0) detail::run_tile<Loop>(&loop, 0, count);
    return;
  }
  for_each_part<B>((count + width - 1) / width, detail::tile_task{&loop, &detail::run_tile<Loop>, count, width});
}

/// f(i) for each i below `count`, whose effects are independent of each other.
template <backend B, class F>
void for_each_index(std::size_t count, F const& f) {
  if constexpr (B::on_device) {
    if (count != 0) thrust::for_each_n(B::policy(), thrust::counting_iterator<std::size_t>(0), count, f);
  } else {
    for_each_tile<B>(count, tile_size, detail::tile_loop<F>{f});
  }
}

/// f(row) for each row below `rows`, of about `row_cost` elements' work each. f has the row's loops in it.
template <backend B, class F>
void for_each_row(std::size_t rows, std::size_t row_cost, F const& f) {
  if constexpr (B::on_device) {
    if (rows != 0) thrust::for_each_n(B::policy(), thrust::counting_iterator<std::size_t>(0), rows, f);
  } else {
    std::size_t const width = std::max<std::size_t>(1, tile_size / std::max<std::size_t>(1, row_cost));
    for_each_tile<B>(rows, width, detail::row_loop<F>{f});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
