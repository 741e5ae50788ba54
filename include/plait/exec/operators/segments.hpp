// Reductions of segments of rows. How long segments are, or which one a row is of, are integers, int32 or int64; they
// are checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/kernels/segments.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

namespace detail {

/// Inputs: rows, a weight for each (if Weighted), which rows of the first input they are (if Sparse; else all in
/// order), the lengths of segments.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse>
struct lengths_reduction_kernel : op_kernel<B> {
  static constexpr std::size_t weights = 1;
  static constexpr std::size_t indices = Weighted ? 2 : 1;
  static constexpr std::size_t lengths = indices + (Sparse ? 1 : 0);

  explicit lengths_reduction_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    if constexpr (Weighted || Reduction == segment_reduction::mean)
      c.expect_type<float, double>(0);
    else
      c.expect_type<float, double, std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1);
    c.expect_type<std::int32_t, std::int64_t>(lengths);
    c.expect_rank(lengths, 1, 1);
    rows = c.dims(0)[0];
    if constexpr (Sparse) {
      c.expect_type<std::int32_t, std::int64_t>(indices);
      c.expect_rank(indices, 1, 1);
      rows = c.dims(indices)[0];
    }
    if constexpr (Weighted) {
      c.expect_same_type(0, weights);
      c.expect(c.dims(weights) == shape{rows}, weights, "have a weight for each of " + std::to_string(rows) + " rows");
    }
    shape made = c.dims(0);
    made.set(0, c.dims(lengths)[0]);
    width = static_cast<std::size_t>(made.size_from(1));
    c.output(0, c.type(0), made);
    c.scratch((static_cast<std::size_t>(made[0]) + 1) * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    auto* const offsets = static_cast<std::int64_t*>(c.scratch());
    visit_type<std::int32_t, std::int64_t>(c.type(lengths), [&]<class I>(I) {
      segment_offsets<B>(offsets, c.template input<I>(lengths), c.size(lengths), rows);
    });
    if constexpr (Sparse)
      visit_type<std::int32_t, std::int64_t>(c.type(indices), [&]<class I>(I) {
        I const* const list = c.template input<I>(indices);
        check_indices<B>(list, c.size(indices), c.dims(0)[0]);
        reduce(c, offsets, named_row<I>{list});
      });
    else
      reduce(c, offsets, following_row());
  }

  template <class Row>
  void reduce(op_context<B>& c, std::int64_t const* offsets, Row const& row_of) const {
    auto const as = [&]<class T>(T) {
      auto const with = [&](auto const& weight_of) {
        reduce_segments<Reduction, B>(c.template output<T>(0), c.template input<T>(0), offsets, c.size(lengths), width,
                                      static_cast<std::size_t>(rows), row_of, weight_of);
      };
      if constexpr (Weighted)
        with(listed_weight<T>{c.template input<T>(weights)});
      else
        with(unit_weight<T>());
    };
    if constexpr (Weighted || Reduction == segment_reduction::mean)
      visit_type<float, double>(c.type(0), as);
    else
      visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), as);
  }

  std::int64_t rows = 0;
  std::size_t width = 0;
};

template <class B>
using lengths_sum_kernel = lengths_reduction_kernel<B, segment_reduction::sum, false, false>;
template <class B>
using lengths_mean_kernel = lengths_reduction_kernel<B, segment_reduction::mean, false, false>;
template <class B>
using lengths_max_kernel = lengths_reduction_kernel<B, segment_reduction::max, false, false>;
template <class B>
using lengths_weighted_sum_kernel = lengths_reduction_kernel<B, segment_reduction::sum, true, false>;
template <class B>
using sparse_lengths_sum_kernel = lengths_reduction_kernel<B, segment_reduction::sum, false, true>;
template <class B>
using sparse_lengths_mean_kernel = lengths_reduction_kernel<B, segment_reduction::mean, false, true>;
template <class B>
using sparse_lengths_weighted_sum_kernel = lengths_reduction_kernel<B, segment_reduction::sum, true, true>;

}  // namespace detail

/// Inputs: rows, which rows of the first input they are (if Sparse), the numbers of their segments, which start at 0,
/// ascend and leave none out.
template <backend B, bool Sparse>
struct sorted_segment_sum_kernel : op_kernel<B> {
  static constexpr std::size_t indices = 1;
  static constexpr std::size_t segments = Sparse ? 2 : 1;

  explicit sorted_segment_sum_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double, std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1);
    rows = c.dims(0)[0];
    if constexpr (Sparse) {
      c.expect_type<std::int32_t, std::int64_t>(indices);
      c.expect_rank(indices, 1, 1);
      rows = c.dims(indices)[0];
    }
    c.expect_type<std::int32_t, std::int64_t>(segments);
    c.expect(c.dims(segments) == shape{rows}, segments, "name a segment for each of " + std::to_string(rows) + " rows");
    offsets.assign(1, 0);
    std::int64_t row = 0;
    for (std::int64_t const segment : c.integers(segments)) {
      auto const current = static_cast<std::int64_t>(offsets.size()) - 2;
      if (segment == current + 1)
        offsets.push_back(row);
      else if (segment != current || row == 0)
        c.fail("segment " + std::to_string(segment) + " at place " + std::to_string(row) + " follows segment " +
               std::to_string(current) + "; they must ascend from 0 without gaps");
      offsets.back() = ++row;
    }
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(offsets.size()) - 1);
    width = static_cast<std::size_t>(made.size_from(1));
    c.output(0, c.type(0), made);
    if constexpr (B::on_device) c.scratch(offsets.size() * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    std::int64_t const* list = offsets.data();
    if constexpr (B::on_device) {
      B::copy_from_host(c.scratch(), list, offsets.size() * sizeof(std::int64_t));
      list = static_cast<std::int64_t const*>(c.scratch());
    }
    if constexpr (Sparse)
      visit_type<std::int32_t, std::int64_t>(c.type(indices), [&]<class I>(I) {
        I const* const chosen = c.template input<I>(indices);
        check_indices<B>(chosen, c.size(indices), c.dims(0)[0]);
        reduce(c, list, named_row<I>{chosen});
      });
    else
      reduce(c, list, following_row());
  }

  template <class Row>
  void reduce(op_context<B>& c, std::int64_t const* list, Row const& row_of) const {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      reduce_segments<segment_reduction::sum, B>(c.template output<T>(0), c.template input<T>(0), list,
                                                 offsets.size() - 1, width, static_cast<std::size_t>(rows), row_of,
                                                 unit_weight<T>());
    });
  }

  std::vector<std::int64_t> offsets;
  std::int64_t rows = 0;
  std::size_t width = 0;
};

/// LengthsSum, LengthsMax, SparseLengthsSum, SortedSegmentSum, SparseSortedSegmentSum: float, double, int32,
/// int64; LengthsMean, LengthsWeightedSum, SparseLengthsMean, SparseLengthsWeightedSum: float and double.
template <backend B>
void add_segment_operators(operators<B>& table) {
  auto const add = [&]<class Kernel>(std::string_view type, std::string_view text) {
    table.template add<Kernel>(op_schema(type).inputs(Kernel::lengths + 1).outputs(1).checks_first().describe(text));
  };
  add.template operator()<detail::lengths_sum_kernel<B>>(
      "LengthsSum", "row s of Y = the sum of the rows of X in segment s, whose lengths the second input lists");
  add.template operator()<detail::lengths_mean_kernel<B>>(
      "LengthsMean", "row s of Y = the mean of the rows of X in segment s; 0 for none");
  add.template operator()<detail::lengths_max_kernel<B>>(
      "LengthsMax", "row s of Y = the maximum, by column, of the rows of X in segment s; 0 for none");
  add.template operator()<detail::lengths_weighted_sum_kernel<B>>(
      "LengthsWeightedSum",
      "row s of Y = the sum of the rows of X in segment s, each times its weight (inputs X, weights, "
      "lengths)");
  add.template operator()<detail::sparse_lengths_sum_kernel<B>>(
      "SparseLengthsSum",
      "row s of Y = the sum of the rows of X that segment s of the indices names (inputs X, indices, "
      "lengths)");
  add.template operator()<detail::sparse_lengths_mean_kernel<B>>(
      "SparseLengthsMean", "row s of Y = the mean of the rows of X that segment s of the indices names; 0 for none");
  add.template operator()<detail::sparse_lengths_weighted_sum_kernel<B>>(
      "SparseLengthsWeightedSum",
      "row s of Y = the sum of the rows of X that segment s of the indices names, each times "
      "its weight (inputs X, weights, indices, lengths)");
  table.template add<sorted_segment_sum_kernel<B, false>>(
      op_schema("SortedSegmentSum")
          .inputs(2)
          .outputs(1)
          .shape_from(1)
          .checks_first()
          .describe("row s of Y = the sum of the rows of X for which the second input, ascending, says s"));
  table.template add<sorted_segment_sum_kernel<B, true>>(
      op_schema("SparseSortedSegmentSum")
          .inputs(3)
          .outputs(1)
          .shape_from(2)
          .checks_first()
          .describe("row s of Y = the sum of the rows of X that the indices name where the segment numbers, ascending, "
                    "say s (inputs X, indices, segment numbers)"));
}

}  // namespace plait
