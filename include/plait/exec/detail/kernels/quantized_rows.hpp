// Row-wise affine quantisation: rows of integers of 2, 4 or 8 bits, each row with its own scale and bias.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Row that represents scale * integer + bias by column. The first integer of a byte is in its lowest bits.
template <int Bits>
struct quantized_row {
  static constexpr std::size_t per_byte = 8 / Bits;
  std::uint8_t const* integers;
  float scale;
  float bias;
  PLAIT_HOST_DEVICE float operator[](std::size_t i) const {
    unsigned const byte = integers[i / per_byte];
    unsigned const integer = (byte >> (i % per_byte * Bits)) & ((1U << Bits) - 1);
    return scale * static_cast<float>(integer) + bias;
  }
};

/// Scale and bias behind the integers of a fused row: floats after 8 bits, else float16, little-endian and unaligned.
template <int Bits>
struct fused_parameters {
  using number = std::conditional_t<Bits == 8, float, float16>;
  using word = std::conditional_t<Bits == 8, std::uint32_t, std::uint16_t>;
  /// Bytes of both.
  static constexpr std::size_t size = 2 * sizeof(number);

  PLAIT_HOST_DEVICE static float load(std::uint8_t const* from) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 0; byte < sizeof(word); ++byte) bits |= std::uint32_t{from[byte]} << (8 * byte);
    return convert<float>(std::bit_cast<number>(static_cast<word>(bits)));
  }
  PLAIT_HOST_DEVICE static void store(std::uint8_t* to, float x) {
    auto const bits = std::bit_cast<word>(convert<number>(x));
    for (std::size_t byte = 0; byte < sizeof(word); ++byte) to[byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
  }
};

/// Row reader of rows with fused parameters, which begin `pitch` bytes apart.
template <int Bits>
struct fused_rows {
  using parameters = fused_parameters<Bits>;
  std::uint8_t const* from;
  std::size_t pitch;
  PLAIT_HOST_DEVICE quantized_row<Bits> row(std::size_t i) const {
    std::uint8_t const* const integers = from + i * pitch;
    std::uint8_t const* const scale = integers + (pitch - parameters::size);
    return {integers, parameters::load(scale), parameters::load(scale + parameters::size / 2)};
  }
};

/// Row reader of rows of 8-bit integers whose scales and biases are the rows of another matrix.
struct scaled_rows {
  std::uint8_t const* from;
  std::size_t width;
  float const* scale_bias;
  PLAIT_HOST_DEVICE quantized_row<8> row(std::size_t i) const {
    return {from + i * width, scale_bias[2 * i], scale_bias[2 * i + 1]};
  }
};

namespace detail {

/// Rounding to the nearest integer of numbers from 0 to 255, with ties to even, or away from zero.
struct ties_to_even {
  PLAIT_HOST_DEVICE unsigned operator()(float x) const { return static_cast<unsigned>((x + 0x1.8p23f) - 0x1.8p23f); }
};
struct ties_away {
  PLAIT_HOST_DEVICE unsigned operator()(float x) const {
    auto const below = static_cast<unsigned>(x);
    return below + (x - static_cast<float>(below) >= 0.5f ? 1U : 0U);
  }
};

/// Scale and bias of a quantised row, and the factor from differences to the bias to integers.
struct row_quantisation {
  float scale;
  float bias;
  float factor;

  /// Returns x as an integer from 0 to `most`, saturated; NaN as 0.
  template <class Round>
  PLAIT_HOST_DEVICE unsigned integer(float x, float most, Round const& round) const {
    float const y = (x - bias) * factor;
    return round(y > 0 ? (y < most ? y : most) : 0.0f);
  }

  /// Returns the parameters of a fused row with these extremes. The small number keeps the factor finite if all
  /// elements are equal.
  template <int Bits>
    requires(Bits == 8)
  PLAIT_HOST_DEVICE static row_quantisation of(float least, float greatest) {
    float const range = greatest - least;
    return {range / 255, least, 255 / (range + 1e-8f)};
  }
  /// Returns those of a fused row of fewer bits, which are float16 numbers; the factor depends on the rounded ones.
  template <int Bits>
    requires(Bits < 8)
  PLAIT_HOST_DEVICE static row_quantisation of(float least, float greatest) {
    auto const rounded = [](float x) { return convert<float>(convert<float16>(x)); };
    float const bias = rounded(least);
    float const range = greatest - bias;
    float const scale = rounded(range == 0 ? 1.0f : range / ((1 << Bits) - 1));
    float const factor = 1 / scale;
    if (scale == 0 || factor - factor != 0) return {1, bias, 1};
    return {scale, bias, factor};
  }
  /// Returns those of a row with separate parameters.
  PLAIT_HOST_DEVICE static row_quantisation separate(float least, float greatest) {
    float const range = greatest - least;
    if (range < 1e-10f) return {1, least, 0};
    return {range / 255, least, 255 / range};
  }
};

struct row_range {
  float least;
  float greatest;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static row_range of(float const* row, std::size_t width) {
    auto const element = [row](std::size_t i) { return row[i]; };
    return {reduce_row<min_reduction, float>(width, element), reduce_row<max_reduction, float>(width, element)};
  }
};

/// Quantises a row to integers followed by its parameters.
template <int Bits>
struct fused_row_writer {
  std::uint8_t* to;
  float const* from;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    using parameters = fused_parameters<Bits>;
    constexpr std::size_t per_byte = quantized_row<Bits>::per_byte;
    constexpr auto most = static_cast<float>((1 << Bits) - 1);
    float const* const in = from + row * width;
    std::size_t const bytes = width / per_byte;
    std::uint8_t* const out = to + row * (bytes + parameters::size);
    row_range const range = row_range::of(in, width);
    auto const made = row_quantisation::of<Bits>(range.least, range.greatest);
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      unsigned packed = 0;
      for (std::size_t k = 0; k < per_byte; ++k)
        packed |= made.integer(in[byte * per_byte + k], most, ties_to_even()) << (k * Bits);
      out[byte] = static_cast<std::uint8_t>(packed);
    }
    parameters::store(out + bytes, made.scale);
    parameters::store(out + bytes + parameters::size / 2, made.bias);
  }
};

/// Quantises a row to 8-bit integers, with its parameters in another matrix.
struct scaled_row_writer {
  std::uint8_t* to;
  float* scale_bias;
  float const* from;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    float const* const in = from + row * width;
    std::uint8_t* const out = to + row * width;
    row_range const range = row_range::of(in, width);
    auto const made = row_quantisation::separate(range.least, range.greatest);
    for (std::size_t i = 0; i < width; ++i) out[i] = static_cast<std::uint8_t>(made.integer(in[i], 255, ties_away()));
    scale_bias[2 * row] = made.scale;
    scale_bias[2 * row + 1] = made.bias;
  }
};

/// Copies columns of the rows of a row reader.
template <class Reader>
struct read_row {
  float* to;
  Reader from;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const in = from.row(row);
    float* const out = to + row * width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = in[i];
  }
};

}  // namespace detail

}  // namespace plait

PLAIT_KERNELS_END
