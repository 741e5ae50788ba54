// Row-wise quantisation of matrices and back: FloatToFused8BitRowwiseQuantized and its family.
//
// A row of a fused matrix is its integers, of 2, 4 or 8 bits, and then its scale and bias: two floats after 8 bits, two
// float16 after fewer. The older 8-bit format has scales and biases in a matrix of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/kernels/quantized_rows.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Returns the columns that the rows of a fused matrix represent. Throws shape_error unless input `i` is one.
template <int Bits>
std::int64_t fused_columns(shape_context const& c, std::size_t i) {
  constexpr auto tail = static_cast<std::int64_t>(fused_parameters<Bits>::size);
  c.expect_type<std::uint8_t>(i);
  c.expect_rank(i, 1);
  std::int64_t const bytes = c.dims(i)[c.dims(i).rank() - 1];
  c.expect(bytes >= tail, i, "have rows of ", tail, " bytes at least, a scale and a bias");
  return (bytes - tail) * (8 / Bits);
}

/// Throws shape_error unless inputs `i` and `parameters` are 8-bit integers, and a scale and a bias for each row.
inline void expect_scaled_rows(shape_context const& c, std::size_t i, std::size_t parameters) {
  c.expect_type<std::uint8_t>(i);
  c.expect_rank(i, 1);
  c.expect_type<float>(parameters);
  shape const wanted = {c.dims(i)[0], 2};
  c.expect(c.dims(parameters) == wanted, parameters, "be ", wanted, ", a scale and a bias for each row");
}

template <backend B, int Bits>
class fused_quantize_kernel final : public op_kernel<B> {
 public:
  explicit fused_quantize_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.expect_type<float>(0);
    c.expect_rank(0, 1);
    shape made = c.dims(0);
    std::size_t const last = made.rank() - 1;
    constexpr std::int64_t per_byte = 8 / Bits;
    c.expect(made[last] % per_byte == 0, 0, "have a multiple of ", per_byte, " columns");
    width_ = static_cast<std::size_t>(made[last]);
    rows_ = static_cast<std::size_t>(made.size_to(last));
    made.set(last, made[last] / per_byte + static_cast<std::int64_t>(fused_parameters<Bits>::size));
    c.output(0, element_type::uint8, made);
  }
  void run(op_context<B>& c) override {
    for_each_row<B>(rows_, 8 * width_,
                    fused_row_writer<Bits>{c.template output<std::uint8_t>(0), c.template input<float>(0), width_});
  }

 private:
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
};

template <backend B, int Bits>
class fused_dequantize_kernel final : public op_kernel<B> {
 public:
  explicit fused_dequantize_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    shape made = c.dims(0);
    std::int64_t const columns = fused_columns<Bits>(c, 0);
    std::size_t const last = made.rank() - 1;
    pitch_ = static_cast<std::size_t>(made[last]);
    width_ = static_cast<std::size_t>(columns);
    rows_ = static_cast<std::size_t>(made.size_to(last));
    made.set(last, columns);
    c.output(0, element_type::float32, made);
  }
  void run(op_context<B>& c) override {
    fused_rows<Bits> const from{c.template input<std::uint8_t>(0), pitch_};
    for_each_row_part<B>(rows_, width_, 1, read_row<fused_rows<Bits>>{c.template output<float>(0), from, width_});
  }

 private:
  std::size_t rows_ = 0;
  std::size_t pitch_ = 0;
  std::size_t width_ = 0;
};

}  // namespace detail

/// FloatToRowwiseQuantized8Bits: outputs integers and a matrix of a scale and a bias for each row. A row is all axes
/// but the first.
template <backend B>
class rowwise_quantize_kernel final : public op_kernel<B> {
 public:
  explicit rowwise_quantize_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float>(0);
    c.expect_rank(0, 1);
    c.output(0, element_type::uint8, c.dims(0));
    c.output(1, element_type::float32, {c.dims(0)[0], 2});
  }
  void run(op_context<B>& c) override {
    auto const width = static_cast<std::size_t>(c.dims(0).size_from(1));
    for_each_row<B>(static_cast<std::size_t>(c.dims(0)[0]), 8 * width,
                    detail::scaled_row_writer{c.template output<std::uint8_t>(0), c.template output<float>(1),
                                              c.template input<float>(0), width});
  }
};

/// Rowwise8BitQuantizedToFloat.
template <backend B>
class rowwise_dequantize_kernel final : public op_kernel<B> {
 public:
  explicit rowwise_dequantize_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    detail::expect_scaled_rows(c, 0, 1);
    c.output(0, element_type::float32, c.dims(0));
  }
  void run(op_context<B>& c) override {
    auto const width = static_cast<std::size_t>(c.dims(0).size_from(1));
    scaled_rows const from{c.template input<std::uint8_t>(0), width, c.template input<float>(1)};
    for_each_row_part<B>(static_cast<std::size_t>(c.dims(0)[0]), width, 1,
                         detail::read_row<scaled_rows>{c.template output<float>(0), from, width});
  }
};

/// Adds FloatToFused8BitRowwiseQuantized, Fused8BitRowwiseQuantizedToFloat, and those of 4 and 2 bits,
/// FloatToRowwiseQuantized8Bits, Rowwise8BitQuantizedToFloat: float.
template <backend B>
void add_rowwise_quantization_operators(operators<B>& table) {
  auto const add = [&]<int Bits>() {
    std::string const fused = "Fused" + std::to_string(Bits) + "BitRowwiseQuantized";
    std::string const layout =
        Bits == 8 ? ", followed by its scale and bias, two floats" : ", followed by its scale and bias, two float16";
    table.template add<detail::fused_quantize_kernel<B, Bits>>(
        op_schema("FloatTo" + fused)
            .inputs(1)
            .outputs(1)
            .checks_first()
            .describe("each row of X as integers of " + std::to_string(Bits) + " bits from its minimum to its maximum" +
                      layout));
    table.template add<detail::fused_dequantize_kernel<B, Bits>>(
        op_schema(fused + "ToFloat")
            .inputs(1)
            .outputs(1)
            .checks_first()
            .describe("Y = integers of " + std::to_string(Bits) +
                      " bits times the scale of their row plus its bias; "
                      "a row of X is its integers" +
                      layout));
  };
  add.template operator()<8>();
  add.template operator()<4>();
  add.template operator()<2>();
  table.template add<rowwise_quantize_kernel>(
      op_schema("FloatToRowwiseQuantized8Bits")
          .inputs(1)
          .outputs(2)
          .checks_first()
          .describe("each row of X as integers of 8 bits from its minimum to its maximum; the second output has the "
                    "scale and the bias of each row"));
  table.template add<rowwise_dequantize_kernel>(
      op_schema("Rowwise8BitQuantizedToFloat")
          .inputs(2)
          .outputs(1)
          .checks_first()
          .describe("Y = integers of 8 bits times the scale of their row plus its bias (inputs integers, scales and "
                    "biases)"));
}

}  // namespace plait

PLAIT_KERNELS_END
