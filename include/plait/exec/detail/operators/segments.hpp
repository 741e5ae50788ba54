// Segment reductions over consecutive rows, by segment lengths of int32 or int64, which are checked before anything is
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Row format of reductions whose input 0 has the elements that they reduce.
struct element_rows {
  /// Inputs that follow the segments.
  static constexpr std::size_t parameters = 0;

  /// Checks input 0 and the parameters, which begin at an input, and returns the type of the rows that they represent.
  template <bool Real>
  static tensor_spec infer(shape_context const& c, std::size_t) {
    if constexpr (Real)
      c.expect_type<float, double>(0);
    else
      c.expect_type<float, double, std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1);
    return c.input(0);
  }
  /// Calls f with a zero of the element type of these rows.
  template <bool Real, class F>
  static void visit(element_type type, F const& f) {
    if constexpr (Real)
      visit_type<float, double>(type, f);
    else
      visit_type<float, double, std::int32_t, std::int64_t>(type, f);
  }
  /// Returns a row reader of `width` columns.
  template <class T, backend B>
  static stored_rows<T> reader(op_context<B> const& c, std::size_t, std::size_t width) {
    return {c.template input<T>(0), width};
  }
};

/// Base of segment reductions. Inputs: rows, a weight for each (if Weighted), indices of the reduced rows (if Sparse;
/// else all in order), the segments, by their lengths or by their number for each row, and parameters of the row
/// format.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse, class Format = element_rows>
struct segment_reduction_kernel : op_kernel<B> {
  static constexpr std::size_t weights = 1;
  static constexpr std::size_t indices = Weighted ? 2 : 1;
  static constexpr std::size_t segments = indices + (Sparse ? 1 : 0);
  static constexpr bool real = Weighted || Reduction == segment_reduction::mean || is_of_exponentials(Reduction);

  /// Checks the reduced operands, and returns the number of reduced rows.
  std::int64_t infer_rows(shape_context& c) {
    reduced = Format::template infer<real>(c, segments + 1);
    rows = c.dims(0)[0];
    if constexpr (Sparse) {
      c.expect_type<std::int32_t, std::int64_t>(indices);
      c.expect_rank(indices, 1, 1);
      rows = c.dims(indices)[0];
    }
    if constexpr (Weighted) {
      c.expect(c.type(weights) == reduced.type, weights, "hold ", to_string(reduced.type));
      c.expect(c.dims(weights) == shape{rows}, weights, "have a weight for each of ", rows, " rows");
    }
    c.expect_type<std::int32_t, std::int64_t>(segments);
    return rows;
  }
  void infer_output(shape_context& c, std::int64_t count) {
    shape made = reduced.dims;
    made.set(0, count);
    width = static_cast<std::size_t>(made.size_from(1));
    c.output(0, reduced.type, made);
  }

  /// Checks the indices, and calls f(T(), row_of, weight_of) for the element type T.
  template <class F>
  void visit_rows(op_context<B>& c, F const& f) const {
    if constexpr (Sparse)
      visit_type<std::int32_t, std::int64_t>(c.type(indices), [&]<class I>(I) {
        I const* const list = c.template input<I>(indices);
        check_indices<B>(list, c.size(indices), c.dims(0)[0]);
        visit_elements(c, named_row<I>{list}, f);
      });
    else
      visit_elements(c, following_row(), f);
  }
  template <class Row, class F>
  void visit_elements(op_context<B>& c, Row const& row_of, F const& f) const {
    Format::template visit<real>(reduced.type, [&]<class T>(T) {
      if constexpr (Weighted)
        f(T(), row_of, listed_weight<T>{c.template input<T>(weights)});
      else
        f(T(), row_of, unit_weight<T>());
    });
  }

  /// Reduces rows [offsets[s], offsets[s + 1]) to each segment s. Offsets are in the backend's memory.
  void reduce(op_context<B>& c, std::int64_t const* offsets) const {
    visit_rows(c, [&]<class T>(T, auto const& row_of, auto const& weight_of) {
      reduce_segments<Reduction, B>(c.template output<T>(0), Format::template reader<T>(c, segments + 1, width),
                                    offsets, static_cast<std::size_t>(c.output_spec(0).dims[0]), width,
                                    static_cast<std::size_t>(rows), row_of, weight_of);
    });
  }

  tensor_spec reduced;
  std::int64_t rows = 0;
  std::size_t width = 0;
};

/// Adds the six ops on numbered segments: sums, means and weighted sums of all rows, and of indexed rows. `order` is
/// the word before "Segment" in their names; `numbers` describes the last input, `none` the mean of no rows.
template <template <backend, segment_reduction, bool, bool> class Kernel, backend B, class More>
void add_numbered_reductions(operators<B>& table, std::string const& order, std::string const& numbers,
                             std::string const& none, More const& more) {
  auto const add = [&]<segment_reduction Reduction, bool Weighted, bool Sparse>() {
    using kernel = Kernel<B, Reduction, Weighted, Sparse>;
    bool const mean = Reduction == segment_reduction::mean;
    op_schema schema((Sparse ? "Sparse" : "") + order + "Segment" + (Weighted ? "Weighted" : "") +
                     (mean ? "Mean" : "Sum"));
    schema.inputs(kernel::segments + 1).outputs(1).shape_from(kernel::segments).checks_first();
    schema.describe("row s of Y = the " + std::string(mean ? "mean" : "sum") + " of the rows of X" +
                    (Sparse ? " that the indices name" : "") + (Weighted ? ", each times its weight," : "") +
                    " where " + numbers + " say s" + (mean ? none : "") + " (inputs X, " +
                    (Weighted ? "weights, " : "") + (Sparse ? "indices, " : "") + "segment numbers)");
    if (mean || Weighted || Sparse)
      schema.no_doubles_in_caffe2();
    else
      schema.in_caffe2(caffe2::type_of_first<float>);
    more(schema);
    table.template add<kernel>(std::move(schema));
  };
  constexpr auto sum = segment_reduction::sum;
  add.template operator()<sum, false, false>();
  add.template operator()<segment_reduction::mean, false, false>();
  add.template operator()<sum, true, false>();
  add.template operator()<sum, false, true>();
  add.template operator()<segment_reduction::mean, false, true>();
  add.template operator()<sum, true, true>();
}

/// Reduces consecutive segments, whose lengths the last input lists.
template <backend B, segment_reduction Reduction, bool Weighted, bool Sparse, class Format = element_rows>
struct lengths_reduction_kernel : segment_reduction_kernel<B, Reduction, Weighted, Sparse, Format> {
  using base = segment_reduction_kernel<B, Reduction, Weighted, Sparse, Format>;
  static constexpr std::size_t lengths = base::segments;

  explicit lengths_reduction_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    this->infer_rows(c);
    c.expect_rank(lengths, 1, 1);
    this->infer_output(c, c.dims(lengths)[0]);
    c.scratch((static_cast<std::size_t>(c.dims(lengths)[0]) + 1) * sizeof(std::int64_t));
  }
  void run(op_context<B>& c) override {
    auto* const offsets = static_cast<std::int64_t*>(c.scratch());
    visit_type<std::int32_t, std::int64_t>(c.type(lengths), [&]<class I>(I) {
      segment_offsets<B>(offsets, c.template input<I>(lengths), c.size(lengths), this->rows);
    });
    this->reduce(c, offsets);
  }
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

/// LengthsSum, LengthsMax, SparseLengthsSum: float, double, int32, int64; LengthsMean, LengthsWeightedSum,
/// SparseLengthsMean, SparseLengthsWeightedSum: float and double.
template <backend B>
void add_segment_operators(operators<B>& table) {
  auto const add = [&]<class Kernel>(op_schema schema, std::string_view text) {
    table.template add<Kernel>(schema.inputs(Kernel::lengths + 1).outputs(1).checks_first().describe(text));
  };
  add.template operator()<detail::lengths_sum_kernel<B>>(
      op_schema("LengthsSum").in_caffe2(detail::caffe2::type_of_first<float>),
      "row s of Y = the sum of the rows of X in segment s, whose lengths the second input lists");
  add.template operator()<detail::lengths_mean_kernel<B>>(
      op_schema("LengthsMean").in_caffe2(detail::caffe2::type_of_first<float>),
      "row s of Y = the mean of the rows of X in segment s; 0 for none");
  add.template operator()<detail::lengths_max_kernel<B>>(
      op_schema("LengthsMax").in_caffe2(detail::caffe2::type_of_first<float>),
      "row s of Y = the maximum, by column, of the rows of X in segment s; 0 for none");
  add.template operator()<detail::lengths_weighted_sum_kernel<B>>(
      op_schema("LengthsWeightedSum").no_doubles_in_caffe2(),
      "row s of Y = the sum of the rows of X in segment s, each times its weight (inputs X, weights, lengths)");
  add.template operator()<detail::sparse_lengths_sum_kernel<B>>(
      op_schema("SparseLengthsSum").in_caffe2(detail::caffe2::type_of_first<float>),
      "row s of Y = the sum of the rows of X that segment s of the indices names (inputs X, indices, lengths)");
  add.template operator()<detail::sparse_lengths_mean_kernel<B>>(
      op_schema("SparseLengthsMean").no_doubles_in_caffe2(),
      "row s of Y = the mean of the rows of X that segment s of the indices names; 0 for none");
  add.template operator()<detail::sparse_lengths_weighted_sum_kernel<B>>(
      op_schema("SparseLengthsWeightedSum").no_doubles_in_caffe2(),
      "row s of Y = the sum of the rows of X that segment s of the indices names, each times its weight (inputs X, "
      "weights, indices, lengths)");
}

}  // namespace plait
