// Weighted sum of tensors, with weights in the memory of the backend.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Number of leading tensors that the result of weighted_sum may alias.
inline constexpr std::size_t weighted_sum_in_place = 2;

namespace detail {

/// Pass: the first computes out = x0 w0 + x1 w1, later ones out + x w.
template <class T>
struct weighted_pass {
  std::array<T const*, weighted_sum_in_place> x;
  std::array<T const*, weighted_sum_in_place> w;
  std::size_t operands;
  T* out;
  bool more;  // accumulates into out

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T y = x[0][i] * w[0][0];
    if (operands == 2) y = y + x[1][i] * w[1][0];
    out[i] = more ? out[i] + y : y;
  }
  void operator()(std::size_t first, std::size_t last) const {
    T* const to = out;
    T const *const a = x[0], *const b = x[1];
    T const u = w[0][0];
    if (more) {
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = to[i] + a[i] * u;
    } else if (operands == 1) {
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = a[i] * u;
    } else {
      T const v = w[1][0];
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = a[i] * u + b[i] * v;
    }
  }
};

template <class T, class Operand, class Run>
void weighted_passes(std::size_t count, Operand const& operand, T* out, Run const& run) {
  std::size_t const first = std::min(count, weighted_sum_in_place);
  weighted_pass<T> pass{{}, {}, first, out, false};
  for (std::size_t k = 0; k != first; ++k) {
    pass.x[k] = operand(k);
    pass.w[k] = operand.weight(k);
  }
  run(pass);
  for (std::size_t k = first; k != count; ++k)
    run(weighted_pass<T>{{operand(k), nullptr}, {operand.weight(k), nullptr}, 1, out, true});
}

template <class T, class Operand>
struct weighted_loop {
  std::size_t count;
  Operand operand;
  T* out;
  void operator()(std::size_t first, std::size_t last) const {
    // All passes over a chunk that stays in L1.
    constexpr std::size_t part = 8192 / sizeof(T);
    for (; first < last; first += part) {
      std::size_t const end = std::min(last, first + part);
      weighted_passes(count, operand, out, [first, end](auto const& pass) { pass(first, end); });
    }
  }
};

}  // namespace detail

/// Computes out[i] = x0[i] w0 + x1[i] w1 + … of `operands` tensors that operand(k) points to, with weights that
/// operand.weight(k) points to.
template <backend B, class T, class Operand>
void weighted_sum(std::size_t operands, Operand const& operand, T* out, std::size_t count) {
  if constexpr (B::on_device) {
    detail::weighted_passes(operands, operand, out, [count](auto const& pass) { for_each_index<B>(count, pass); });
  } else {
    for_each_tile<B>(count, tile_size, detail::weighted_loop<T, Operand>{operands, operand, out});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
