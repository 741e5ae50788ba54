// Counter-based random numbers: the i-th number of a stream is a function of the seed, the stream and i, so that a fill
// is bit-identical on every backend, with any number of threads and in any order, and is stateless.
//
// The generator is Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011, which passes BigCrush. Normal numbers use the transform of G. E. P. Box and
// M. E. Muller, 1958, from functions whose roundings do not depend on fused multiply-add (math::reproducible).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Four independent words of 32 random bits.
struct random_words {
  std::uint32_t word[4];
  friend constexpr bool operator==(random_words const&, random_words const&) = default;
};

/// Returns Philox4x32-10 of a counter under a key.
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr random_words philox(random_words counter, std::uint32_t key0,
                                                                    std::uint32_t key1) {
  for (int round = 0; round != 10; ++round) {
    std::uint64_t const product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    std::uint64_t const product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {
        static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(product1),
        static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// Stream of random numbers. The streams of one seed are independent, as are those of different seeds.
struct random_stream {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  /// Numbers of type T per block of the generator.
  template <class T>
  static constexpr std::size_t per_block = 16 / sizeof(T);

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr random_words words(std::uint64_t block) const {
    return philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                   static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                  static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  }

  /// Returns the i-th 64 random bits, from the block of the i-th uniform and normal double.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr std::uint64_t bits(std::uint64_t i) const {
    random_words const w = words(i / 2);
    return i % 2 == 0 ? join(w.word[0], w.word[1]) : join(w.word[2], w.word[3]);
  }
  /// Returns the i-th number below `bound`, which is positive. The bias is at most bound / 2^64.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t bound, std::uint64_t i) const {
    return high_product(bits(i), bound);
  }

  /// Returns the i-th number of [0, 1), a multiple of 2^-24 or 2^-53.
  template <std::floating_point T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T uniform(std::uint64_t i) const {
    return uniforms<T>(i / per_block<T>).value[i % per_block<T>];
  }
  /// Returns the i-th number of the standard normal distribution, at most 6.7 in magnitude for float, 8.6 for double.
  template <std::floating_point T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr T normal(std::uint64_t i) const {
    return normals<T>(i / per_block<T>).value[i % per_block<T>];
  }

  /// All numbers of a block.
  template <class T>
  struct numbers {
    T value[per_block<T>];
  };

  template <std::floating_point T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr numbers<T> uniforms(std::uint64_t block) const {
    random_words const w = words(block);
    if constexpr (std::same_as<T, float>) {
      return {{fraction(w.word[0]), fraction(w.word[1]), fraction(w.word[2]), fraction(w.word[3])}};
    } else {
      return {{T(0x1p-53) * whole(w.word[0], w.word[1]), T(0x1p-53) * whole(w.word[2], w.word[3])}};
    }
  }

  template <std::floating_point T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr numbers<T> normals(std::uint64_t block) const {
    random_words const w = words(block);
    if constexpr (std::same_as<T, float>) {
      auto const a = box_muller(upper_fraction(w.word[0]), w.word[1], 0.0f);
      auto const b = box_muller(upper_fraction(w.word[2]), w.word[3], 0.0f);
      return {{a.cosine, a.sine, b.cosine, b.sine}};
    } else {
      double const rest = static_cast<std::int32_t>(w.word[3] >> 1) * 0x1p-63;
      auto const a = box_muller(0x1p-53 * (whole(w.word[0], w.word[1]) + 1.0), w.word[2], rest);
      return {{a.cosine, a.sine}};
    }
  }

 private:
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr std::uint64_t join(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t const low = (a & 0xffffffffu) * (b & 0xffffffffu);
    std::uint64_t const middle = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    std::uint64_t const other = (a & 0xffffffffu) * (b >> 32) + (middle & 0xffffffffu);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  }

  // Converts at most 31 bits, for which there are vector instructions; conversions and products are exact.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr float fraction(std::uint32_t w) {
    return 0x1p-24f * static_cast<float>(static_cast<std::int32_t>(w >> 8));
  }
  /// Returns a number of (0, 1], finer towards zero.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr float upper_fraction(std::uint32_t w) {
    return fraction(w) + 0x1p-32f * (static_cast<float>(static_cast<std::int32_t>(w & 0xff)) + 1.0f);
  }
  /// Returns the upper 53 bits.
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr double whole(std::uint32_t high, std::uint32_t low) {
    return 0x1p27 * static_cast<std::int32_t>(high >> 6) + static_cast<std::int32_t>((high & 0x3f) << 21 | low >> 11);
  }

  template <class T>
  struct point {
    T cosine;
    T sine;
  };
  /// Returns the point at distance sqrt(-2 log u) from the origin, in the direction of angle / 2^32 + rest turns.
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr point<T> box_muller(T u, std::uint32_t angle, T rest) {
    using math::reproducible;
    namespace m = math::detail;
    std::uint32_t const quarter = (angle + 0x20000000u) >> 30;
    T const turns = T(0x1p-32) * static_cast<T>(static_cast<std::int32_t>(angle - (quarter << 30))) + rest;
    T const sine = m::sin_of_turns<reproducible>(turns);
    T const cosine = m::cos_of_turns<reproducible>(turns);
    T const radius = m::square_root<reproducible>(T(-2) * m::log<reproducible>(u));
    bool const swapped = (quarter & 1) != 0;
    return {radius * turned(m::choose(swapped, sine, cosine), (quarter + 1) & 2),
            radius * turned(m::choose(swapped, cosine, sine), quarter & 2)};
  }
  /// Returns x, negated if `sign`, which is 0 or 2, is not zero.
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static constexpr T turned(T x, std::uint32_t sign) {
    using bits = math::detail::bits_of<T>;
    return math::detail::from_bits<T>(math::detail::to_bits(x) ^ (static_cast<bits>(sign) << (sizeof(T) * 8 - 2)));
  }
};

namespace detail {

/// Computes out[i] = shift + scale * (the i-th number), one block of the generator at a time.
template <backend B, class T, class BlockOf>
void fill_random(std::size_t count, T* out, T scale, T shift, BlockOf block_of) {
  using exactly = math::reproducible;
  constexpr std::size_t width = random_stream::per_block<T>;
  std::size_t const whole = count / width;
  for_each_index<B>(whole, [=] PLAIT_HOST_DEVICE(std::size_t block) {
    auto const numbers = block_of(block);
    for (std::size_t lane = 0; lane != width; ++lane)
      out[block * width + lane] = exactly::multiply_add(numbers.value[lane], scale, shift);
  });
  if (count % width != 0) {
    for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) {
      auto const numbers = block_of(whole);
      for (std::size_t i = whole * width; i != count; ++i)
        out[i] = exactly::multiply_add(numbers.value[i - whole * width], scale, shift);
    });
  }
}

template <class T>
struct uniform_block {
  random_stream from;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE auto operator()(std::size_t block) const { return from.uniforms<T>(block); }
};
template <class T>
struct normal_block {
  random_stream from;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE auto operator()(std::size_t block) const { return from.normals<T>(block); }
};

}  // namespace detail

/// Computes out[i] = low + (high - low) * from.uniform<T>(i), which is `high` only by rounding.
template <backend B, std::floating_point T>
void fill_uniform(random_stream from, T low, T high, T* out, std::size_t count) {
  detail::fill_random<B>(count, out, high - low, low, detail::uniform_block<T>{from});
}

/// Computes out[i] = mean + deviation * from.normal<T>(i).
template <backend B, std::floating_point T>
void fill_normal(random_stream from, T mean, T deviation, T* out, std::size_t count) {
  detail::fill_random<B>(count, out, deviation, mean, detail::normal_block<T>{from});
}

}  // namespace plait

PLAIT_KERNELS_END
