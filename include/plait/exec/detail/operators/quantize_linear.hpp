// QuantizeLinear and DequantizeLinear: affine quantisation to integers with a scale and a zero point.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Index map from the elements of a tensor to its scales: one for all, one for each place of an axis, or, blocked, one
/// for each block of consecutive places. The tensor is rows of `width` elements, whose scales are `step` apart.
struct quantised_rows {
  std::size_t rows = 1;
  std::size_t width = 1;
  std::size_t step = 0;
  std::size_t places = 1;  ///< rows along the axis
  std::size_t block = 1;   ///< places that share scales
  std::size_t outer = 0;   ///< scales of all places of the axis, if the axes before it have scales of their own
  std::size_t inner = 1;   ///< scales of a place
  PLAIT_HOST_DEVICE std::size_t first(std::size_t row) const {
    return row / places * outer + row % places / block * inner;
  }

  quantised_rows() = default;
  /// Throws unless input 1 has one element, one for each place of the axis of input 0, or with `blocked`, the extents
  /// of input 0 but for the axis, where it has one for each `blocked` places.
  quantised_rows(shape_context const& c, std::int64_t at, std::int64_t blocked) {
    shape const& x = c.dims(0);
    shape const& scales = c.dims(1);
    width = static_cast<std::size_t>(x.size());
    if (blocked == 0 && scales.rank() < 2 && scales.size() == 1) return;
    std::size_t const axis = c.axis(0, at);
    std::size_t const extent = static_cast<std::size_t>(x[axis]);
    auto const before = static_cast<std::size_t>(x.size_to(axis));
    auto const after = static_cast<std::size_t>(x.size_from(axis + 1));
    if (blocked == 0) {
      c.expect_rank(1, 1, 1);
      c.expect(scales[0] == x[axis], 1, "have one element, or ", x[axis], ", as axis ", axis, " of ", c.input_text(0));
      if (after == 1) {
        rows = before;
        width = extent;
        step = 1;
      } else {
        rows = before * extent;
        width = after;
        places = extent;
      }
    } else {
      shape wanted = x;
      wanted.set(axis, x[axis] / blocked + (x[axis] % blocked != 0 ? 1 : 0));
      c.expect(scales == wanted, 1, "be ", wanted, ", with an element for each block of ", c.input_text(0));
      rows = before * extent;
      width = after;
      step = 1;
      places = extent;
      block = static_cast<std::size_t>(blocked);
      inner = after;
      outer = static_cast<std::size_t>(wanted[axis]) * after;
    }
    if (places == 0) places = 1;  // of an empty tensor
  }
};

/// Returns x / scale + zero, rounded to the nearest integer, ties to even, and saturated; zero for NaN. Q has at most
/// 16 bits: a bound of 2^17 before the rounding changes no result, and makes the sum with 1.5 * 2^23, or with 1.5 *
/// 2^52, round to an integer.
template <class Q, std::floating_point T>
PLAIT_HOST_DEVICE constexpr Q quantize(T x, T scale, Q zero) {
  static_assert(sizeof(Q) <= 2);
  constexpr T bound = 131072;
  constexpr T shift = std::same_as<T, float> ? T(0x1.8p23) : T(0x1.8p52);
  T y = x / scale;
  if (y != y) y = 0;
  y = y < -bound ? -bound : y > bound ? bound : y;
  auto const whole = static_cast<std::int32_t>((y + shift) - shift) + static_cast<std::int32_t>(zero);
  constexpr std::int32_t least = std::numeric_limits<Q>::min();
  constexpr std::int32_t most = std::numeric_limits<Q>::max();
  return static_cast<Q>(whole < least ? least : whole > most ? most : whole);
}

template <class Q, class T>
struct quantised_row {
  T const* x;
  T const* scales;
  Q const* zeros;
  Q* y;
  bool one_zero;
  quantised_rows at;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::size_t const k = at.first(row);
    T const* const from = x + row * at.width;
    Q* const to = y + row * at.width;
    if (at.step == 0) {
      T const scale = scales[k];
      Q const zero = zeros[one_zero ? 0 : k];
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = quantize(from[i], scale, zero);
    } else {
      for (std::size_t i = first; i < last; ++i) to[i] = quantize(from[i], scales[k + i], zeros[one_zero ? 0 : k + i]);
    }
  }
};

template <class Q, class T>
struct dequantised_row {
  Q const* x;
  T const* scales;
  Q const* zeros;  // null: all zero
  T* y;
  bool one_zero;
  quantised_rows at;
  // The difference is exact: int32 for 8 and 16 bits, int64 for 32.
  using difference = std::conditional_t<sizeof(Q) < 4, std::int32_t, std::int64_t>;
  PLAIT_HOST_DEVICE static T number(Q x, difference zero, T scale) {
    return static_cast<T>(static_cast<difference>(x) - zero) * scale;
  }
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::size_t const k = at.first(row);
    Q const* const from = x + row * at.width;
    T* const to = y + row * at.width;
    if (at.step == 0) {
      T const scale = scales[k];
      difference const zero = zeros == nullptr ? 0 : zeros[one_zero ? 0 : k];
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = number(from[i], zero, scale);
    } else {
      for (std::size_t i = first; i < last; ++i)
        to[i] = number(from[i], zeros == nullptr ? 0 : zeros[one_zero ? 0 : k + i], scales[k + i]);
    }
  }
};

/// Arguments and extents of QuantizeLinear and DequantizeLinear.
struct linear_quantisation {
  std::int64_t axis;
  std::int64_t block;
  quantised_rows at = {};
  bool one_zero = true;

  explicit linear_quantisation(op_arguments const& a) : axis(a.integer("axis")), block(a.integer("block_size")) {
    if (block < 0) a.fail("block_size", "is below 0");
  }
  void infer(shape_context const& c, bool has_zeros) {
    at = quantised_rows(c, axis, block);
    if (!has_zeros) return;
    one_zero = c.dims(2).size() == 1 && c.dims(2).rank() < 2;
    c.expect(one_zero || c.dims(2) == c.dims(1), 2, "have one element, or the shape of ", c.input_text(1));
  }
};

inline op_schema describe_linear_quantisation(op_schema made) {
  return made.outputs(1)
      .checks_first()
      .argument("axis", std::int64_t{1}, "of the scales, where there are several")
      .argument("block_size", std::int64_t{0}, "places of the axis that share a scale; 0: one scale for each place");
}

}  // namespace detail

/// QuantizeLinear: inputs X, scale, zero point. Y has the type of the zero point.
template <backend B>
class quantize_linear_kernel final : public op_kernel<B> {
 public:
  explicit quantize_linear_kernel(op_arguments const& a) : q_(a) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.template expect_type<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(2);
    q_.infer(c, true);
    c.output(0, c.type(2), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      visit_type<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(c.type(2), [&]<class Q>(Q) {
        for_each_row_part<B>(
            q_.at.rows, q_.at.width, 4,
            detail::quantised_row<Q, T>{c.template input<T>(0), c.template input<T>(1), c.template input<Q>(2),
                                        c.template output<Q>(0), q_.one_zero, q_.at});
      });
    });
  }

 private:
  detail::linear_quantisation q_;
};

/// DequantizeLinear: inputs X, scale and optionally a zero point. Y has the type of the scale.
template <backend B>
class dequantize_linear_kernel final : public op_kernel<B> {
 public:
  explicit dequantize_linear_kernel(op_arguments const& a) : q_(a), has_zeros_(a.input_count() == 3) {}
  void infer(shape_context& c) override {
    c.template expect_type<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t>(0);
    c.template expect_type<float, double>(1);
    if (has_zeros_) c.expect_same_type(0, 2);
    q_.infer(c, has_zeros_);
    c.output(0, c.type(1), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      visit_type<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t>(c.type(0), [&]<class Q>(Q) {
        Q const* const zeros = has_zeros_ ? c.template input<Q>(2) : nullptr;
        for_each_row_part<B>(q_.at.rows, q_.at.width, 1,
                             detail::dequantised_row<Q, T>{c.template input<Q>(0), c.template input<T>(1), zeros,
                                                           c.template output<T>(0), q_.one_zero, q_.at});
      });
    });
  }

 private:
  detail::linear_quantisation q_;
  bool has_zeros_;
};

/// Adds QuantizeLinear, DequantizeLinear: float and double; integers of 8 and 16 bits, and int32 to dequantise.
template <backend B>
void add_quantize_linear_operators(operators<B>& table) {
  table.template add<quantize_linear_kernel>(detail::describe_linear_quantisation(op_schema("QuantizeLinear").inputs(3))
                                                 .describe("Y = X / scale + zero point (inputs X, scale, zero point), "
                                                           "to nearest, ties to even, and saturated"));
  table.template add<dequantize_linear_kernel>(
      detail::describe_linear_quantisation(op_schema("DequantizeLinear").inputs(2, 3))
          .describe("Y = (X - zero point) * scale (inputs X, scale, zero point)"));
}

}  // namespace plait

PLAIT_KERNELS_END
