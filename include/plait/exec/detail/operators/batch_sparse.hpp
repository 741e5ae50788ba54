// BatchSparseToDense and BatchDenseToSparse: rows of a matrix as lists of columns and values, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Copies the listed elements of a row, in order, from their list or to it.
template <class T, class I, bool ToDense>
struct listed_elements {
  T* to;
  T const* from;
  I const* columns;
  std::int64_t const* offsets;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    for (std::int64_t at = offsets[row]; at < offsets[row + 1]; ++at) {
      auto const element = static_cast<std::size_t>(at);
      std::size_t const place = row * width + static_cast<std::size_t>(columns[element]);
      if constexpr (ToDense)
        to[place] = from[element];
      else
        to[element] = from[place];
    }
  }
};

/// Inputs: the numbers of listed elements of rows, the columns of these elements, and the elements or the matrix.
template <backend B, bool ToDense>
class batch_sparse_kernel : public op_kernel<B> {
 protected:
  void infer_lists(shape_context& c) {
    c.template expect_type<std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1, 1);
    c.template expect_type<std::int32_t, std::int64_t>(1);
    c.expect_rank(1, 1, 1);
    c.template expect_type<float, double>(2);
    c.scratch((static_cast<std::size_t>(c.dims(0)[0]) + 1) * sizeof(std::int64_t));
  }
  void copy(op_context<B>& c, std::int64_t width, double filler) {
    auto* const offsets = static_cast<std::int64_t*>(c.scratch());
    std::size_t const rows = c.size(0);
    visit_type<std::int32_t, std::int64_t>(
        c.type(0), [&]<class L>(L) { segment_offsets<B>(offsets, c.template input<L>(0), rows, c.dims(1)[0]); });
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const columns = c.template input<I>(1);
      check_indices<B>(columns, c.size(1), width);
      visit_type<float, double>(c.type(2), [&]<class T>(T) {
        T* const to = c.template output<T>(0);
        if constexpr (ToDense) fill<B>(to, c.output_size(0), static_cast<T>(filler));
        for_each_row<B>(rows, rows == 0 ? 1 : 1 + c.size(1) / rows,
                        listed_elements<T, I, ToDense>{to, c.template input<T>(2), columns, offsets,
                                                       static_cast<std::size_t>(width)});
      });
    });
  }
};

}  // namespace detail

/// BatchSparseToDense. The number of columns is `dense_last_dim`, or that of the fourth input.
template <backend B>
class batch_sparse_to_dense_kernel final : public detail::batch_sparse_kernel<B, true> {
 public:
  explicit batch_sparse_to_dense_kernel(op_arguments const& a)
      : columns_(a.integer("dense_last_dim")), filler_(static_cast<double>(a.real("default_value"))) {
    if (columns_ < -1 || columns_ == 0) a.fail("dense_last_dim", "must be positive");
    if (columns_ == -1 && a.input_count() == 3) a.fail("dense_last_dim", "is needed without a fourth input");
  }
  void infer(shape_context& c) override {
    this->infer_lists(c);
    c.expect(c.dims(2) == c.dims(1), 2, "have a value for each of ", c.dims(1)[0], " indices");
    std::int64_t columns = columns_;
    if (c.input_count() == 4) {
      c.expect_rank(3, 2, 2);
      columns = c.dims(3)[1];
      c.expect(columns_ == -1 || columns == columns_, 3, "have ", columns_, " columns, as 'dense_last_dim' says");
      c.expect(columns > 0, 3, "have columns");
    }
    c.output(0, c.type(2), {c.dims(0)[0], columns});
  }
  void run(op_context<B>& c) override { this->copy(c, c.output_spec(0).dims[1], filler_); }

 private:
  std::int64_t columns_;
  double filler_;
};

template <backend B>
class batch_dense_to_sparse_kernel final : public detail::batch_sparse_kernel<B, false> {
 public:
  explicit batch_dense_to_sparse_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    this->infer_lists(c);
    c.expect_rank(2, 2, 2);
    c.expect(c.dims(2)[0] == c.dims(0)[0], 2, "have ", c.dims(0)[0], " rows, one for each length");
    c.output(0, c.type(2), c.dims(1));
  }
  void run(op_context<B>& c) override { this->copy(c, c.dims(2)[1], 0); }
};

namespace detail::caffe2 {

/// Checks Caffe2's restriction of both: lengths and indices of int64.
inline shape_check batch_sparse(op_arguments const&) {
  return [](shape_context const& c) {
    c.expect_type<std::int64_t>(0);
    c.expect_type<std::int64_t>(1);
  };
}

}  // namespace detail::caffe2

/// Adds BatchSparseToDense, BatchDenseToSparse: float and double.
template <backend B>
void add_batch_sparse_operators(operators<B>& table) {
  table.template add<batch_sparse_to_dense_kernel>(
      op_schema("BatchSparseToDense")
          .inputs(3, 4)
          .outputs(1)
          .checks_first()
          .argument("dense_last_dim", std::int64_t{-1}, "columns of Y; -1: those of the fourth input")
          .argument("default_value", 0.0f, "of elements that are not listed")
          .in_caffe2(detail::caffe2::batch_sparse)
          .no_doubles_in_caffe2()
          .describe("row i of Y has the values of segment i at the columns that the indices name; the last of several "
                    "at one place counts (inputs lengths, indices, values, and a matrix with the columns of Y)"));
  table.template add<batch_dense_to_sparse_kernel>(
      op_schema("BatchDenseToSparse")
          .inputs(3)
          .outputs(1)
          .checks_first()
          .in_caffe2(detail::caffe2::batch_sparse)
          .no_doubles_in_caffe2()
          .describe("the elements of row i of X at the columns that segment i of the indices names, for all rows "
                    "(inputs lengths, indices, X)"));
}

}  // namespace plait

PLAIT_KERNELS_END
