// Cooperative thread teams: threads of a device that share a task, such as a row; on the host, one thread with vectors.
//
// Every thread of the team calls the function of a task, without divergence. It accesses elements through
// for_team_elements and reduce_team_row, which assign element i to the same thread each time, so that this thread may
// read what it has written there. All threads write whatever else it writes.
//
// After NVIDIA, CUDA C++ Programming Guide, "Warp Shuffle Functions": threads of a warp combine values in registers,
// warps in shared memory.
#pragma once

#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

#if defined(__CUDACC__)
inline constexpr unsigned warp_size = 32;

// Reduces the values of a block's threads, in the same order in each call and each thread.
template <class R, class T>
__device__ T combine_team(T part) {
  for (unsigned apart = warp_size / 2; apart != 0; apart /= 2)
    part = R::combine(part, static_cast<T>(__shfl_xor_sync(0xffffffffu, part, apart)));
  if (blockDim.x == warp_size) {
    __syncwarp();  // as below: what was read before may now be overwritten
    return part;
  }
  __shared__ T parts[256 / warp_size];
  __syncthreads();  // all threads have read the parts of the last call
  if (threadIdx.x % warp_size == 0) parts[threadIdx.x / warp_size] = part;
  __syncthreads();
  T total = parts[0];
  for (unsigned warp = 1; warp < blockDim.x / warp_size; ++warp) total = R::combine(total, parts[warp]);
  return total;
}
#endif

}  // namespace detail

/// Calls f(task) for each task below `tasks`, of `width` elements and about `cost` elements' work.
template <backend B, class F>
void for_each_team(std::size_t tasks, std::size_t width, std::size_t cost, F const& f) {
  if constexpr (detail::has_teams<B>) {
    if (tasks != 0) B::for_each_team(tasks, width, f);
  } else {
    for_each_row<B>(tasks, cost, f);
  }
}

/// Calls f(i) for each i below n; the calls are independent of each other.
template <class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void for_team_elements(std::size_t n, F const& f) {
#if defined(__CUDA_ARCH__)
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) f(i);
#else
  PLAIT_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    PLAIT_INLINE_CALL f(i);
  }
#endif
}

/// Like reduce_row; returns the result in every thread of the team.
template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_team_row(std::size_t n, F const& element) {
#if defined(__CUDA_ARCH__)
  constexpr std::size_t together = 4;  // elements loaded at once
  std::size_t const step = blockDim.x;
  T total = R::template identity<T>();
  for (std::size_t i = threadIdx.x; i < n;) {
    std::size_t const last = n - i < reduction_block ? n : i + reduction_block;
    T part[together];
    for (T& p : part) p = R::template identity<T>();
    for (; i + (together - 1) * step < last; i += together * step)
      for (std::size_t l = 0; l < together; ++l) part[l] = R::combine(part[l], element(i + l * step));
    for (; i < last; i += step) part[0] = R::combine(part[0], element(i));
    total = R::combine(total, R::combine(R::combine(part[0], part[2]), R::combine(part[1], part[3])));
  }
  return detail::combine_team<R>(total);
#else
  return reduce_row<R, T>(n, element);
#endif
}

/// Returns the columns of a team, so that accesses coalesce and one team has all of a narrow matrix.
constexpr std::size_t team_columns(std::size_t columns) {
  std::size_t made = 1;
  while (made != 32 && made < columns) made *= 2;
  return made;
}

/// Calls done(c, the reduction of element(row, c) over all rows) for each of `columns` columns, on a device at most
/// team_columns. Partial results of a long column are combined in pairs.
template <class R, class T, class F, class Done>
PLAIT_HOST_DEVICE inline void reduce_team_columns(std::size_t columns, std::size_t rows, F const& element,
                                                  Done const& done) {
#if defined(__CUDA_ARCH__)
  std::size_t const width = team_columns(columns);
  std::size_t const column = threadIdx.x % width;
  std::size_t const lane = threadIdx.x / width;
  std::size_t const lanes = blockDim.x / width;
  T total = R::template identity<T>();
  if (column < columns) {
    std::size_t row = lane;
    for (; row + 3 * lanes < rows; row += 4 * lanes)
      total =
          R::combine(total, R::combine(R::combine(element(row, column), element(row + lanes, column)),
                                       R::combine(element(row + 2 * lanes, column), element(row + 3 * lanes, column))));
    for (; row < rows; row += lanes) total = R::combine(total, element(row, column));
  }
  __shared__ T parts[256];
  __syncthreads();
  parts[threadIdx.x] = total;
  __syncthreads();
  for (std::size_t half = lanes / 2; half != 0; half /= 2) {
    if (lane < half) parts[threadIdx.x] = R::combine(parts[threadIdx.x], parts[threadIdx.x + half * width]);
    __syncthreads();
  }
  if (lane == 0 && column < columns) done(column, parts[column]);
#else
  constexpr std::size_t block = 64;  // rows summed by themselves, as the errors of all rows would add up
  for (std::size_t column = 0; column < columns; ++column) {
    T total = R::template identity<T>();
    for (std::size_t first = 0; first < rows; first += block) {
      std::size_t const last = rows - first < block ? rows : first + block;
      T part = R::template identity<T>();
      for (std::size_t row = first; row < last; ++row) part = R::combine(part, element(row, column));
      total = R::combine(total, part);
    }
    done(column, total);
  }
#endif
}

}  // namespace plait

PLAIT_KERNELS_END
