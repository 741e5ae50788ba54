// Segment reductions with sorted segment numbers of int32 or int64, which start at 0 and ascend without gaps. They are
// checked before anything is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// The last input has the number of each row's segment.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse>
struct sorted_segment_kernel : detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse> {
  using base = detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse>;

  explicit sorted_segment_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    std::int64_t const all = this->infer_rows(c);
    c.expect(c.dims(base::segments) == shape{all}, base::segments, "name a segment for each of ", all, " rows");
    offsets.assign(1, 0);
    std::int64_t row = 0;
    for (std::int64_t const segment : c.integers(base::segments, listed)) {
      auto const current = static_cast<std::int64_t>(offsets.size()) - 2;
      if (segment == current + 1)
        offsets.push_back(row);
      else if (segment != current || row == 0)
        c.fail("segment " + std::to_string(segment) + " at place " + std::to_string(row) + " follows segment " +
               std::to_string(current) + "; they must ascend from 0 without gaps");
      offsets.back() = ++row;
    }
    this->infer_output(c, static_cast<std::int64_t>(offsets.size()) - 1);
    if constexpr (B::on_device) c.scratch(offsets.size() * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    std::int64_t const* list = offsets.data();
    if constexpr (B::on_device) {
      B::copy_from_host(c.scratch(), list, offsets.size() * sizeof(std::int64_t));
      list = static_cast<std::int64_t const*>(c.scratch());
    }
    this->reduce(c, list);
  }

  std::vector<std::int64_t> listed;
  std::vector<std::int64_t> offsets;
};

/// SortedSegmentSum, SparseSortedSegmentSum, SortedSegmentRangeSum, SortedSegmentRangeMax: float, double, int32, int64;
/// SortedSegmentMean, SortedSegmentWeightedSum, SparseSortedSegmentMean, SparseSortedSegmentWeightedSum,
/// SortedSegmentRangeMean, SortedSegmentRangeLogSumExp, SortedSegmentRangeLogMeanExp: float and double.
template <backend B>
void add_sorted_segment_operators(operators<B>& table) {
  detail::add_numbered_reductions<sorted_segment_kernel>(table, "Sorted", "the segment numbers, ascending,", "",
                                                         [](op_schema&) {});
  auto const add_range = [&]<segment_reduction Reduction>(std::string const& how, std::string const& text) {
    table.template add<sorted_segment_kernel<B, Reduction, false, false>>(
        op_schema("SortedSegmentRange" + how)
            .inputs(2)
            .outputs(1)
            .shape_from(1)
            .checks_first()
            .in_caffe2(detail::caffe2::type_of_first<float>)
            .describe("row s of Y = the " + text +
                      " of the rows of X where the segment numbers, ascending, say s (inputs X, segment numbers)"));
  };
  add_range.template operator()<segment_reduction::sum>("Sum", "sum");
  add_range.template operator()<segment_reduction::mean>("Mean", "mean");
  add_range.template operator()<segment_reduction::max>("Max", "maximum, by column,");
  add_range.template operator()<segment_reduction::log_sum_exp>("LogSumExp", "logarithm of the sum of exponentials");
  add_range.template operator()<segment_reduction::log_mean_exp>("LogMeanExp", "logarithm of the mean of exponentials");
}

}  // namespace plait
