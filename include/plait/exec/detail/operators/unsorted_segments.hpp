// Segment reductions with unsorted segment numbers of int32 or int64. Sums are accumulated in the order of the rows;
// empty segments are zero. Numbers are checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/scatter_rows.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/scatter.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct divided_row {
  T* to;
  std::int64_t const* sizes;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    if (sizes[row] == 0) return;
    auto const size = static_cast<T>(sizes[row]);
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
    std::int64_t const all = this->infer_rows(c);
    c.expect(c.dims(base::segments) == shape{all}, base::segments, "name a segment for each of ", all, " rows");
    std::int64_t const count = segments_wanted < 0 ? detail::places_named(c, base::segments, listed) : segments_wanted;
    this->infer_output(c, count);
    if constexpr (Reduction == segment_reduction::mean)
      c.scratch(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    auto const all = static_cast<std::size_t>(this->rows);
    auto const count = static_cast<std::size_t>(c.output_spec(0).dims[0]);
    std::size_t const elements = this->width;
    visit_type<std::int32_t, std::int64_t>(c.type(base::segments), [&]<class I>(I) {
      I const* const numbers = c.template input<I>(base::segments);
      check_indices<B>(numbers, all, c.output_spec(0).dims[0]);
      this->visit_rows(c, [&]<class T, class Row, class Weight>(T, Row const& row_of, Weight const& weight_of) {
        T* const to = c.template output<T>(0);
        fill<B>(to, c.output_size(0), T(0));
        for_each_row_in_order<B>(
            all, elements,
            detail::added_row<T, I, Row, Weight>{to, c.template input<T>(0), numbers, elements, row_of, weight_of});
        if constexpr (Reduction == segment_reduction::mean) {
          auto* const sizes = static_cast<std::int64_t*>(c.scratch());
          segment_sizes<B>(sizes, count, numbers, all);
          for_each_row_part<B>(count, elements, 1, detail::divided_row<T>{to, sizes, elements});
        }
      });
    });
  }

  std::int64_t segments_wanted;
  std::vector<std::int64_t> listed;
};

/// UnsortedSegmentSum, SparseUnsortedSegmentSum: float, double, int32, int64; UnsortedSegmentMean,
/// UnsortedSegmentWeightedSum, SparseUnsortedSegmentMean, SparseUnsortedSegmentWeightedSum: float and double.
template <backend B>
void add_unsorted_segment_operators(operators<B>& table) {
  detail::add_numbered_reductions<unsorted_segment_kernel>(
      table, "Unsorted", "the segment numbers", "; 0 for none", [](op_schema& schema) {
        schema.argument("num_segments", std::int64_t{-1}, "how many segments; just enough if -1")
            .shape_from_where([](op_arguments const& a) { return a.integer("num_segments") < 0; });
      });
}

}  // namespace plait

PLAIT_KERNELS_END
