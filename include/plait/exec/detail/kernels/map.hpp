// Element-wise maps of one tensor, and folds of several tensors of the same shape.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/exec/detail/kernels/fast_path.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Type that elements are loaded and stored as: GCC does not vectorise loops over bool.
template <class T>
using vector_element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class F, class T, class R>
struct map_loop {
  T const* x;
  R* out;
  F f;
  void operator()(std::size_t first, std::size_t last) const {
    auto const* const from = reinterpret_cast<vector_element<T> const*>(x);
    auto* const to = reinterpret_cast<vector_element<R>*>(out);
    by_case(F(f), x, first, last, [from, to](auto const& g, std::size_t begin, std::size_t end) {
      PLAIT_INDEPENDENT
      for (std::size_t i = begin; i < end; ++i) to[i] = g(static_cast<T>(from[i]));
    });
  }
};

/// Maps elements as an element_function, whose self is an F.
template <class F, class T, class R>
void map_some(void const* f, void* const* operands, std::size_t count) {
  using loop = map_loop<F, T, R>;
  loop const made{static_cast<T const*>(operands[0]), static_cast<R*>(operands[1]), *static_cast<F const*>(f)};
  run_tile<loop>(&made, 0, count);
}

template <class F, class T, class R>
struct map_element {
  T const* x;
  R* out;
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { out[i] = f(x[i]); }
};

// Maximum of operands of a pass of fold.
inline constexpr std::size_t fold_width = 4;

/// Pass of fold: out = f(… f(x0, x1) …), where later passes take `out` itself for x0.
template <class F, class T>
struct fold_pass {
  std::array<T const*, fold_width> x;
  std::size_t operands;
  T* out;
  T divisor;  // of the last pass; one elsewhere
  F f;

  PLAIT_HOST_DEVICE T value(std::size_t i) const {
    T y = x[0][i];
    for (std::size_t k = 1; k < fold_width; ++k)  // constant indices: see broadcast_layout::find
      if (k < operands) y = f(y, x[k][i]);
    return y;
  }
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { out[i] = divisor == T(1) ? value(i) : value(i) / divisor; }

  void operator()(std::size_t first, std::size_t last) const {
    T* const to = out;
    T const *const a = x[0], *const b = x[1], *const c = x[2], *const d = x[3];
    F const g = f;
    switch (operands) {
      case 1: {
        if (a == to) break;
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) to[i] = a[i];
        break;
      }
      case 2: {
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) to[i] = g(a[i], b[i]);
        break;
      }
      case 3: {
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) to[i] = g(g(a[i], b[i]), c[i]);
        break;
      }
      default: {
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) to[i] = g(g(g(a[i], b[i]), c[i]), d[i]);
      }
    }
    if (divisor != T(1)) {
      T const by = divisor;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] /= by;
    }
  }
};

// Calls run(pass) for the passes over `count` operands, in order.
template <class F, class T, class Operand, class Run>
void fold_passes(std::size_t count, Operand const& operand, T* out, T divisor, F const& f, Run const& run) {
  std::size_t next = 0;
  do {
    fold_pass<F, T> pass{{}, 0, out, T(1), f};
    if (next != 0) pass.x[pass.operands++] = out;
    while (next != count && pass.operands != fold_width) pass.x[pass.operands++] = operand(next++);
    if (next == count) pass.divisor = divisor;
    run(pass);
  } while (next != count);
}

template <class F, class T, class Operand>
struct fold_loop {
  std::size_t count;
  Operand operand;
  T* out;
  T divisor;
  F f;
  void operator()(std::size_t first, std::size_t last) const {
    // All passes over a chunk that stays in L1.
    constexpr std::size_t part = 8192 / sizeof(T);
    for (; first < last; first += part) {
      std::size_t const end = std::min(last, first + part);
      fold_passes<F, T>(count, operand, out, divisor, f, [first, end](auto const& pass) { pass(first, end); });
    }
  }
};

}  // namespace detail

/// Computes out[i] = f(x[i]); out may be x.
template <backend B, class F, class T, class R>
void map(T const* x, R* out, std::size_t count, F const& f = {}) {
  if constexpr (B::on_device) {
    for_each_index<B>(count, detail::map_element<F, T, R>{x, out, f});
  } else {
    for_each_tile<B>(count, tile_size, detail::map_loop<F, T, R>{x, out, f});
  }
}

/// Number of leading operands of fold that its result may alias.
inline constexpr std::size_t fold_in_place = detail::fold_width;

/// Computes out[i] = f(… f(f(x0[i], x1[i]), x2[i]) …) / divisor of `operands` tensors that operand(k) points to.
template <backend B, class F, class T, class Operand>
void fold(std::size_t operands, Operand const& operand, T* out, std::size_t count, T divisor = T(1), F const& f = {}) {
  if constexpr (B::on_device) {
    detail::fold_passes<F, T>(operands, operand, out, divisor, f,
                              [count](auto const& pass) { for_each_index<B>(count, pass); });
  } else {
    for_each_tile<B>(count, tile_size, detail::fold_loop<F, T, Operand>{operands, operand, out, divisor, f});
  }
}

/// Computes fold() on this thread alone, for an element_function.
template <class F, class T, class Operand>
void fold_some(std::size_t operands, Operand const& operand, T* out, std::size_t count, T divisor) {
  using loop = detail::fold_loop<F, T, Operand>;
  loop const made{operands, operand, out, divisor, F()};
  detail::run_tile<loop>(&made, 0, count);
}

}  // namespace plait

PLAIT_KERNELS_END
