// Reductions of segments of rows that are numbered in order. Numbers, int32 or int64, start at 0, ascend and leave none
// out, which is checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/kernels/segments.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/segments.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

/// The last input has the number of each row's segment.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse>
struct sorted_segment_kernel : detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse> {
  using base = detail::segment_reduction_kernel<B, Reduction, Weighted, Sparse>;

  explicit sorted_segment_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    std::int64_t const rows = this->infer_rows(c);
    c.expect(c.dims(base::segments) == shape{rows}, base::segments,
             "name a segment for each of " + std::to_string(rows) + " rows");
    offsets.assign(1, 0);
    std::int64_t row = 0;
    for (std::int64_t const segment : c.integers(base::segments)) {
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

  std::vector<std::int64_t> offsets;
};

/// SortedSegmentSum, SparseSortedSegmentSum: float, double, int32, int64; SortedSegmentMean, SortedSegmentWeightedSum,
/// SparseSortedSegmentMean, SparseSortedSegmentWeightedSum: float and double.
template <backend B>
void add_sorted_segment_operators(operators<B>& table) {
  constexpr auto sum = segment_reduction::sum;
  constexpr auto mean = segment_reduction::mean;
  auto const add = [&]<class Kernel>(std::string_view type, std::string_view text) {
    table.template add<Kernel>(op_schema(type)
                                   .inputs(Kernel::segments + 1)
                                   .outputs(1)
                                   .shape_from(Kernel::segments)
                                   .checks_first()
                                   .describe(text));
  };
  add.template operator()<sorted_segment_kernel<B, sum, false, false>>(
      "SortedSegmentSum", "row s of Y = the sum of the rows of X for which the second input, ascending, says s");
  add.template operator()<sorted_segment_kernel<B, mean, false, false>>(
      "SortedSegmentMean", "row s of Y = the mean of the rows of X for which the second input, ascending, says s");
  add.template operator()<sorted_segment_kernel<B, sum, true, false>>(
      "SortedSegmentWeightedSum",
      "row s of Y = the sum of the rows of X, each times its weight, for which the third input, ascending, says s "
      "(inputs X, weights, segment numbers)");
  add.template operator()<sorted_segment_kernel<B, sum, false, true>>(
      "SparseSortedSegmentSum",
      "row s of Y = the sum of the rows of X that the indices name where the segment numbers, ascending, say s (inputs "
      "X, indices, segment numbers)");
  add.template operator()<sorted_segment_kernel<B, mean, false, true>>(
      "SparseSortedSegmentMean",
      "row s of Y = the mean of the rows of X that the indices name where the segment numbers, ascending, say s "
      "(inputs X, indices, segment numbers)");
  add.template operator()<sorted_segment_kernel<B, sum, true, true>>(
      "SparseSortedSegmentWeightedSum",
      "row s of Y = the sum of the rows of X that the indices name, each times its weight, where the segment numbers, "
      "ascending, say s (inputs X, weights, indices, segment numbers)");
}

}  // namespace plait
