// Reductions of segments of rows that are numbered in any order, int32 or int64. Sums are taken in the order of the
// rows; segments without rows are zero. Numbers are checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/kernels/row_parts.hpp>
#include <plait/exec/kernels/scatter_rows.hpp>
#include <plait/exec/kernels/segments.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/scatter.hpp>
#include <plait/exec/operators/segments.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

namespace detail {

template <class T>
struct divided_row {
  T* to;
  T const* sizes;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const size = sizes[row];
    if (size == T(0)) return;
    T* const out = to + row * width;
    for (std::size_t i = first; i < last; ++i) out[i] /= size;
  }
};

}  // namespace detail

/// The last input has the number of each row's segment.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse>
struct unsorted_segment_kernel : detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse> {
  using base = detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse>;

  explicit unsorted_segment_kernel(op_arguments const& a) : segments_wanted(a.integer("num_segments")) {
    if (segments_wanted < -1) a.fail("num_segments", "must not be negative");
  }

  void infer(shape_context& c) override {
    std::int64_t const rows = this->infer_rows(c);
    c.expect(c.dims(base::segments) == shape{rows}, base::segments,
             "name a segment for each of " + std::to_string(rows) + " rows");
    std::int64_t const count = segments_wanted < 0 ? detail::places_named(c, base::segments) : segments_wanted;
    this->infer_output(c, count);
    if constexpr (Reduction == segment_reduction::mean) c.scratch(static_cast<std::size_t>(count) * size_of(c.type(0)));
  }

  void run(op_context<B>& c) override {
    auto const rows = static_cast<std::size_t>(this->rows);
    auto const count = static_cast<std::size_t>(c.output_spec(0).dims[0]);
    std::size_t const width = this->width;
    visit_type<std::int32_t, std::int64_t>(c.type(base::segments), [&]<class I>(I) {
      I const* const numbers = c.template input<I>(base::segments);
      check_indices<B>(numbers, rows, c.output_spec(0).dims[0]);
      this->visit_rows(c, [&]<class T, class Row, class Weight>(T, Row const& row_of, Weight const& weight_of) {
        T* const to = c.template output<T>(0);
        for_each_index<B>(c.output_size(0), detail::filled_element<T>{to, T{}});
        for_each_row_in_order<B>(
            rows, width,
            detail::added_row<T, I, Row, Weight>{to, c.template input<T>(0), numbers, width, row_of, weight_of});
        if constexpr (Reduction == segment_reduction::mean) {
          auto* const sizes = static_cast<T*>(c.scratch());
          segment_sizes<B>(sizes, count, numbers, rows);
          for_each_row_part<B>(count, width, 1, detail::divided_row<T>{to, sizes, width});
        }
      });
    });
  }

  std::int64_t segments_wanted;
};

/// UnsortedSegmentSum, SparseUnsortedSegmentSum: float, double, int32, int64; UnsortedSegmentMean,
/// UnsortedSegmentWeightedSum, SparseUnsortedSegmentMean, SparseUnsortedSegmentWeightedSum: float and double.
template <backend B>
void add_unsorted_segment_operators(operators<B>& table) {
  constexpr auto sum = segment_reduction::sum;
  constexpr auto mean = segment_reduction::mean;
  auto const add = [&]<class Kernel>(std::string_view type, std::string_view text) {
    table.template add<Kernel>(op_schema(type)
                                   .inputs(Kernel::segments + 1)
                                   .outputs(1)
                                   .shape_from(Kernel::segments)
                                   .checks_first()
                                   .argument("num_segments", std::int64_t{-1}, "how many segments; just enough if -1")
                                   .describe(text));
  };
  add.template operator()<unsorted_segment_kernel<B, sum, false, false>>(
      "UnsortedSegmentSum", "row s of Y = the sum of the rows of X for which the second input says s");
  add.template operator()<unsorted_segment_kernel<B, mean, false, false>>(
      "UnsortedSegmentMean", "row s of Y = the mean of the rows of X for which the second input says s; 0 for none");
  add.template operator()<unsorted_segment_kernel<B, sum, true, false>>(
      "UnsortedSegmentWeightedSum",
      "row s of Y = the sum of the rows of X, each times its weight, for which the third input says s (inputs X, "
      "weights, segment numbers)");
  add.template operator()<unsorted_segment_kernel<B, sum, false, true>>(
      "SparseUnsortedSegmentSum",
      "row s of Y = the sum of the rows of X that the indices name where the segment numbers say s (inputs X, indices, "
      "segment numbers)");
  add.template operator()<unsorted_segment_kernel<B, mean, false, true>>(
      "SparseUnsortedSegmentMean",
      "row s of Y = the mean of the rows of X that the indices name where the segment numbers say s; 0 for none "
      "(inputs X, indices, segment numbers)");
  add.template operator()<unsorted_segment_kernel<B, sum, true, true>>(
      "SparseUnsortedSegmentWeightedSum",
      "row s of Y = the sum of the rows of X that the indices name, each times its weight, where the segment numbers "
      "say s (inputs X, weights, indices, segment numbers)");
}

}  // namespace plait
