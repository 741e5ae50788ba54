// Element-wise functions of several tensors of one shape.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <plait/exec/detail/kernels/fast_path.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class F, class T, std::size_t N>
struct map_several_loop {
  std::array<T const*, N> x;
  T* out;
  F f;

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { out[i] = at(i, x, f, std::make_index_sequence<N>()); }
  void operator()(std::size_t first, std::size_t last) const {
    std::array<T const*, N> const from = x;
    T* const to = out;
    by_case(F(f), from[0], first, last, [&from, to](auto const& g, std::size_t begin, std::size_t end) {
      PLAIT_INDEPENDENT
      for (std::size_t i = begin; i < end; ++i) to[i] = at(i, from, g, std::make_index_sequence<N>());
    });
  }

 private:
  template <class G, std::size_t... K>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static T at(std::size_t i, std::array<T const*, N> const& from, G const& g,
                                                    std::index_sequence<K...>) {
    return g(from[K][i]...);
  }
};

/// Implements an element_function whose self is an F.
template <class F, class T, std::size_t N>
void map_several_of(void const* f, void* const* operands, std::size_t count) {
  using loop = map_several_loop<F, T, N>;
  loop made{{}, static_cast<T*>(operands[N]), *static_cast<F const*>(f)};
  for (std::size_t k = 0; k != N; ++k) made.x[k] = static_cast<T const*>(operands[k]);
  run_tile<loop>(&made, 0, count);
}

}  // namespace detail

/// Computes out[i] = f(x[0][i], …, x[N - 1][i]); out may be any of x.
template <backend B, class F, class T, std::size_t N>
void map_several(std::array<T const*, N> const& x, T* out, std::size_t count, F const& f = {}) {
  detail::map_several_loop<F, T, N> const loop{x, out, f};
  if constexpr (B::on_device)
    for_each_index<B>(count, loop);
  else
    for_each_tile<B>(count, tile_size, loop);
}

}  // namespace plait

PLAIT_KERNELS_END
