// Gradients of reductions of numbered segments, SortedSegment…, SortedSegmentRange… and UnsortedSegment…: float and
// double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/segments_gradients.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T, class I, class Share>
struct numbered_row {
  T* dx;
  T const* dy;
  I const* numbers;
  std::size_t width;
  std::int64_t const* sizes;  // of segments; nullptr if the share does not use them
  Share share;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const segment = static_cast<std::size_t>(numbers[row]);
    std::size_t const at = row * width;
    std::size_t const result = segment * width;
    T const count = sizes == nullptr ? T(0) : static_cast<T>(sizes[segment]);
    T* const to = dx + at;
    T const* const from = dy + result;
    Share const share_of = share;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i)
      to[i] = share_of(from[i], static_cast<std::int64_t>(row), at + i, result + i, count);
  }
};

/// Gradient of reductions of segments that are numbered in any order: dX[i] = the share of i in dY[segment of i]. The
/// numbers of segments are the operand `lengths`.
template <backend B, segment_share Share, segment_operands At>
class numbered_segment_gradient_kernel final : public op_kernel<B> {
 public:
  static constexpr std::size_t inputs = At.count;
  static constexpr std::size_t dy = At.dy;
  static constexpr std::size_t segments = At.lengths;
  static constexpr bool uses_sizes = Share == segment_share::mean || Share == segment_share::log_mean_exp;

  explicit numbered_segment_gradient_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(dy);
    c.expect_rank(dy, 1);
    c.expect_type<std::int32_t, std::int64_t>(segments);
    c.expect_rank(segments, 1, 1);
    shape made = c.dims(dy);
    made.set(0, c.dims(segments)[0]);
    if constexpr (At.weights != npos) {
      c.expect_same_type(dy, At.weights);
      c.expect(c.dims(At.weights) == shape{made[0]}, At.weights, "have a weight for each of ", made[0], " rows");
    }
    if constexpr (At.x != npos) {
      c.expect_same_type(dy, At.x);
      c.expect(c.dims(At.x) == made, At.x, "be ", made, ", rows like those of ", c.input(dy));
    }
    if constexpr (At.y != npos) {
      c.expect_same_type(dy, At.y);
      c.expect_same_dims(dy, At.y);
    }
    if constexpr (uses_sizes) c.scratch(static_cast<std::size_t>(c.dims(dy)[0]) * sizeof(std::int64_t));
    c.output(0, c.type(dy), made);
  }

  void run(op_context<B>& c) override {
    std::size_t const rows = c.size(segments);
    auto const width = static_cast<std::size_t>(c.dims(dy).size_from(1));
    visit_type<std::int32_t, std::int64_t>(c.type(segments), [&]<class I>(I) {
      I const* const numbers = c.template input<I>(segments);
      check_indices<B>(numbers, rows, c.dims(dy)[0]);
      [[maybe_unused]] std::int64_t* sizes = nullptr;
      if constexpr (uses_sizes) {
        sizes = static_cast<std::int64_t*>(c.scratch());
        segment_sizes<B>(sizes, static_cast<std::size_t>(c.dims(dy)[0]), numbers, rows);
      }
      visit_type<float, double>(c.type(dy), [&]<class T>(T) {
        T* const dx = c.template output<T>(0);
        T const* const from = c.template input<T>(dy);
        if constexpr (Share == segment_share::whole) {
          move_rows<B>(dx, from, rows, width, listed_row<I>{numbers});
        } else {
          auto const share = share_function<Share, At, T>(c);
          for_each_row_part<B>(
              rows, width, 1,
              numbered_row<T, I, std::remove_const_t<decltype(share)>>{dx, from, numbers, width, sizes, share});
        }
      });
    });
  }
};

}  // namespace detail

/// Adds the gradients of SortedSegment…, UnsortedSegment… (sums, means and weighted sums), and SortedSegmentRange….
/// For sparse ops they are the values of a sparse gradient, whose indices are those of the op.
template <backend B>
void add_numbered_segment_gradient_operators(operators<B>& table) {
  using detail::segment_operands;
  using detail::segment_share;
  auto const add = [&]<segment_share Share, segment_operands At>(std::string const& type, std::string_view text) {
    using kernel = detail::numbered_segment_gradient_kernel<B, Share, At>;
    table.template add<kernel>(op_schema(type).inputs(kernel::inputs).outputs(1).checks_first().describe(text));
  };
  constexpr segment_operands plain = {.count = 2, .dy = 0, .lengths = 1};
  constexpr segment_operands weighted = {.count = 3, .dy = 1, .lengths = 2, .weights = 0};
  for (std::string const order : {"Sorted", "Unsorted"}) {
    add.template operator()<segment_share::whole, plain>(
        order + "SegmentSumGradient", "rows of dX = the row of dY of their segment (inputs dY, numbers of segments)");
    add.template operator()<segment_share::mean, plain>(
        order + "SegmentMeanGradient",
        "rows of dX = the row of dY of their segment divided by how many it has (inputs dY, numbers of segments)");
    add.template operator()<segment_share::weighted, weighted>(
        order + "SegmentWeightedSumGradient",
        "rows of dX = the row of dY of their segment times their weight (inputs weights, dY, numbers of segments)");
  }
  constexpr segment_operands range = {.count = 4, .dy = 2, .lengths = 3, .x = 0, .y = 1};
  auto const add_range = [&]<segment_share Share>(std::string const& how, std::string const& text) {
    add.template operator()<Share, range>("SortedSegmentRange" + how + "Gradient",
                                          text + " (inputs X, Y, dY, numbers of segments)");
  };
  add_range.template operator()<segment_share::whole>("Sum", "rows of dX = the row of dY of their segment");
  add_range.template operator()<segment_share::mean>(
      "Mean", "rows of dX = the row of dY of their segment divided by how many it has");
  add_range.template operator()<segment_share::maximum>("Max", "dX = dY of the segment where X is Y, 0 elsewhere");
  add_range.template operator()<segment_share::log_sum_exp>("LogSumExp", "dX = dY of the segment times exp(X - Y)");
  add_range.template operator()<segment_share::log_mean_exp>(
      "LogMeanExp", "dX = dY of the segment times exp(X - Y), divided by how many rows it has");
}

}  // namespace plait

PLAIT_KERNELS_END
