// Fused sequences of simple scalar functions: intermediate results stay in registers. Several vectors at a time pass
// through all functions, which amortises the dispatch of each.
//
// Why a macro, and why arrays are indexed by constants only: see gemm_tiles.hpp. Functions are in separate branches,
// which also keeps compilers from fusing a product with the addition after it: the bits are those of separate ops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <plait/core/assert.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/simple_function.hpp>

namespace plait {

namespace detail {

// Operand of a line: its first element, and an index mask: all bits; or none for a scalar, which is then repeated as
// many times as the widest step reads it.
template <class T>
struct line_operand {
  T const* at;
  std::size_t moves;
};
template <class T>
struct line_call {
  line_operand<T> x;
  simple_function const* functions;
  std::size_t function_count;
  line_operand<T> const* y;  // by function; any readable operand for unary functions
};

template <instruction_set, class>
struct straight_lines;

// Computes elements i to `end`, exclusive, as far as they fill a step, into `to`. Returns where it ended.
#define PLAIT_DETAIL_STRAIGHT_LINES(SET, TARGET, BYTES)                                                \
  template <class T>                                                                                   \
  struct straight_lines<instruction_set::SET, T> {                                                     \
    template <std::size_t Bytes, std::size_t... V>                                                     \
    TARGET static std::size_t step(line_call<T> const& call, std::size_t i, std::size_t end, T* to,    \
                                   std::index_sequence<V...>) {                                        \
      typedef T vec __attribute__((vector_size(Bytes)));                                               \
      typedef T loose __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));             \
      constexpr std::size_t width = sizeof...(V) * Bytes / sizeof(T);                                  \
      for (; i + width <= end; i += width, to += width) {                                              \
        loose const* const from = reinterpret_cast<loose const*>(call.x.at + (i & call.x.moves));      \
        vec x[] = {from[V]...};                                                                        \
        for (std::size_t f = 0; f != call.function_count; ++f) {                                       \
          loose const* const y = reinterpret_cast<loose const*>(call.y[f].at + (i & call.y[f].moves)); \
          switch (call.functions[f]) {                                                                 \
            case simple_function::add:                                                                 \
              ((x[V] = x[V] + y[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::subtract:                                                            \
              ((x[V] = x[V] - y[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::subtract_from:                                                       \
              ((x[V] = y[V] - x[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::multiply:                                                            \
              ((x[V] = x[V] * y[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::divide:                                                              \
              ((x[V] = x[V] / y[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::divide_into:                                                         \
              ((x[V] = y[V] / x[V]), ...);                                                             \
              break;                                                                                   \
            case simple_function::negate:                                                              \
              ((x[V] = -x[V]), ...);                                                                   \
              break;                                                                                   \
            case simple_function::relu:                                                                \
              ((x[V] = x[V] < vec{} ? vec{} : x[V]), ...);                                             \
              break;                                                                                   \
            case simple_function::none:                                                                \
              __builtin_unreachable();                                                                 \
          }                                                                                            \
        }                                                                                              \
        ((reinterpret_cast<loose*>(to)[V] = x[V]), ...);                                               \
      }                                                                                                \
      return i;                                                                                        \
    }                                                                                                  \
  };

PLAIT_DETAIL_STRAIGHT_LINES(portable, , 16)
#if PLAIT_X86_DISPATCH
PLAIT_DETAIL_STRAIGHT_LINES(avx2, PLAIT_TARGET_AVX2, 32)
PLAIT_DETAIL_STRAIGHT_LINES(avx512, PLAIT_TARGET_AVX512, 64)
#endif
#undef PLAIT_DETAIL_STRAIGHT_LINES

#if PLAIT_X86_DISPATCH
template <instruction_set, class>
struct line_pairs;

// Line of two functions known at compile time: with all operands in L1, dispatching them at each step takes as long as
// the rest.
#define PLAIT_DETAIL_LINE_PAIRS(SET, TARGET, BYTES)                                                                    \
  template <class T>                                                                                                   \
  struct line_pairs<instruction_set::SET, T> {                                                                         \
    typedef T vec __attribute__((vector_size(BYTES)));                                                                 \
    typedef T loose __attribute__((vector_size(BYTES), aligned(alignof(T)), may_alias));                               \
    template <simple_function F, class X>                                                                              \
    PLAIT_ALWAYS_INLINE TARGET static void apply(X& x, X const& y) {                                                   \
      if constexpr (F == simple_function::add) x = x + y;                                                              \
      if constexpr (F == simple_function::subtract) x = x - y;                                                         \
      if constexpr (F == simple_function::subtract_from) x = y - x;                                                    \
      if constexpr (F == simple_function::multiply) x = x * y;                                                         \
      asm("" : "+x"(x)); /* opaque value: no product is fused with the addition after it */                            \
    }                                                                                                                  \
    struct operands {                                                                                                  \
      line_operand<T> x, y, z;                                                                                         \
    };                                                                                                                 \
    template <simple_function F, simple_function G, std::size_t... V>                                                  \
    PLAIT_ALWAYS_INLINE TARGET static void step(operands const& from, std::size_t i, vec (&r)[sizeof...(V)],           \
                                                std::index_sequence<V...>) {                                           \
      loose const* const a = reinterpret_cast<loose const*>(from.x.at + (i & from.x.moves));                           \
      loose const* const b = reinterpret_cast<loose const*>(from.y.at + (i & from.y.moves));                           \
      loose const* const c = reinterpret_cast<loose const*>(from.z.at + (i & from.z.moves));                           \
      vec const y[] = {b[V]...}, z[] = {c[V]...};                                                                      \
      ((r[V] = a[V]), ...);                                                                                            \
      (apply<F>(r[V], y[V]), ...);                                                                                     \
      (apply<G>(r[V], z[V]), ...);                                                                                     \
    }                                                                                                                  \
    template <simple_function F, simple_function G, std::size_t... V>                                                  \
    PLAIT_ALWAYS_INLINE TARGET static std::size_t steps(operands const& from, std::size_t i, std::size_t count, T* to, \
                                                        std::index_sequence<V...> all) {                               \
      constexpr std::size_t width = sizeof...(V) * BYTES / sizeof(T);                                                  \
      for (; i + width <= count; i += width) {                                                                         \
        vec r[sizeof...(V)];                                                                                           \
        step<F, G>(from, i, r, all);                                                                                   \
        ((reinterpret_cast<loose*>(to + i)[V] = r[V]), ...);                                                           \
      }                                                                                                                \
      return i;                                                                                                        \
    }                                                                                                                  \
    template <simple_function F, simple_function G>                                                                    \
    PLAIT_ALWAYS_INLINE TARGET static void elements(operands const& from, std::size_t count, T* to) {                  \
      constexpr std::size_t width = BYTES / sizeof(T);                                                                 \
      if (count < width) {                                                                                             \
        for (std::size_t i = 0; i != count; ++i) {                                                                     \
          T r = from.x.at[i & from.x.moves];                                                                           \
          apply<F>(r, from.y.at[i & from.y.moves]);                                                                    \
          apply<G>(r, from.z.at[i & from.z.moves]);                                                                    \
          to[i] = r;                                                                                                   \
        }                                                                                                              \
        return;                                                                                                        \
      }                                                                                                                \
      /* Computes the last vector, which overlaps others, before its operands are overwritten. */                      \
      vec last[1];                                                                                                     \
      step<F, G>(from, count - width, last, std::make_index_sequence<1>());                                            \
      std::size_t const i = steps<F, G>(from, 0, count, to, std::make_index_sequence<4>());                            \
      steps<F, G>(from, i, count, to, std::make_index_sequence<1>());                                                  \
      *reinterpret_cast<loose*>(to + count - width) = last[0];                                                         \
    }                                                                                                                  \
    template <simple_function F, simple_function G>                                                                    \
    TARGET static void run(line_call<T> const& call, std::size_t count, T* to) {                                       \
      elements<F, G>({call.x, call.y[0], call.y[1]}, count, to);                                                       \
    }                                                                                                                  \
    template <simple_function F, simple_function G>                                                                    \
    TARGET static void run_moving(void const*, void* const* at, std::size_t count) {                                   \
      constexpr auto all = ~std::size_t{0};                                                                            \
      elements<F, G>({{static_cast<T const*>(at[0]), all},                                                             \
                      {static_cast<T const*>(at[1]), all},                                                             \
                      {static_cast<T const*>(at[2]), all}},                                                            \
                     count, static_cast<T*>(at[3]));                                                                   \
    }                                                                                                                  \
  };

PLAIT_DETAIL_LINE_PAIRS(avx2, PLAIT_TARGET_AVX2, 32)
PLAIT_DETAIL_LINE_PAIRS(avx512, PLAIT_TARGET_AVX512, 64)
#undef PLAIT_DETAIL_LINE_PAIRS

// Loops of a pair of functions: for any operands, and for three of which none is repeated.
template <class T>
struct pair_loops {
  void (*any)(line_call<T> const&, std::size_t, T*) = nullptr;
  void (*moving)(void const*, void* const*, std::size_t) = nullptr;
};

// Returns the loops of two of the commonest functions, which are numbered from 1 on; null for others.
template <instruction_set Set, class T>
pair_loops<T> find_pair(simple_function f, simple_function g) {
  constexpr auto last = static_cast<std::size_t>(simple_function::multiply);
  static constexpr auto loops = []<std::size_t... I>(std::index_sequence<I...>) {
    using pairs = line_pairs<Set, T>;
    return std::array<pair_loops<T>, sizeof...(I)>{
        {{&pairs::template run<simple_function{1 + I / last}, simple_function{1 + I % last}>,
          &pairs::template run_moving<simple_function{1 + I / last}, simple_function{1 + I % last}>}...}};
  }(std::make_index_sequence<last * last>());
  auto const row = static_cast<std::size_t>(f) - 1;
  auto const column = static_cast<std::size_t>(g) - 1;
  return row < last && column < last ? loops[row * last + column] : pair_loops<T>();
}
#endif

template <std::size_t Count>
using vectors = std::make_index_sequence<Count>;

template <instruction_set Set, std::size_t Bytes, class T>
void run_line(line_call<T> const& call, std::size_t count, T* result) {
  using lines = straight_lines<Set, T>;
  std::size_t i = 0;
#if PLAIT_X86_DISPATCH
  if constexpr (Set != instruction_set::portable)
    if (call.function_count == 2)
      if (auto const pair = find_pair<Set, T>(call.functions[0], call.functions[1]); pair.any != nullptr)
        return pair.any(call, count, result);
#endif
  i = lines::template step<Bytes>(call, i, count, result + i, vectors<8>());
  if (i == count) return;
  i = lines::template step<Bytes>(call, i, count, result + i, vectors<2>());
  i = lines::template step<Bytes>(call, i, count, result + i, vectors<1>());
  if (i == count) return;
  if constexpr (Bytes > 16) i = lines::template step<16>(call, i, count, result + i, vectors<1>());
  lines::template step<sizeof(T)>(call, i, count, result + i, vectors<1>());
}

}  // namespace detail

/// Fused sequence of functions: f(… f(f(x, y), y) …).
class straight_line {
 public:
  static constexpr std::size_t most_functions = 14;
  static constexpr std::size_t most_repeated = 4;

  /// `x_repeats`, `y_repeats`: the operand is a scalar. add() returns false if there is no room for the function.
  explicit straight_line(bool x_repeats) : x_repeats_(x_repeats), repeated_(x_repeats ? 1 : 0) {}
  bool add(simple_function f, bool y_repeats) {
    PLAIT_ASSERT(f != simple_function::none, "straight_line: no function");
    if (count_ == most_functions || repeated_ + std::size_t{y_repeats} > most_repeated) return false;
    functions_[count_] = f;
    y_repeats_[count_] = y_repeats;
    repeated_ += std::size_t{y_repeats};
    ++count_;
    return true;
  }
  std::size_t size() const noexcept { return count_; }

  /// Returns a function to call with the address of this line, which must not change, instead of run(operands, count):
  /// dispatching each time takes a fifth as long as a thousand elements.
  template <class T>
  auto loop() const {
    using function = void (*)(void const* line, void* const* operands, std::size_t count);
    function found = nullptr;
#if PLAIT_X86_DISPATCH
    instruction_set const set = available_instructions();
    if (count_ == 2 && repeated_ == 0) {
      if (set == instruction_set::avx512)
        found = detail::find_pair<instruction_set::avx512, T>(functions_[0], functions_[1]).moving;
      else if (set == instruction_set::avx2)
        found = detail::find_pair<instruction_set::avx2, T>(functions_[0], functions_[1]).moving;
    }
#endif
    if (found == nullptr)
      found = [](void const* line, void* const* operands, std::size_t count) {
        static_cast<straight_line const*>(line)->run<T>(operands, count);
      };
    return found;
  }

  /// Computes `count` elements. Operands: x, each y, and the result, which may be an operand that is not repeated. For
  /// a range of elements, all operands that are not repeated are advanced to it. Requires no alignment.
  template <class T>
  void run(void* const* operands, std::size_t count, instruction_set set = available_instructions()) const {
    constexpr std::size_t widest = 8 * 64 / sizeof(T);
    alignas(64) std::array<T, most_repeated * widest> copies;
    std::array<detail::line_operand<T>, most_functions> y;
    T* free = copies.data();
    auto const take = [&](bool repeats) -> detail::line_operand<T> {
      T const* const at = static_cast<T const*>(*operands++);
      if (!repeats) return {at, ~std::size_t{0}};
      std::fill_n(free, std::min(widest, count), *at);
      free += widest;
      return {free - widest, 0};
    };
    detail::line_operand<T> const x = take(x_repeats_);
    for (std::size_t f = 0; f != count_; ++f) y[f] = takes_two(functions_[f]) ? take(y_repeats_[f]) : x;
    detail::line_call<T> const call{x, functions_.data(), count_, y.data()};
    T* const result = static_cast<T*>(*operands);
#if PLAIT_X86_DISPATCH
    switch (set) {
      case instruction_set::avx512:
        return detail::run_line<instruction_set::avx512, 64>(call, count, result);
      case instruction_set::avx2:
        return detail::run_line<instruction_set::avx2, 32>(call, count, result);
      case instruction_set::portable:
        break;
    }
#endif
    static_cast<void>(set);
    detail::run_line<instruction_set::portable, 16>(call, count, result);
  }

 private:
  bool x_repeats_;
  std::size_t repeated_;
  std::size_t count_ = 0;
  std::array<simple_function, most_functions> functions_ = {};
  std::array<bool, most_functions> y_repeats_ = {};
};

}  // namespace plait
