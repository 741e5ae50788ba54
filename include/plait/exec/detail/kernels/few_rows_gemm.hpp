// GEMM of few rows with a packed matrix, as recurrences need it at each time step.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_runs.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>
#include <plait/exec/detail/kernels/loop_balance.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>

namespace plait::detail {

/// Multiplies the rows of one tile, read in place and not multiplied by alpha, with panels `first` to `last`,
/// exclusive, of the packed matrix at `packed`, in this thread. Of the pointers of p, it only tests whether `from` is
/// null.
template <class T>
void multiply_few_rows(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, gemm_rows<T> const& operands,
                       T const* packed, std::ptrdiff_t first, std::ptrdiff_t last, bool backwards) {
  std::ptrdiff_t const width = kernel.width;
  gemm_panels<T> b{packed, width, width * p.k, kernel.panels(p.n), p.n};
  gemm_tile<T> t;
  t.a_step = p.a_column;
  t.a_row = p.a_row;
  t.b_row = width;
  t.b_panel = b.panel;
  t.c_row = p.c_row;
  t.from_row = p.from == nullptr ? p.c_row : p.from_row;
  t.beta = p.beta;
  t.more_row = p.more_row;
  t.relu = p.relu;
  t.ahead_step = width * std::ptrdiff_t(sizeof(T));
  if (p.k <= kernel.block) {  // the loops below take a sixth of the time of the smallest products
    t.k = p.k;
    return multiply_in_turn(kernel, t, operands, b, first, last, backwards);
  }
  // Processes all blocks of k of some panels, in memory order, then the next panels; never a single one at the end,
  // which takes as long as two.
  std::ptrdiff_t const step = kernel.wide_panels[static_cast<std::size_t>(p.m)];
  for (std::ptrdiff_t left = last - first, size; left != 0; left -= size) {
    size = left == step + 1 ? left : std::min(left, step);
    std::ptrdiff_t const begin = backwards ? first + left - size : last - left;
    std::ptrdiff_t const end = begin + size;
    gemm_rows<T> rows{operands.count, operands.a, operands.c, operands.from, nullptr};
    t.from_row = p.from == nullptr ? p.c_row : p.from_row;
    t.beta = p.beta;
    for (std::ptrdiff_t k = 0; k < p.k;) {
      std::ptrdiff_t const packed_end = std::min(k + packed_depth, p.k);
      for (std::ptrdiff_t const depth = block_depth(packed_end - k, kernel.block); k < packed_end; k += t.k) {
        t.k = std::min(depth, packed_end - k);
        rows.a = operands.a + k * p.a_column;
        t.relu = p.relu && k + t.k == p.k;
        if (k + t.k == p.k) rows.more = operands.more;
        b.data = packed + k * width;
        multiply_in_turn(kernel, t, rows, b, begin, end, backwards);
        rows.from = operands.c;
        t.from_row = p.c_row;
        t.beta = T(1);
      }
    }
  }
}

/// A parallel product without its operands, which is the same at each time step of a recurrence. It is kept, so that
/// the other threads have it in their caches: setting it up again and transferring it takes 3 % of a row by 128 by 512
/// elements, and 10 % where a message takes half a microsecond.
template <class T>
struct few_rows_task {
  gemm_problem<T> p = {};
  gemm_kernel<T> const* kernel = nullptr;
  T const* packed = nullptr;
  std::ptrdiff_t threads = 0;
  bool backwards = false;
  std::ptrdiff_t unit = 0;  ///< panels, the granularity of chunks
  std::ptrdiff_t own = 0;   ///< units of the first chunk
  even_parts others;        ///< chunks of the remaining units

  bool is_for(gemm_kernel<T> const& k, gemm_problem<T> const& q, T const* b, std::ptrdiff_t n, bool back) const {
    return kernel == &k && packed == b && threads == n && backwards == back && p.m == q.m && p.n == q.n && p.k == q.k &&
           p.a_row == q.a_row && p.a_column == q.a_column && p.c_row == q.c_row && p.beta == q.beta &&
           (p.from == nullptr) == (q.from == nullptr) && p.from_row == q.from_row && p.more_row == q.more_row &&
           p.relu == q.relu;
  }

  void set(gemm_kernel<T> const& k, gemm_problem<T> const& q, T const* b, std::ptrdiff_t n, bool back) {
    p = q;
    kernel = &k;
    packed = b;
    threads = n;
    backwards = back;
    // Two and three rows by one panel have too few sums to be fast; of many units, several are moved at a time.
    unit = q.m == 2 || q.m == 3 ? k.wide_panels[static_cast<std::size_t>(q.m)] : 1;
    while (k.panels(q.n) > 32 * n * unit) unit *= 2;
  }

  /// Returns the number of units of all panels.
  std::ptrdiff_t units() const { return parts_for(kernel->panels(p.n), unit); }
  std::ptrdiff_t parts() const { return 1 + others.count; }
  /// Splits the units into `count` chunks, none of which is empty.
  void share(std::ptrdiff_t count, std::ptrdiff_t units_of_first) {
    own = units_of_first;
    others = count == 1 ? even_parts() : even_parts(units() - own, count - 1);
  }

  /// Multiplies units `first` to `last`, exclusive.
  void multiply(std::ptrdiff_t first, std::ptrdiff_t last, loop_operands const& of) const {
    gemm_rows<T> const rows{p.m, static_cast<T const*>(of.from[0]), static_cast<T*>(of.to),
                            static_cast<T const*>(of.from[1]), static_cast<T const*>(of.from[2])};
    multiply_few_rows(*kernel, p, rows, packed, first * unit, std::min(last * unit, kernel->panels(p.n)), backwards);
  }

  void operator()(std::size_t part, loop_operands const& of) const {
    if (part == 0) return multiply(0, own, of);
    std::ptrdiff_t const first = own + others.first(std::ptrdiff_t(part) - 1);
    multiply(first, first + others.size(std::ptrdiff_t(part) - 1), of);
  }
};

/// Task and load balance that a thread of a team keeps. The other threads read only members that seldom change.
template <backend B, class T>
class kept_few_rows {
 public:
  void multiply(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* packed, std::ptrdiff_t threads,
                bool backwards, loop_operands const& operands) {
    if (!task_.is_for(kernel, p, packed, threads, backwards)) {
      task_.set(kernel, p, packed, threads, backwards);
      std::ptrdiff_t const parts = std::min(threads, task_.units());
      balance_ = loop_balance(task_.units(), parts);
      task_.share(parts, balance_.own());
    }
    if (--until_timed_ == 0) return multiply_timed(operands);
    spinning_pool<B>::run(std::size_t(task_.parts()), task_, operands);
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr int timed_each = 16;  // reading the clock takes 50 ns

  // Runs as at any other time, but this thread reads the clock, and polls the others before the last unit of its chunk.
  void multiply_timed(loop_operands const& operands) {
    until_timed_ = timed_each;
    auto const parts = std::size_t(task_.parts());
    loop_times times;
    clock::time_point through;
    auto const part = [&](std::size_t number, loop_operands const& of) {
      if (number != 0) return task_(number, of);
      clock::time_point const begin = clock::now();
      // Splits off the last unit; for a single row two panels, as one takes as long.
      std::ptrdiff_t const last = std::min<std::ptrdiff_t>(task_.own, task_.p.m == 1 && task_.unit == 1 ? 2 : 1);
      std::ptrdiff_t const cut = task_.backwards ? last : task_.own - last;
      if (last != task_.own) task_.multiply(task_.backwards ? cut : 0, task_.backwards ? task_.own : cut, of);
      times.early = spinning_pool<B>::others_done(parts);
      task_.multiply(task_.backwards ? 0 : cut, task_.backwards ? cut : task_.own, of);
      through = clock::now();
      times.own = nanoseconds(through - begin);
      times.at_once = spinning_pool<B>::others_done(parts);
    };
    bool const shared = spinning_pool<B>::run(parts, part, operands);
    times.waited = nanoseconds(clock::now() - through);
    if (shared && balance_.learn(times)) task_.share(task_.parts(), balance_.own());
  }

  static std::int64_t nanoseconds(clock::duration d) {
    return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(d).count()};
  }

  few_rows_task<T> task_;
  alignas(64) loop_balance balance_;
  int until_timed_ = timed_each;
};

/// Multiplies all panels, in parallel if it pays. Each thread has the same panels each time, which stay in its cache.
template <backend B, class T>
void share_few_rows(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* packed, bool backwards) {
  T const* const from = p.from == nullptr ? p.c : p.from;
  std::ptrdiff_t const threads = is_shared<B>(p.m * p.n * p.k) ? std::ptrdiff_t(threads_here<B>()) : 1;
  if (threads == 1)
    return multiply_few_rows<T>(kernel, p, {p.m, p.a, p.c, from, p.more}, packed, 0, kernel.panels(p.n), backwards);
  loop_operands const operands{p.c, {p.a, from, p.more}};
  if constexpr (has_tasks<B>)
    if (spinning_pool<B>::is_here()) {
      // Tasks of eight matrices, in both directions. A thread whose team runs does nothing else meanwhile: it
      // overwrites no task that others read.
      static constinit thread_local std::array<kept_few_rows<B, T>, 16> all = {};
      auto const line = reinterpret_cast<std::uintptr_t>(packed) / 64;
      auto& kept = all[(line ^ line / 64 ^ line / 4096) % 8 * 2 + backwards];
      return kept.multiply(kernel, p, packed, threads, backwards, operands);
    }
  few_rows_task<T> task;
  task.set(kernel, p, packed, threads, backwards);
  std::ptrdiff_t const each = parts_for(p.m * p.n * p.k, threads * run_work);
  even_parts const parts(task.units(), std::min(task.units(), threads * each));
  task.share(parts.count, parts.size(0));
  for_each_task<B>(parts.count, true, [&](std::ptrdiff_t part) { task(std::size_t(part), operands); });
}

}  // namespace plait::detail
