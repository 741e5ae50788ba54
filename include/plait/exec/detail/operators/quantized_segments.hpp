// Segment reductions over the rows of quantised tables (embedding bags): SparseLengthsSumFused8BitRowwise and its
// family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/quantized_rows.hpp>
#include <plait/exec/detail/op_context.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/rowwise_quantization.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Row format of fused rows, as element_rows.
template <int Bits>
struct fused_row_format {
  static constexpr std::size_t parameters = 0;

  template <bool>
  static tensor_spec infer(shape_context const& c, std::size_t) {
    std::int64_t const columns = fused_columns<Bits>(c, 0);
    c.expect_rank(0, 2, 2);
    return {element_type::float32, {c.dims(0)[0], columns}};
  }
  template <bool, class F>
  static void visit(element_type, F const& f) {
    f(float());
  }
  template <class T, backend B>
  static fused_rows<Bits> reader(op_context<B> const& c, std::size_t, std::size_t) {
    return {c.template input<std::uint8_t>(0), static_cast<std::size_t>(c.dims(0)[1])};
  }
};

/// Row format of 8-bit integers with a matrix of scales and biases after the segments, as element_rows.
struct scaled_row_format {
  static constexpr std::size_t parameters = 1;

  template <bool>
  static tensor_spec infer(shape_context const& c, std::size_t at) {
    expect_scaled_rows(c, 0, at);
    return {element_type::float32, c.dims(0)};
  }
  template <bool, class F>
  static void visit(element_type, F const& f) {
    f(float());
  }
  template <class T, backend B>
  static scaled_rows reader(op_context<B> const& c, std::size_t at, std::size_t width) {
    return {c.template input<std::uint8_t>(0), width, c.template input<float>(at)};
  }
};

}  // namespace detail

/// Adds SparseLengthsSumFused8BitRowwise, SparseLengthsMeanFused8BitRowwise, SparseLengthsWeightedSumFused8BitRowwise,
/// and those of 4 and 2 bits, SparseLengthsSum8BitsRowwise, SparseLengthsMean8BitsRowwise,
/// SparseLengthsWeightedSum8BitsRowwise, SparseLengthsWeightedMean8BitsRowwise.
template <backend B>
void add_quantized_segment_operators(operators<B>& table) {
  auto const add = [&]<class Format, segment_reduction Reduction, bool Weighted>(std::string const& rows) {
    using kernel = detail::lengths_reduction_kernel<B, Reduction, Weighted, true, Format>;
    std::string const how = Reduction == segment_reduction::mean ? "Mean" : "Sum";
    table.template add<kernel>(op_schema("SparseLengths" + std::string(Weighted ? "Weighted" : "") + how + rows)
                                   .inputs(kernel::lengths + 1 + Format::parameters)
                                   .outputs(1)
                                   .checks_first()
                                   .describe("SparseLengths" + std::string(Weighted ? "WeightedSum" : how) +
                                             " of the rows of a quantised table" +
                                             (Weighted && how == "Mean" ? ", divided by the lengths" : "") +
                                             " (inputs table, " + (Weighted ? "weights, " : "") + "indices, lengths" +
                                             (Format::parameters == 0 ? "" : ", scales and biases") + ")"));
  };
  constexpr auto sum = segment_reduction::sum;
  constexpr auto mean = segment_reduction::mean;
  auto const add_fused = [&]<int Bits>() {
    using format = detail::fused_row_format<Bits>;
    std::string const rows = "Fused" + std::to_string(Bits) + "BitRowwise";
    add.template operator()<format, sum, false>(rows);
    add.template operator()<format, sum, true>(rows);
    add.template operator()<format, mean, false>(rows);
  };
  add_fused.template operator()<8>();
  add_fused.template operator()<4>();
  add_fused.template operator()<2>();
  add.template operator()<detail::scaled_row_format, sum, false>("8BitsRowwise");
  add.template operator()<detail::scaled_row_format, sum, true>("8BitsRowwise");
  add.template operator()<detail::scaled_row_format, mean, false>("8BitsRowwise");
  add.template operator()<detail::scaled_row_format, mean, true>("8BitsRowwise");
}

}  // namespace plait
