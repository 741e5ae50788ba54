// MatMulInteger and ConvInteger: products of 8-bit integers less their zero points, as int32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/kernels/integer_gemm.hpp>
#include <plait/exec/detail/kernels/integer_image.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Throws shape_error unless inputs 0 and 1 hold 8-bit integers, and their zero points, inputs 2 and 3, have their
/// types: one for input 0, and one or `places` for input 1.
inline void expect_integer_factors(shape_context const& c, std::int64_t places) {
  for (std::size_t const i : {0U, 1U}) {
    c.expect_type<std::int8_t, std::uint8_t>(i);
    if (c.input_count() <= i + 2) continue;
    c.expect_same_type(i, i + 2);
    c.expect(c.dims(i + 2).size() == 1 || (i == 1 && c.dims(3) == shape{places}), i + 2, "have one element",
             i == 1 ? ", or one for each column or unit" : "");
  }
}

/// Calls f(A{}, W{}) for the types of both factors.
template <backend B, class F>
void visit_integer_factors(op_context<B> const& c, F const& f) {
  visit_type<std::int8_t, std::uint8_t>(c.type(0), [&]<class A>(A) {
    visit_type<std::int8_t, std::uint8_t>(c.type(1), [&]<class W>(W) { f(A{}, W{}); });
  });
}
template <class T, backend B>
T const* zero_point(op_context<B> const& c, std::size_t i) {
  return c.input_count() > i ? c.template input<T>(i) : nullptr;
}

/// One element of a product, for devices. Sums wrap.
template <class A, class W>
struct integer_product {
  A const* a;
  W const* b;
  A const* a_zero;
  W const* b_zero;
  bool one_zero;
  std::size_t n, k;
  std::int32_t* c;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const column = i % n;
    int const less_a = a_zero == nullptr ? 0 : *a_zero;
    int const less_b = b_zero == nullptr ? 0 : b_zero[one_zero ? 0 : column];
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at != k; ++at)
      sum += static_cast<std::uint32_t>((a[i / n * k + at] - less_a) * (b[at * n + column] - less_b));
    c[i] = static_cast<std::int32_t>(sum);
  }
};

/// Subtracts the zero points of b from a product in which b is less 128 if it is of uint8: c -= zero * sum of the row.
template <class W>
struct zero_correction {
  std::int16_t const* a;
  std::size_t pitch;
  W const* zero;
  bool one_zero;
  std::int32_t* c;
  std::size_t n;
  static constexpr int shift = std::is_signed_v<W> ? 0 : 128;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::int32_t const sum = std::accumulate(a + row * pitch, a + (row + 1) * pitch, std::int32_t{0});
    std::int32_t* const line = c + row * n;
    auto const subtract = [&](std::size_t j, int less) {
      line[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(line[j]) -
                                          static_cast<std::uint32_t>(sum) * static_cast<std::uint32_t>(less));
    };
    if (one_zero) {
      int const less = (zero == nullptr ? 0 : *zero) - shift;
      for (std::size_t j = first; j < last; ++j) subtract(j, less);
    } else {
      for (std::size_t j = first; j < last; ++j) subtract(j, zero[j] - shift);
    }
  }
};

/// One element of a convolution, for devices.
template <class X, class W>
struct integer_window {
  X const* x;
  W const* w;
  X const* x_zero;
  W const* w_zero;
  bool one_zero;
  std::int32_t const* bias;
  windows at;
  std::int64_t channels, units, groups;
  std::int32_t* y;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    digits left = {static_cast<std::int64_t>(i)};
    std::int64_t const o2 = left.next(at.out[2]);
    std::int64_t const o1 = left.next(at.out[1]);
    std::int64_t const o0 = left.next(at.out[0]);
    std::int64_t const unit = left.next(units);
    std::int64_t const of_group = channels / groups;
    auto const places = static_cast<std::int64_t>(at.places());
    X const* plane = x + (left.rest * channels + unit / (units / groups) * of_group) * places;
    W const* tap = w + unit * of_group * static_cast<std::int64_t>(at.taps());
    int const less_x = x_zero == nullptr ? 0 : *x_zero;
    int const less_w = w_zero == nullptr ? 0 : w_zero[one_zero ? 0 : unit];
    std::uint32_t sum = bias == nullptr ? 0 : static_cast<std::uint32_t>(bias[unit]);
    for (std::int64_t channel = 0; channel != of_group; ++channel, plane += places)
      for (std::int64_t k0 = 0; k0 != at.kernel[0]; ++k0)
        for (std::int64_t k1 = 0; k1 != at.kernel[1]; ++k1)
          for (std::int64_t k2 = 0; k2 != at.kernel[2]; ++k2, ++tap) {
            std::int64_t const i0 = at.place_of(0, o0, k0);
            std::int64_t const i1 = at.place_of(1, o1, k1);
            std::int64_t const i2 = at.place_of(2, o2, k2);
            if (i0 >= 0 && i1 >= 0 && i2 >= 0)
              sum +=
                  static_cast<std::uint32_t>((plane[(i0 * at.in[1] + i1) * at.in[2] + i2] - less_x) * (*tap - less_w));
          }
    y[i] = static_cast<std::int32_t>(sum);
  }
};

}  // namespace detail

/// Kernel of MatMulInteger. Axes before the matrices broadcast.
template <backend B>
class mat_mul_integer_kernel final : public op_kernel<B> {
 public:
  explicit mat_mul_integer_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    for (std::size_t const i : {0U, 1U}) c.expect_rank(i, 2);
    shape a = c.dims(0);
    shape b = c.dims(1);
    auto const take_last = [](shape& dims) {
      std::int64_t const extent = dims[dims.rank() - 1];
      dims.erase(dims.rank() - 1);
      return extent;
    };
    n_ = take_last(b);
    k_ = take_last(a);
    m_ = take_last(a);
    if (std::int64_t const inner = take_last(b); inner != k_) detail::fail_inner(c, k_, inner);
    detail::expect_integer_factors(c, n_);
    one_zero_ = c.input_count() < 4 || c.dims(3).size() == 1;
    shape y = broadcast_shape(a, b);
    batches_ = broadcast_layout(y, a, b);
    // The matrices of A are the rows of one, and B is one matrix.
    is_one_ = b.size() == 1;
    if (is_one_) m_ *= a.size();
    y.push_back(c.dims(0)[c.dims(0).rank() - 2]);
    y.push_back(n_);
    c.output(0, element_type::int32, y);
    if constexpr (!B::on_device) {
      b_at_ = (static_cast<std::size_t>(m_ * detail::integer_pairs(k_)) * 4 + 63) / 64 * 64;
      c.scratch(b_at_ + detail::packed_integers(k_, n_));
    }
  }
  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    if constexpr (!B::on_device)
      if (is_one_ && input == 1) {
        if (to != nullptr)
          visit_type<std::int8_t, std::uint8_t>(c.type(1), [&]<class W>(W) {
            detail::pack_integers<B>(k_, n_, c.template input<W>(1), static_cast<std::int8_t*>(to));
          });
        return detail::packed_integers(k_, n_);
      }
    return 0;
  }
  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    detail::visit_integer_factors(c, [&]<class A, class W>(A, W) {
      std::int32_t* y = c.template output<std::int32_t>(0);
      for (std::size_t i = 0; i != (is_one_ ? 1 : batches_.count); ++i, y += m_ * n_) {
        detail::digits rest = {static_cast<std::int64_t>(i)};
        std::int64_t left = 0;
        std::int64_t right = 0;
        for (auto axis = static_cast<std::size_t>(batches_.rank); axis-- != 0 && !is_one_;) {
          std::int64_t const at = rest.next(batches_.extent[axis]);
          left += at * batches_.left[axis];
          right += at * batches_.right[axis];
        }
        multiply(c, c.template input<A>(0) + left * m_ * k_, c.template input<W>(1) + right * k_ * n_, y);
      }
    });
  }

 private:
  template <class A, class W>
  void multiply(op_context<B>& c, A const* a, W const* b, std::int32_t* y) const {
    A const* const a_zero = detail::zero_point<A>(c, 2);
    W const* const b_zero = detail::zero_point<W>(c, 3);
    auto const m = static_cast<std::size_t>(m_);
    auto const n = static_cast<std::size_t>(n_);
    auto const k = static_cast<std::size_t>(k_);
    if constexpr (B::on_device) {
      for_each_index<B>(m * n, detail::integer_product<A, W>{a, b, a_zero, b_zero, one_zero_, n, k, y});
    } else {
      auto* const bytes = static_cast<std::byte*>(c.scratch());
      auto* const wide = reinterpret_cast<std::int16_t*>(bytes);
      detail::widen_rows<B>(m, k, a, a_zero, false, wide);
      auto const* packed = static_cast<std::int8_t const*>(c.packed(1));
      if (packed == nullptr) {
        auto* const made = reinterpret_cast<std::int8_t*>(bytes + b_at_);
        detail::pack_integers<B>(k_, n_, b, made);
        packed = made;
      }
      detail::multiply_integers<B>(m_, n_, k_, wide, packed, y);
      if (std::is_signed_v<W> && (b_zero == nullptr || (one_zero_ && *b_zero == 0))) return;
      for_each_row_part<B>(m, n, 1, detail::zero_correction<W>{wide, k + k % 2, b_zero, one_zero_, y, n});
    }
  }

  std::int64_t m_ = 0, n_ = 0, k_ = 0;
  bool one_zero_ = true;
  bool is_one_ = false;
  std::size_t b_at_ = 0;  ///< in scratch memory, behind a
  broadcast_layout batches_;
};

/// Kernel of ConvInteger.
template <backend B>
class convolution_integer_kernel final : public op_kernel<B> {
 public:
  explicit convolution_integer_kernel(op_arguments const& a) : s_(a) {
    if (detail::read_channels_last(a)) a.fail("order", "must be NCHW");
  }

  void infer(shape_context& c) override {
    shape const y = s_.infer_shapes(c);
    detail::expect_integer_factors(c, s_.units);
    one_zero_ = c.input_count() < 4 || c.dims(3).size() == 1;
    if (c.input_count() == 5) {
      c.expect_type<std::int32_t>(4);
      c.expect(c.dims(4) == shape{s_.units}, 4, "have ", s_.units, " elements, one a unit");
    }
    c.output(0, element_type::int32, y);
    if constexpr (!B::on_device) {
      image_.assign(s_.w, s_.channels, s_.groups);
      w_at_ = image_.size() + static_cast<std::size_t>(s_.image() + s_.image() % 2);
      c.scratch((w_at_ + static_cast<std::size_t>(s_.units * detail::integer_pairs(s_.taps) * 2)) *
                sizeof(std::int16_t));
    }
  }
  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    detail::visit_integer_factors(c, [&]<class X, class W>(X, W) {
      X const* const x = c.template input<X>(0);
      W const* const w = c.template input<W>(1);
      X const* const x_zero = detail::zero_point<X>(c, 2);
      W const* const w_zero = detail::zero_point<W>(c, 3);
      std::int32_t const* const bias = detail::zero_point<std::int32_t>(c, 4);
      std::int32_t* const y = c.template output<std::int32_t>(0);
      if constexpr (B::on_device) {
        for_each_index<B>(c.output_size(0), detail::integer_window<X, W>{x, w, x_zero, w_zero, one_zero_, bias, s_.w,
                                                                         s_.channels, s_.units, s_.groups, y});
      } else {
        auto* const copy = static_cast<std::int16_t*>(c.scratch());
        std::int16_t* const plain = copy + image_.size();
        std::int16_t* const wide = copy + w_at_;
        detail::widen_rows<B>(static_cast<std::size_t>(s_.units), static_cast<std::size_t>(s_.taps), w, w_zero,
                              !one_zero_, wide);
        for (std::int64_t image = 0; image != s_.images; ++image) {
          detail::widen_rows<B>(1, static_cast<std::size_t>(s_.image()), x + image * s_.image(), x_zero, false, plain);
          image_.template copy<B>(static_cast<std::int16_t const*>(plain), copy);
          detail::multiply_integer_image<B>(image_, copy, s_.groups, s_.units, wide, bias, y + image * s_.output());
        }
      }
    });
  }

 private:
  detail::convolution_shape s_;
  bool one_zero_ = true;
  padded_image image_;
  std::size_t w_at_ = 0;  ///< in scratch memory, behind the copies of an image, in elements
};

/// Adds MatMulInteger, ConvInteger: int8 and uint8 in any combination.
template <backend B>
void add_integer_product_operators(operators<B>& table) {
  table.template add<mat_mul_integer_kernel>(
      op_schema("MatMulInteger")
          .inputs(2, 4)
          .outputs(1)
          .checks_first()
          .describe("Y: …×M×N = (A - a zero point): …×M×K · (B - b zero point): …×K×N, exact modulo 2^32 (inputs A, B, "
                    "[a zero point, "
                    "[b zero point, for all columns or one for each]]); axes before the matrices broadcast"));
  op_schema conv("ConvInteger");
  table.template add<convolution_integer_kernel>(std::move(detail::describe_convolution(conv).inputs(2, 5).describe(
      "Y = b + Conv(X - x zero point, W - w zero point), exact modulo 2^32; padding adds nothing (inputs X, W, [x "
      "zero point, [w zero point, for all units or one for each, [b of int32]]])")));
}

}  // namespace plait

PLAIT_KERNELS_END
