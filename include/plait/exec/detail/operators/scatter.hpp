// Scatter ops: write or add rows at indices of int32 or int64. For repeated indices the last row wins, or sums are
// accumulated in the order of the list. Indices are checked before anything is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/scatter_rows.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T, class I>
struct assigned_row {
  T* to;
  T const* from;
  I const* places;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const out = to + static_cast<std::size_t>(places[row]) * width;
    T const* const in = from + row * width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = in[i];
  }
};

// out[places[row]] += weight_of(row) times row row_of(row) of `from`.
template <class T, class I, class Row = following_row, class Weight = unit_weight<T>>
struct added_row {
  T* to;
  T const* from;
  I const* places;
  std::size_t width;
  Row row_of = {};
  Weight weight_of = {};
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const at = static_cast<std::int64_t>(row);
    T* const out = to + static_cast<std::size_t>(places[row]) * width;
    T const* const in = from + row_of(at) * width;
    T const weight = weight_of(at);
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = sum_reduction::combine(out[i], static_cast<T>(weight * in[i]));
  }
};

// out += weight · in; without `from`, out *= weight.
template <class T, class I>
struct weighted_row {
  T* to;
  T const* from;
  I const* places;
  std::size_t width;
  T const* weight;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const out = to + static_cast<std::size_t>(places[row]) * width;
    T const w = *weight;
    if (from == nullptr) {
      for (std::size_t i = first; i < last; ++i) out[i] *= w;
      return;
    }
    T const* const in = from + row * width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] += w * in[i];
  }
};

/// Throws shape_error unless input `rows` has a row of `width` elements for each index in input `places`.
inline void expect_rows(shape_context& c, std::size_t places, std::size_t rows, std::int64_t width) {
  c.expect(c.dims(rows).size() == c.dims(places).size() * width, rows, "have ", c.dims(places).size(), " rows of ",
           width, ", as input ", places, " lists places");
}

}  // namespace detail

template <backend B>
struct scatter_assign_kernel : op_kernel<B> {
  explicit scatter_assign_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.expect_rank(0, 1);
    c.expect_type<std::int32_t, std::int64_t>(1);
    c.expect_same_type(0, 2);
    width = c.dims(0).size_from(1);
    detail::expect_rows(c, 1, 2, width);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const places = c.template input<I>(1);
      check_indices<B>(places, c.size(1), c.dims(0)[0]);
      visit_word(c.type(0), [&]<class T>(T) {
        for_each_row_in_order<B>(
            c.size(1), static_cast<std::size_t>(width),
            detail::assigned_row<T, I>{static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(2)), places,
                                       static_cast<std::size_t>(width)});
      });
    });
  }
  std::int64_t width = 0;
};

/// ScatterWeightedSum: inputs X, w, indices, then pairs of rows and their weight. Scales each listed row of X by w as
/// often as it is listed, then adds rows, one input after the other.
template <backend B>
struct scatter_weighted_sum_kernel : op_kernel<B> {
  explicit scatter_weighted_sum_kernel(op_arguments const& a) {
    if (a.input_count() % 2 == 0) shape_context::fail("the last input has no weight");
  }
  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_rank(0, 1);
    c.expect_type<std::int32_t, std::int64_t>(2);
    width = c.dims(0).size_from(1);
    for (std::size_t i = 1; i < c.input_count(); i += i == 1 ? 2 : 1) {
      c.expect_same_type(0, i);
      if (i == 1 || i % 2 == 0)
        c.expect(c.dims(i).size() == 1, i, "have one element");
      else
        detail::expect_rows(c, 2, i, width);
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(2), [&]<class I>(I) {
      I const* const places = c.template input<I>(2);
      std::size_t const count = c.size(2);
      auto const columns = static_cast<std::size_t>(width);
      check_indices<B>(places, count, c.dims(0)[0]);
      visit_type<float, double>(c.type(0), [&]<class T>(T) {
        T* const to = c.template output<T>(0);
        for_each_row_in_order<B>(count, columns,
                                 detail::weighted_row<T, I>{to, nullptr, places, columns, c.template input<T>(1)});
        for (std::size_t i = 3; i < c.input_count(); i += 2)
          for_each_row_in_order<B>(
              count, columns,
              detail::weighted_row<T, I>{to, c.template input<T>(i), places, columns, c.template input<T>(i + 1)});
      });
    });
  }
  std::int64_t width = 0;
};

namespace detail {

/// Reads the indices in input i into `list`, and returns the largest plus 1. Throws shape_error if one is negative or
/// too large.
inline std::int64_t places_named(shape_context& c, std::size_t i, std::vector<std::int64_t>& list) {
  std::int64_t count = 0;
  for (std::int64_t const place : c.integers(i, list)) {
    if (place < 0) c.fail("input " + std::to_string(i) + " has the negative index " + std::to_string(place));
    if (place == std::numeric_limits<std::int64_t>::max()) c.fail("an index is too large for any tensor");
    count = std::max(count, place + 1);
  }
  return count;
}

}  // namespace detail

/// SparseToDense: sums rows by index; rows without an index are zero. Input 1 has the axes of the indices, which may be
/// several, as for Gather, before those of a row. The first extent is `output_first_dim`, that of the third input, or
/// else the largest index plus 1.
template <backend B>
struct sparse_to_dense_kernel : op_kernel<B> {
  explicit sparse_to_dense_kernel(op_arguments const& a) : rows(a.integer("output_first_dim")) {
    if (rows > 0 && a.input_count() == 3) a.fail("output_first_dim", "is given besides the third input");
  }
  void infer(shape_context& c) override {
    c.expect_type<std::int32_t, std::int64_t>(0);
    c.expect_type<float, double, std::int32_t, std::int64_t>(1);
    c.expect_rank(0, 1);
    c.expect_rank(1, c.dims(0).rank());
    shape made = c.dims(1);
    for (std::size_t axis = 0; axis != c.dims(0).rank(); ++axis) {
      if (c.dims(0)[axis] != made[0])
        c.fail("input 0 lists places of " + to_string(c.dims(0)) + " rows, where input 1 is " + to_string(c.input(1)));
      made.erase(0);
    }
    if (c.input_count() == 3) c.expect_rank(2, 1);
    made.insert(0, rows > 0 ? rows : c.input_count() == 3 ? c.dims(2)[0] : detail::places_named(c, 0, listed));
    width = static_cast<std::size_t>(made.size_from(1));
    c.output(0, c.type(1), made);
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(0), [&]<class I>(I) {
      I const* const places = c.template input<I>(0);
      check_indices<B>(places, c.size(0), c.output_spec(0).dims[0]);
      visit_type<float, double, std::int32_t, std::int64_t>(c.type(1), [&]<class T>(T) {
        T* const to = c.template output<T>(0);
        fill<B>(to, c.output_size(0), T(0));
        for_each_row_in_order<B>(c.size(0), width, detail::added_row<T, I>{to, c.template input<T>(1), places, width});
      });
    });
  }
  std::int64_t rows;
  std::size_t width = 0;
  std::vector<std::int64_t> listed;
};

/// ScatterAssign: any element type; ScatterWeightedSum: float and double; SparseToDense: int32 and int64 too.
template <backend B>
void add_scatter_operators(operators<B>& table) {
  table.template add<scatter_assign_kernel>(op_schema("ScatterAssign")
                                                .inputs(3)
                                                .outputs(1)
                                                .updates(0, 0)
                                                .checks_first()
                                                .in_caffe2(detail::caffe2::must_be_in_place<0>)
                                                .no_doubles_in_caffe2()
                                                .describe("row indices[i] of X becomes row i of the third input"));
  table.template add<scatter_weighted_sum_kernel>(
      op_schema("ScatterWeightedSum")
          .inputs(5, npos)
          .outputs(1)
          .updates(0, 0)
          .checks_first()
          .in_caffe2(detail::caffe2::must_be_in_place<0>)
          .no_doubles_in_caffe2()
          .describe(
              "row indices[i] of X becomes w times itself and the sum of rows i of further inputs, each times the "
              "weight after it (inputs X, w, indices, X1, w1, …)"));
  table.template add<sparse_to_dense_kernel>(
      op_schema("SparseToDense")
          .inputs(2, 3)
          .outputs(1)
          .shape_from(0)
          .shape_from_where(
              [](op_arguments const& a) { return a.integer("output_first_dim") <= 0 && a.input_count() == 2; })
          .checks_first()
          .argument("output_first_dim", std::int64_t{0}, "how many rows there are, if above zero")
          .no_doubles_in_caffe2()
          .describe("row i of Y = the sum of the rows of the second input whose index is i, as many as the third input "
                    "has, or just enough"));
}

}  // namespace plait

PLAIT_KERNELS_END
