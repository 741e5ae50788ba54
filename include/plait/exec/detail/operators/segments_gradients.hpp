// Gradients of reductions of segments, by their lengths: float and double. See segments.hpp.
//
// Ops with an input of as many rows (indices, weights or X) take the number of rows from it, such as those with
// "IndicesInGradient" in their name; others add up the lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Input numbers of a segment gradient op; npos: absent.
struct segment_operands {
  std::size_t count;
  std::size_t dy;
  std::size_t lengths;
  std::size_t rows = npos;     // determines the number of rows
  std::size_t weights = npos;  // one per row
  std::size_t x = npos;        // the reduced input
  std::size_t y = npos;        // the result
  std::size_t indices = npos;  // of the reduced rows of x
};

// Gradient of a row from that of its segment, by kind of reduction.
template <class T>
struct whole_share {
  PLAIT_HOST_DEVICE T operator()(T dy, std::int64_t, std::size_t, std::size_t, T) const { return dy; }
};
template <class T>
struct mean_share {
  PLAIT_HOST_DEVICE T operator()(T dy, std::int64_t, std::size_t, std::size_t, T count) const { return dy / count; }
};
template <class T>
struct weighted_share {
  T const* weights;
  PLAIT_HOST_DEVICE T operator()(T dy, std::int64_t row, std::size_t, std::size_t, T) const {
    return dy * weights[row];
  }
};
template <class T>
struct maximum_share {
  T const* x;
  T const* y;
  PLAIT_HOST_DEVICE T operator()(T dy, std::int64_t, std::size_t at, std::size_t result, T) const {
    T const a = x[at];
    T const b = y[result];
    return static_cast<bool>((a == b) | ((a != a) & (b != b))) ? dy : T(0);
  }
};

template <class T, bool Mean>
struct exponential_share {
  T const* x;
  T const* y;
  PLAIT_HOST_DEVICE T operator()(T dy, std::int64_t, std::size_t at, std::size_t result, T count) const {
    T const share = dy * math::exp(x[at] - y[result]);
    return Mean ? share / count : share;
  }
};

template <class T, class Share>
struct segment_backward {
  T* dx;
  T const* dy;
  std::int64_t const* offsets;
  std::size_t width;
  Share share;
  PLAIT_HOST_DEVICE void operator()(std::size_t segment, std::size_t first, std::size_t last) const {
    std::int64_t const begin = offsets[segment];
    std::int64_t const end = offsets[segment + 1];
    auto const count = static_cast<T>(end - begin);
    std::size_t const result = segment * width;
    T const* const from = dy + result;
    Share const share_of = share;
    for (std::int64_t row = begin; row < end; ++row) {
      std::size_t const at = static_cast<std::size_t>(row) * width;
      T* const to = dx + at;
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = share_of(from[i], row, at + i, result + i, count);
    }
  }
};

// Computes the gradients of the weights of a segment's rows.
template <class T, class Row>
struct weight_slopes {
  T* dw;
  T const* dy;
  T const* x;
  std::int64_t const* offsets;
  std::size_t width;
  Row row_of;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t segment) const {
    T const* const a = dy + segment * width;
    for (std::int64_t row = offsets[segment]; row < offsets[segment + 1]; ++row) {
      T const* const b = x + row_of(row) * width;
      dw[row] = reduce_row<sum_reduction, T>(width, [a, b](std::size_t i) { return a[i] * b[i]; });
    }
  }
};

enum class segment_share : std::uint8_t { whole, mean, weighted, maximum, log_sum_exp, log_mean_exp };

/// Returns the function of a kind of share, for the operands of an op.
template <segment_share Share, segment_operands At, class T, backend B>
auto share_function(op_context<B> const& c) {
  if constexpr (Share == segment_share::whole)
    return whole_share<T>();
  else if constexpr (Share == segment_share::mean)
    return mean_share<T>();
  else if constexpr (Share == segment_share::weighted)
    return weighted_share<T>{c.template input<T>(At.weights)};
  else if constexpr (Share == segment_share::maximum)
    return maximum_share<T>{c.template input<T>(At.x), c.template input<T>(At.y)};
  else
    return exponential_share<T, Share == segment_share::log_mean_exp>{c.template input<T>(At.x),
                                                                      c.template input<T>(At.y)};
}

/// Computes dX, with as many rows as the lengths add up to, and dW if the op has x and weights.
template <backend B, segment_share Share, segment_operands At>
class lengths_gradient_kernel : public op_kernel<B> {
 public:
  static constexpr bool has_weight_gradient = At.weights != npos && At.x != npos;
  static constexpr std::size_t inputs = At.count;
  static constexpr std::size_t outputs = has_weight_gradient ? 2 : 1;
  /// The lengths, if only their sum determines the number of rows; else npos.
  static constexpr std::size_t shape_input = At.rows == npos ? At.lengths : npos;

  explicit lengths_gradient_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    element_type const type = c.expect_type<float, double>(At.dy);
    c.expect_rank(At.dy, 1);
    c.expect_type<std::int32_t, std::int64_t>(At.lengths);
    c.expect_rank(At.lengths, 1, 1);
    c.expect(c.dims(At.dy)[0] == c.dims(At.lengths)[0], At.dy, "have a row for each of ", c.dims(At.lengths)[0],
             " segments");
    shape made = c.dims(At.dy);
    if constexpr (At.rows == npos) {
      rows_ = sum(c);
    } else {
      c.expect_rank(At.rows, 1);
      rows_ = c.dims(At.rows)[0];
    }
    made.set(0, rows_);
    width_ = static_cast<std::size_t>(made.size_from(1));
    if constexpr (At.weights != npos) {
      c.expect_same_type(At.dy, At.weights);
      c.expect(c.dims(At.weights) == shape{rows_}, At.weights, "have a weight for each of ", rows_, " rows");
    }
    if constexpr (At.indices != npos) {
      c.expect_type<std::int32_t, std::int64_t>(At.indices);
      c.expect_rank(At.indices, 1, 1);
    }
    if constexpr (At.x != npos) {
      c.expect_same_type(At.dy, At.x);
      shape wanted = c.dims(At.x);
      if (wanted.rank() == made.rank()) wanted.set(0, rows_);
      c.expect(wanted == made, At.x, "have rows like those of ", c.input(At.dy));
    }
    if constexpr (At.y != npos) {
      c.expect_same_type(At.dy, At.y);
      c.expect_same_dims(At.dy, At.y);
    }
    c.output(0, type, made);
    if constexpr (has_weight_gradient) c.output(1, type, {rows_});
    c.scratch((static_cast<std::size_t>(c.dims(At.lengths)[0]) + 1) * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    auto* const offsets = static_cast<std::int64_t*>(c.scratch());
    visit_type<std::int32_t, std::int64_t>(c.type(At.lengths), [&]<class I>(I) {
      segment_offsets<B>(offsets, c.template input<I>(At.lengths), c.size(At.lengths), rows_);
    });
    if constexpr (At.indices != npos && At.x != npos)
      visit_type<std::int32_t, std::int64_t>(c.type(At.indices), [&]<class I>(I) {
        I const* const list = c.template input<I>(At.indices);
        check_indices<B>(list, c.size(At.indices), c.dims(At.x)[0]);
        weigh(c, offsets, named_row<I>{list});
      });
    else if constexpr (has_weight_gradient)
      weigh(c, offsets, following_row());
    visit_type<float, double>(c.type(At.dy),
                              [&]<class T>(T) { share<T>(c, offsets, share_function<Share, At, T>(c)); });
  }

 private:
  std::int64_t sum(shape_context const& c) {
    std::int64_t made = 0;
    for (std::int64_t const length : c.integers(At.lengths, lengths_)) {
      if (length < 0 || length > std::numeric_limits<std::int64_t>::max() - made)
        c.fail("length " + std::to_string(length) + " is negative or too large");
      made += length;
    }
    return made;
  }
  template <class T, class F>
  void share(op_context<B>& c, std::int64_t const* offsets, F const& share_of) const {
    std::size_t const segments = c.size(At.lengths);
    for_each_row_part<B>(
        segments, width_, segments == 0 ? 1 : 1 + static_cast<std::size_t>(rows_) / segments,
        segment_backward<T, F>{c.template output<T>(0), c.template input<T>(At.dy), offsets, width_, share_of});
  }
  template <class Row>
  void weigh(op_context<B>& c, std::int64_t const* offsets, Row const& row_of) const {
    visit_type<float, double>(c.type(At.dy), [&]<class T>(T) {
      std::size_t const segments = c.size(At.lengths);
      for_each_row<B>(segments, segments == 0 ? 1 : (1 + static_cast<std::size_t>(rows_) / segments) * (1 + width_),
                      weight_slopes<T, Row>{c.template output<T>(1), c.template input<T>(At.dy),
                                            c.template input<T>(At.x), offsets, width_, row_of});
    });
  }

  std::vector<std::int64_t> lengths_;
  std::int64_t rows_ = 0;
  std::size_t width_ = 0;
};

}  // namespace detail

/// Gradients of the Lengths… and SparseLengths… reductions. For sparse ops they are the values of a sparse gradient,
/// whose indices are those of the op.
template <backend B>
void add_segment_gradient_operators(operators<B>& table) {
  using detail::segment_operands;
  using detail::segment_share;
  auto const add = [&]<class Kernel>(op_schema schema, std::string_view text) {
    schema.inputs(Kernel::inputs).outputs(Kernel::outputs).checks_first().describe(text);
    if (Kernel::shape_input != npos) schema.shape_from(Kernel::shape_input);
    table.template add<Kernel>(std::move(schema));
  };
  constexpr segment_operands summed = {.count = 2, .dy = 0, .lengths = 1};
  constexpr segment_operands with_rows = {.count = 3, .dy = 0, .lengths = 1, .rows = 2};
  using sum_kernel = detail::lengths_gradient_kernel<B, segment_share::whole, summed>;
  using mean_kernel = detail::lengths_gradient_kernel<B, segment_share::mean, summed>;
  using sum_of_rows_kernel = detail::lengths_gradient_kernel<B, segment_share::whole, with_rows>;
  using mean_of_rows_kernel = detail::lengths_gradient_kernel<B, segment_share::mean, with_rows>;
  std::string_view const sum = "rows of dX = the row of dY of their segment (inputs dY, lengths)";
  std::string_view const mean =
      "rows of dX = the row of dY of their segment divided by its length (inputs dY, lengths)";
  std::string_view const sum_of_rows = "rows of dX = the row of dY of their segment (inputs dY, lengths, indices or X)";
  std::string_view const mean_of_rows =
      "rows of dX = the row of dY of their segment divided by its length (inputs dY, lengths, indices or X)";
  for (std::string_view const type : {"LengthsSumGradient", "SparseLengthsSumGradient"})
    add.template operator()<sum_kernel>(op_schema(type), sum);
  for (std::string_view const type : {"LengthsMeanGradient", "SparseLengthsMeanGradient"})
    add.template operator()<mean_kernel>(op_schema(type), mean);
  for (std::string_view const type :
       {"LengthsIndicesInGradientSumGradient", "SparseLengthsIndicesInGradientSumGradient"})
    add.template operator()<sum_of_rows_kernel>(op_schema(type), sum_of_rows);
  for (std::string_view const type :
       {"LengthsIndicesInGradientMeanGradient", "SparseLengthsIndicesInGradientMeanGradient"})
    add.template operator()<mean_of_rows_kernel>(op_schema(type), mean_of_rows);

  constexpr segment_operands weighted = {.count = 3, .dy = 1, .lengths = 2, .rows = 0, .weights = 0};
  constexpr segment_operands with_indices = {.count = 4, .dy = 1, .lengths = 2, .rows = 3, .weights = 0};
  constexpr segment_operands with_data = {.count = 4, .dy = 1, .lengths = 2, .rows = 3, .weights = 0, .x = 3};
  constexpr segment_operands with_data_and_indices = {
      .count = 5, .dy = 1, .lengths = 2, .rows = 4, .weights = 0, .x = 3, .indices = 4};
  constexpr segment_operands maximum = {.count = 4, .dy = 1, .lengths = 2, .rows = 3, .x = 3, .y = 0};
  add.template operator()<detail::lengths_gradient_kernel<B, segment_share::weighted, weighted>>(
      op_schema("LengthsWeightedSumGradient"),
      "rows of dX = the row of dY of their segment times their weight (inputs weights, dY, lengths)");
  add.template operator()<detail::lengths_gradient_kernel<B, segment_share::weighted, with_indices>>(
      op_schema("SparseLengthsIndicesInGradientWeightedSumGradient"),
      "rows of dX = the row of dY of their segment times their weight (inputs weights, dY, lengths, indices)");
  add.template operator()<detail::lengths_gradient_kernel<B, segment_share::weighted, with_data>>(
      op_schema("LengthsWeightedSumWithMainInputGradient").no_doubles_in_caffe2(),
      "rows of dX = the row of dY of their segment times their weight; dW = its product with the row of X (inputs "
      "weights, dY, lengths, X)");
  add.template operator()<detail::lengths_gradient_kernel<B, segment_share::weighted, with_data_and_indices>>(
      op_schema("SparseLengthsIndicesInGradientWeightedSumWithMainInputGradient").no_doubles_in_caffe2(),
      "rows of dX = the row of dY of their segment times their weight; dW = its product with the row of X that the "
      "index names (inputs weights, dY, lengths, X, indices)");
  add.template operator()<detail::lengths_gradient_kernel<B, segment_share::maximum, maximum>>(
      op_schema("LengthsMaxWithMainInputAndForwardOutputGradient").no_doubles_in_caffe2(),
      "dX = dY of the segment where X is as large as Y, 0 elsewhere (inputs Y, dY, lengths, X)");
}

}  // namespace plait

PLAIT_KERNELS_END
